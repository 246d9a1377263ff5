// Pressure under a foot on the cells of a mat (Brown, section 5.3.2).
//
// At a point of the ground an ellipsoid presses with p = k d (1 + alpha c): d the length of its
// vertical chord below the ground, c the closing speed of its material there. Where that would
// pull, it lifts. Ellipsoids add up, as their forces do; integrated over the ground it is the load
// of calc_foot_load. A cell has the value at its centre.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "vesica/biomechanics/foot_forces.h"

namespace vesica {

// A mat on the ground: columns along x, rows along y of W. Cells are counted along x first. The
// source's region has 39 x 16 cells; 7.62 mm is the pitch at which they cover its figure 5.13.
struct FootMat {
  Eigen::Vector2d corner = Eigen::Vector2d::Zero();           // least x and y [m]
  Eigen::Vector2d cell = Eigen::Vector2d::Constant(0.00762);  // sides of a cell [m]
  int columns = 16, rows = 39;

  int cells() const { return columns * rows; }
  double area() const { return cell.x() * cell.y(); }
  Eigen::Vector2d center(int k) const {
    const int column = k % columns, row = k / columns;
    return corner + cell.cwiseProduct(Eigen::Vector2d(column + 0.5, row + 0.5));
  }
};

// [Pa], a value for every cell.
void calc_foot_pressure(const FootModel& foot, const FootFrame& frame, const FootMat& grid,
                        std::vector<double>* pressure);

// Derivatives of the cells that something presses on; those of all others are zero. Columns as in
// FootOrder.
struct PressureColumns {
  std::vector<int> cells;
  // At least cells.size() rows; what lies below means nothing.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> all;

  std::vector<int> row_of_cell;                     // scratch
  Eigen::Matrix<double, 16, Eigen::Dynamic> chain;  // scratch
};
void calc_foot_pressure(const FootModel& foot, const FootFrame& frame, const FootMat& grid,
                        std::vector<double>* pressure, PressureColumns* columns);

}  // namespace vesica
