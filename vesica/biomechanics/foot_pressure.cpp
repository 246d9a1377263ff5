#include "vesica/biomechanics/foot_pressure.h"

#include <algorithm>
#include <cmath>

#include "vesica/biomechanics/foot_chain.h"

namespace vesica {
namespace {

namespace fc = foot_chain;

// An ellipsoid over the ground: p' A p = 1 about its centre.
struct Above {
  Motion<double> at;
  Vec3d radii;
  Mat3d A;
  double stiffness, damping;

  Above(const FootModel& foot, const FootFrame& frame, const FootEllipsoid& e)
      : at(calc_ellipsoid_motion(e, calc_segment_motion(foot, frame, e.segment))),
        radii(e.radii),
        stiffness(foot.stiffness),
        damping(foot.damping) {
    const Mat3d& R = at.X_WB.R_WB;
    A = R * radii.cwiseAbs2().cwiseInverse().asDiagonal() * R.transpose();
  }
  double half_extent(int axis) const {
    return at.X_WB.R_WB.row(axis).transpose().cwiseProduct(radii).norm();
  }
};

// What an ellipsoid does at a point of the ground.
struct Chord {
  double x, y;                 // from the centre
  double bottom = 0, top = 0;  // height of the surface above the centre
  double root = 0;             // half of the gradient's height there, without its sign
  double depth = 0;            // of what is below the ground; 0: nothing
  double factor = 0;           // 1 + alpha c
  double closing = 0;
  bool immersed = false;  // its upper end as well

  Chord(const Above& e, double dx, double dy) : x(dx), y(dy) {
    const double b = e.A(0, 2) * x + e.A(1, 2) * y;
    const double q = e.A(0, 0) * x * x + 2 * e.A(0, 1) * x * y + e.A(1, 1) * y * y - 1;
    const double inside = b * b - e.A(2, 2) * q;
    if (!(inside > 0)) return;
    root = std::sqrt(inside);
    bottom = (-b - root) / e.A(2, 2);
    const double height = e.at.X_WB.p_WB.z();
    if (!(height + bottom < 0)) return;
    top = (-b + root) / e.A(2, 2);
    immersed = height + top < 0;
    closing = -e.at.V_WB.v_WB.z() - e.at.V_WB.w_WB.x() * y + e.at.V_WB.w_WB.y() * x;
    factor = 1 + e.damping * closing;
    if (factor > 0) depth = std::min(0.0, height + top) - (height + bottom);
  }
};

// A surface point P whose material moves by delta carries the surface along its vertical line by
// g.delta/g_z, g = A P. Adds the derivatives of that height, times `scale`.
void add_height(const Above& e, const Chord& c, bool top, double scale,
                Eigen::Matrix<double, 1, fc::kDirections>* row) {
  const Vec3d P(c.x, c.y, top ? c.top : c.bottom);
  const Vec3d g = e.A * P;
  const double s = scale / (top ? c.root : -c.root);
  const Mat3d& R = e.at.X_WB.R_WB;
  const Vec3d along = (R.transpose() * P).cwiseProduct(R.transpose() * g).cwiseQuotient(e.radii);
  row->segment<3>(fc::kPosition) += s * g.transpose();
  row->segment<3>(fc::kRotation) += s * P.cross(g).transpose();
  row->segment<3>(fc::kRadii) += s * along.transpose();
}

Eigen::Matrix<double, 1, fc::kDirections> calc_row(const Above& e, const Chord& c) {
  Eigen::Matrix<double, 1, fc::kDirections> row = Eigen::Matrix<double, 1, fc::kDirections>::Zero();
  const double by_depth = e.stiffness * c.factor;
  add_height(e, c, false, -by_depth, &row);
  if (c.immersed) add_height(e, c, true, by_depth, &row);
  const double by_closing = e.stiffness * c.depth * e.damping;
  const Vec3d& w = e.at.V_WB.w_WB;
  row[fc::kPosition] -= by_closing * w.y();
  row[fc::kPosition + 1] += by_closing * w.x();
  row[fc::kVelocity + 2] -= by_closing;
  row[fc::kSpin] -= by_closing * c.y;
  row[fc::kSpin + 1] += by_closing * c.x;
  row[fc::kDamping] += e.stiffness * c.depth * c.closing;
  return row;
}

// Calls do_cell(cell, chord) for the cells under an ellipsoid that presses there.
template <class F>
void for_each_chord(const Above& e, const FootMat& grid, const F& do_cell) {
  const Vec3d& p = e.at.X_WB.p_WB;
  if (p.z() - e.half_extent(2) >= 0) return;
  const auto range = [&](int axis, int count, int* first, int* last) {
    const double half = e.half_extent(axis), low = p[axis] - grid.corner[axis];
    *first = std::max(0, static_cast<int>(std::floor((low - half) / grid.cell[axis] - 0.5)));
    *last = std::min(count - 1, static_cast<int>(std::ceil((low + half) / grid.cell[axis] - 0.5)));
  };
  int x0, x1, y0, y1;
  range(0, grid.columns, &x0, &x1);
  range(1, grid.rows, &y0, &y1);
  for (int row = y0; row <= y1; ++row) {
    const double y = grid.corner.y() + grid.cell.y() * (row + 0.5) - p.y();
    for (int column = x0; column <= x1; ++column) {
      const double x = grid.corner.x() + grid.cell.x() * (column + 0.5) - p.x();
      const Chord chord(e, x, y);
      if (chord.depth > 0) do_cell(row * grid.columns + column, chord);
    }
  }
}

}  // namespace

void calc_foot_pressure(const FootModel& foot, const FootFrame& frame, const FootMat& grid,
                        std::vector<double>* pressure) {
  pressure->assign(static_cast<size_t>(grid.cells()), 0.0);
  for (const FootEllipsoid& e : foot.ellipsoids) {
    for_each_chord(Above(foot, frame, e), grid, [&](int cell, const Chord& c) {
      (*pressure)[static_cast<size_t>(cell)] += foot.stiffness * c.depth * c.factor;
    });
  }
}

void calc_foot_pressure(const FootModel& foot, const FootFrame& frame, const FootMat& grid,
                        std::vector<double>* pressure, PressureColumns* columns) {
  const FootOrder order(foot);
  pressure->assign(static_cast<size_t>(grid.cells()), 0.0);
  columns->cells.clear();
  columns->row_of_cell.assign(static_cast<size_t>(grid.cells()), -1);
  columns->chain.resize(Eigen::NoChange, order.size());
  columns->all.resize(grid.cells(), order.size());
  for (size_t k = 0; k < foot.ellipsoids.size(); ++k) {
    const Above e(foot, frame, foot.ellipsoids[k]);
    fc::calc_chain(foot, frame, static_cast<int>(k), &columns->chain);
    for_each_chord(e, grid, [&](int cell, const Chord& c) {
      const auto at = static_cast<size_t>(cell);
      int& row = columns->row_of_cell[at];
      if (row < 0) {
        row = static_cast<int>(columns->cells.size());
        columns->cells.push_back(cell);
        columns->all.row(row).setZero();
      }
      const double unit = c.depth * c.factor;
      (*pressure)[at] += foot.stiffness * unit;
      columns->all(row, FootOrder::kStiffness) += unit;
      columns->all.row(row) += calc_row(e, c).lazyProduct(columns->chain);
    });
  }
}

}  // namespace vesica
