// The free swing of a mass on a spring and damper, x'' + 2 decay x' + frequency2 x = 0 about an
// offset: underdamped, critical and overdamped in one smooth form.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace vesica {

struct RingDown {
  double frequency2 = 0;  // square of the undamped angular frequency [1/s^2]
  double decay = 0;       // [1/s]
  double offset = 0;      // where it comes to rest [m]
  double position = 0;    // at the first time, from the offset [m]
  double speed = 0;       // at the first time [m/s]
};

Eigen::VectorXd calc_ring_down(const RingDown& ring, const std::vector<double>& times);

// A start for a fit: frequencies and decays are tried on a grid, the rest is linear.
RingDown find_ring_down_start(const std::vector<double>& times, const std::vector<double>& x);

// Why the recording does not show such a swing well; empty if it does.
std::string find_ring_down_doubt(const RingDown& ring, const std::vector<double>& times);

}  // namespace vesica
