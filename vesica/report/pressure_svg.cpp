#include "vesica/report/pressure_svg.h"

#include <fmt/format.h>

#include "vesica/io/output_file.h"
#include "vesica/report/heat_map_svg.h"

namespace vesica {

std::string make_pressure_svg(const PressureMap& map, const ContactForces<double>& forces,
                              const std::string& title) {
  const DepthGrid& g = map.grid;
  HeatMap picture;
  picture.title = title;
  picture.x_label = "u [mm]";
  picture.y_label = "v [mm]";
  picture.value_label = "pressure [kPa]";
  picture.x0 = g.u0 * 1e3;
  picture.y0 = g.v0 * 1e3;
  picture.dx = g.du * 1e3;
  picture.dy = g.dv * 1e3;
  picture.nx = g.nu;
  picture.ny = g.nv;
  picture.values.reserve(map.pressure.size());
  for (double p : map.pressure) picture.values.push_back(p * 1e-3);
  if (!map.pressure.empty()) {
    const Vec3d p = forces.p_WP - g.origin_W;
    HeatMap::Mark& mark = picture.marks.emplace_back();
    mark.x = p.dot(g.u_W) * 1e3;
    mark.y = p.dot(g.v_W) * 1e3;
    mark.label = "centre of pressure";
  }
  picture.notes = {
      fmt::format("normal force {:.4g} N", forces.normal.force),
      fmt::format("peak pressure {:.4g} kPa", map.max_pressure * 1e-3),
  };
  return make_heat_map_svg(picture);
}

void save_pressure_svg(const PressureMap& map, const ContactForces<double>& forces,
                       const std::string& title, const std::string& path) {
  save_text(path, make_pressure_svg(map, forces, title));
}

}  // namespace vesica
