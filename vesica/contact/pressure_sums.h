// The pressure of a contact on a grid of cells that a body carries, with sums over regions of it:
// one frame of a map over time.
//
// The map is seen along z of its frame F; its cells are rectangles in x and y. The contact plane,
// whose normal n need not be z, is projected on it along z: a cell has the force that presses on
// what lies above and below it. The pressure is that of calc_pressure_map (pressure_map.h), sampled
// at midpoints of parts of cells, at least 40 across the patch; the parts are then scaled together
// so that all cells, and what lies outside of the grid, add up to the contact's normal force. What
// the scale was says how good the sampling is (PressureFrame::sampled).
#pragma once

#include <string>
#include <vector>

#include "vesica/contact/contact.h"
#include "vesica/interference/patch/depth_grid.h"

namespace vesica {

// A rectangle of the map, as far as the grid goes where it has no limit.
struct PressureRegion {
  std::string name;
  double x_min = -kInfinity, x_max = kInfinity, y_min = -kInfinity, y_max = kInfinity;

  bool has(double x, double y) const { return x >= x_min && x < x_max && y >= y_min && y < y_max; }
};

struct PressureGrid {
  double x_min = 0, y_min = 0, dx = 1, dy = 1;  // lower corner, size of a cell [m]
  int nx = 1, ny = 1;
  std::vector<PressureRegion> regions;

  size_t cells() const { return static_cast<size_t>(nx) * static_cast<size_t>(ny); }
};

struct PressureSums {
  double force = 0;          // [N], normal
  double peak_pressure = 0;  // [Pa], of the samples
  double area = 0;           // [m^2] of the contact plane under pressure
};

struct PressureFrame {
  std::vector<double> pressure;       // [Pa] force of a cell over its area on the map; x fastest
  PressureSums all;                   // inside and outside of the grid
  double outside = 0;                 // [N] of `all`, beside the grid
  double center_x = 0, center_y = 0;  // of pressure, on the map [m]; NaN without a force
  std::vector<PressureSums> regions;
  double sampled = 0;       // [N] before scaling
  bool is_edge_on = false;  // the map is seen from the side: all of it counts as outside
};

// Why a contact has no map, for a message; empty: it has.
std::string explain_no_pressure(const Contact<double>& contact, const PlacedPair<double>& shapes);

// Keeps its memory from frame to frame.
class PressureSampler {
 public:
  // An empty frame for the grid.
  static void begin(const PressureGrid& grid, PressureFrame* frame);
  // What one pair of shapes adds, as the laws have found it. X_WF: the map's frame.
  void add(const Contact<double>& contact, const PlacedPair<double>& shapes,
           const Overlap<double>& o, const ContactForces<double>& forces, const Motion<double>& i,
           const Motion<double>& j, const ContactMemory<double>& memory, const Pose<double>& X_WF,
           const PressureGrid& grid, PressureFrame* frame);
  static void finish(const PressureGrid& grid, PressureFrame* frame);

 private:
  DepthGrid samples_;
};

}  // namespace vesica
