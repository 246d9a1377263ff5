// Pressure over the contact patch: p(s) = k f(s) (1 + alpha c(s)), not below zero, with the closing
// speed c(s) of every point (rolling shifts it across the patch).
#pragma once

#include <string>
#include <vector>

#include "vesica/contact/contact.h"
#include "vesica/interference/patch/depth_grid.h"

namespace vesica {

struct PressureMap {
  DepthGrid grid;
  std::vector<double> pressure;  // [Pa], cell by cell as grid.depth
  double total_force = 0;        // sum over the cells [N]
  double max_pressure = 0;
  double pulled_area = 0;  // [m^2] where 1 + alpha c < 0 was clamped
};

PressureMap calc_pressure_map(const Contact<double>& contact, const Motion<double>& i,
                              const Motion<double>& j, const ContactMemory<double>& memory,
                              int cells);

// u [m], v [m], x y z [m], depth [m], pressure [Pa]: one row per cell.
void save_pressure_csv(const PressureMap& map, const std::string& path);

}  // namespace vesica
