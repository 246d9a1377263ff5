// Signals of motion that tell a foot's force and centre of pressure. docs/theory/forces.md.
#pragma once

#include <vector>

#include "vesica/forces/model.h"
#include "vesica/forces/walk.h"

namespace vesica::forces {

// A point of the floor (x, z of H) as seen from a foot: along it and to its outside, m; and back.
Vec2d as_local(const Walk& walk, int side, size_t frame, const Vec2d& p);
Vec2d from_local(const Walk& walk, int side, size_t frame, const Vec2d& local);

// Total ground force over body weight from legs and pelvis, with the mass that is no leg riding on
// the pelvis.
Track calc_untrained_total(const Walk& walk);
Track calc_total(const Walk& walk, const SignalModel& model);
// Where the total force acts, by the balance of moments (x, z).
std::vector<Vec2d> calc_center(const Walk& walk, const Body& body, const SignalModel& model,
                               const Track& total);
// Mean centre of pressure under a contact, at all frames.
std::vector<Vec2d> calc_mean_pressure(const Walk& walk, const Body& body, const SignalModel& model,
                                      const Contact& contact);
// Share of the leading foot by the balance of moments; `lead` and `trail` are their x.
inline double calc_share(double center, double lead, double trail) {
  return (center - trail) / std::max(lead - trail, 0.15);
}

// Signals of one contact at the walk's frames; outputs mirrored on the left.
struct ContactSignals {
  size_t first = 0, last = 0;  // frames [first, last) of the contact, with two more on either side
  // [frame - first][output][signal]
  std::vector<std::array<std::array<double, kForceSignals>, kForceOutputs>> force;
  std::vector<std::array<std::array<double, kPressureSignals>, 2>> pressure;

  const double* at(size_t frame, int output) const {
    return is_pressure(output) ? pressure[frame - first][output - kForceOutputs].data()
                               : force[frame - first][output].data();
  }
};
std::vector<ContactSignals> calc_signals(const Walk& walk, const Body& body,
                                         const SignalModel& model);

}  // namespace vesica::forces
