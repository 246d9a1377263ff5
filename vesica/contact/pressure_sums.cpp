#include "vesica/contact/pressure_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace vesica {
namespace {

constexpr int kAcross = 40;      // samples across a patch, at least
constexpr int kMostParts = 32;   // of a cell along a side
constexpr double kMost = 400e3;  // samples of one patch
// Of the cosine between n and z: flatter the map would be seen from the side.
constexpr double kEdgeOn = 0.2;

// Frame of the contact plane that counts in x and y of F.
bool set_plane(const Overlap<double>& o, const Pose<double>& X_WF, DepthGrid* g) {
  const Vec3d x = X_WF.R_WB.col(0), y = X_WF.R_WB.col(1), z = X_WF.R_WB.col(2);
  const double c = o.n_W.dot(z);
  if (std::abs(c) < kEdgeOn) return false;
  const Vec3d on_plane = o.p_WC + o.plane_offset * o.n_W;
  g->n_W = o.n_W;
  g->origin_W = X_WF.p_WB + z * (o.n_W.dot(on_plane - X_WF.p_WB) / c);
  g->u_W = x - z * (o.n_W.dot(x) / c);
  g->v_W = y - z * (o.n_W.dot(y) / c);
  return true;
}

// Parts of a cell along one side, so that the patch has enough. Even: where two cells, or the two
// halves of one, are alike, so are their samples.
int count_parts(double cell, double width) {
  return 2 * static_cast<int>(
                 std::clamp(std::ceil(0.5 * kAcross * cell / width), 1.0, 0.5 * kMostParts));
}

// The samples that cover the patch, on the lattice of the grid's cells. False: too many.
bool set_samples(const PatchBox& box, const PressureGrid& grid, DepthGrid* g) {
  int parts_x = count_parts(grid.dx, box.u_max - box.u_min);
  int parts_y = count_parts(grid.dy, box.v_max - box.v_min);
  const auto cover = [](double low, double high, double start, double step, double* first) {
    const double from = std::floor((low - start) / step), to = std::ceil((high - start) / step);
    *first = start + from * step;
    return to - from;
  };
  for (int coarser = 0; coarser < 2; ++coarser, parts_x = parts_y = 1) {
    g->du = grid.dx / parts_x;
    g->dv = grid.dy / parts_y;
    const double nu = cover(box.u_min, box.u_max, grid.x_min, g->du, &g->u0);
    const double nv = cover(box.v_min, box.v_max, grid.y_min, g->dv, &g->v0);
    if (!(nu * nv <= kMost)) continue;
    g->nu = static_cast<int>(nu);
    g->nv = static_cast<int>(nv);
    return true;
  }
  return false;
}

// Depths become pressures.
template <class Law>
void calc_pressures(const Law& law, double alpha, const Motion<double>& i, const Motion<double>& j,
                    DepthGrid* g) {
  const auto closing = [&](const Vec3d& p) {
    return calc_kinematics<double>(i, j, p, g->n_W).closing_speed;
  };
  // Linear over the plane.
  const double c0 = closing(g->origin_W);
  const double c_u = closing(g->origin_W + g->u_W) - c0, c_v = closing(g->origin_W + g->v_W) - c0;
  size_t k = 0;
  for (int b = 0; b < g->nv; ++b) {
    for (int a = 0; a < g->nu; ++a, ++k) {
      if (!(g->depth[k] > 0)) continue;
      g->depth[k] = law.pressure(g->depth[k], c0 + g->u(a) * c_u + g->v(b) * c_v, alpha);
    }
  }
}

void note(double force, double pressure, double area, PressureSums* sums) {
  sums->force += force;
  sums->area += area;
  sums->peak_pressure = std::max(sums->peak_pressure, pressure);
}

// The force at one place of the map.
void put(double x, double y, double force, double pressure, double area, const PressureGrid& grid,
         PressureFrame* frame) {
  note(force, pressure, area, &frame->all);
  frame->center_x += force * x;
  frame->center_y += force * y;
  const double column = std::floor((x - grid.x_min) / grid.dx);
  const double row = std::floor((y - grid.y_min) / grid.dy);
  if (!(column >= 0 && column < grid.nx && row >= 0 && row < grid.ny)) {
    frame->outside += force;
    return;
  }
  for (size_t r = 0; r < grid.regions.size(); ++r) {
    if (grid.regions[r].has(x, y)) note(force, pressure, area, &frame->regions[r]);
  }
  const auto cell =
      static_cast<size_t>(row) * static_cast<size_t>(grid.nx) + static_cast<size_t>(column);
  frame->pressure[cell] += force / (grid.dx * grid.dy);
}

// All samples, which lie on the lattice of the cells' parts: as `put` does, without its divisions.
void add_samples(const DepthGrid& g, double area, double scale, const PressureGrid& grid,
                 PressureFrame* frame) {
  const long parts_x = std::lround(grid.dx / g.du), parts_y = std::lround(grid.dy / g.dv);
  const long first_x = std::lround((g.u0 - grid.x_min) / g.du);
  const long first_y = std::lround((g.v0 - grid.y_min) / g.dv);
  const double per_cell = area * scale / (grid.dx * grid.dy);
  size_t k = 0;
  for (int b = 0; b < g.nv; ++b) {
    const double y = g.v(b);
    const long row = first_y + b;
    const bool has_row = row >= 0 && row < parts_y * grid.ny;
    double* cells = has_row ? frame->pressure.data() + row / parts_y * grid.nx : nullptr;
    for (int a = 0; a < g.nu; ++a, ++k) {
      const double p = g.depth[k];
      if (!(p > 0)) continue;
      const double x = g.u(a), force = p * area * scale;
      note(force, p, area, &frame->all);
      frame->center_x += force * x;
      frame->center_y += force * y;
      const long column = first_x + a;
      if (!has_row || column < 0 || column >= parts_x * grid.nx) {
        frame->outside += force;
        continue;
      }
      cells[column / parts_x] += p * per_cell;
      for (size_t r = 0; r < grid.regions.size(); ++r) {
        if (grid.regions[r].has(x, y)) note(force, p, area, &frame->regions[r]);
      }
    }
  }
}

}  // namespace

