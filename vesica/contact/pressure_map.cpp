#include "vesica/contact/pressure_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "vesica/io/output_file.h"

namespace vesica {

namespace {

template <class Law>
void fill_pressure(const Law& law, double alpha, const Motion<double>& i, const Motion<double>& j,
                   PressureMap* map) {
  const DepthGrid& grid = map->grid;
  size_t cell = 0;
  for (int kv = 0; kv < grid.nv; ++kv) {
    for (int ku = 0; ku < grid.nu; ++ku, ++cell) {
      if (grid.depth[cell] <= 0) continue;
      const auto motion = calc_kinematics<double>(i, j, grid.point(ku, kv), grid.n_W);
      if (1 + alpha * motion.closing_speed < 0) map->pulled_area += grid.cell_area();
      const double p = law.pressure(grid.depth[cell], motion.closing_speed, alpha);
      map->pressure[cell] = p;
      map->max_pressure = std::max(map->max_pressure, p);
      map->total_force += p * grid.cell_area();
    }
  }
}

}  // namespace

PressureMap calc_pressure_map(const Contact<double>& contact, const Motion<double>& i,
                              const Motion<double>& j, const ContactMemory<double>& memory,
                              int cells) {
  PressureMap map;
  map.grid = sample_depth(contact.pair, calc_shape_pose(i.X_WB, contact.X_Ii),
                          calc_shape_pose(j.X_WB, contact.X_Jj), cells);
  const DepthGrid& grid = map.grid;
  map.pressure.resize(grid.depth.size());
  std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.pressure(0.0, 0.0, 0.0); }) {
          fill_pressure(law, law.damping.alpha(memory), i, j, &map);
        }
      },
      contact.normal);
  return map;
}

void save_pressure_csv(const PressureMap& map, const std::string& path) {
  std::string text = "u [m],v [m],x [m],y [m],z [m],depth [m],pressure [Pa]\n";
  const DepthGrid& g = map.grid;
  size_t cell = 0;
  for (int kv = 0; kv < g.nv; ++kv) {
    for (int ku = 0; ku < g.nu; ++ku, ++cell) {
      const Vec3d p = g.point(ku, kv);
      text += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}\n", g.u(ku), g.v(kv),
                          p.x(), p.y(), p.z(), g.depth[cell], map.pressure[cell]);
    }
  }
  save_text(path, text);
}

}  // namespace vesica