std::string explain_no_pressure(const Contact<double>& contact, const PlacedPair<double>& shapes) {
  const std::string reason = std::visit(
      [](const auto& law) -> std::string {
        if constexpr (requires { law.pressure(0.0, 0.0, 0.0); }) {
          return {};
        } else {
          return fmt::format(
              "has no map: its normal law, {}, gives one force and no pressure at a point; "
              "volumetric, "
              "hyper_volumetric and foundation do",
              law.kName);
        }
      },
      contact.normal);
  if (!reason.empty() || !std::holds_alternative<PointPair<double>>(shapes.pair.shapes)) {
    return reason;
  }
  return "touches at a point, which has no patch";
}

void PressureSampler::begin(const PressureGrid& grid, PressureFrame* frame) {
  frame->pressure.assign(grid.cells(), 0.0);
  frame->regions.assign(grid.regions.size(), PressureSums{});
  frame->all = {};
  frame->outside = frame->center_x = frame->center_y = frame->sampled = 0;
  frame->is_edge_on = false;
}

void PressureSampler::add(const Contact<double>& contact, const PlacedPair<double>& shapes,
                          const Overlap<double>& o, const ContactForces<double>& forces,
                          const Motion<double>& i, const Motion<double>& j,
                          const ContactMemory<double>& memory, const Pose<double>& X_WF,
                          const PressureGrid& grid, PressureFrame* frame) {
  const double f_n = forces.normal.force;
  if (!(f_n > 0)) return;
  DepthGrid& g = samples_;
  const Vec3d p_F = X_WF.R_WB.transpose() * (forces.p_WP - X_WF.p_WB);
  const auto put_all = [&] {
    put(p_F.x(), p_F.y(), f_n, 0, 0, grid, frame);
    frame->sampled += f_n;
  };
  if (!set_plane(o, X_WF, &g)) {
    frame->is_edge_on = true;
    frame->all.force += f_n;
    frame->outside += f_n;
    frame->sampled += f_n;
    frame->center_x += f_n * p_F.x();
    frame->center_y += f_n * p_F.y();
    return;
  }
  const Pose<double> X_i = calc_shape_pose(i.X_WB, shapes.X_Ii);
  const Pose<double> X_j = calc_shape_pose(j.X_WB, shapes.X_Jj);
  const PatchBox box = find_patch_box(shapes.pair, X_i, X_j, o, g);
  if (box.is_empty() || !set_samples(box, grid, &g)) return put_all();
  fill_depth(shapes.pair, X_i, X_j, &g);
  std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.pressure(0.0, 0.0, 0.0); }) {
          calc_pressures(law, law.damping.alpha(memory), i, j, &g);
        }
      },
      contact.normal);
  const double area = g.du * g.dv * g.u_W.cross(g.v_W).norm();
  double sum = 0;
  for (const double p : g.depth) sum += p;
  sum *= area;
  if (!(sum > 0)) return put_all();
  frame->sampled += sum;
  const double scale = f_n / sum;
  add_samples(g, area, scale, grid, frame);
}

void PressureSampler::finish(const PressureGrid&, PressureFrame* frame) {
  const double force = frame->all.force;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  frame->center_x = force > 0 ? frame->center_x / force : kNone;
  frame->center_y = force > 0 ? frame->center_y / force : kNone;
}

}  // namespace vesica
