// The level at which a force plate rests with nothing on it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vesica {

struct IdleLevel {
  bool found = false;
  // More than 60 N from zero. Below zero (against the load) it can only be an offset, as a plate
  // cannot pull; above, something may lie on it throughout, or somebody sit with the feet on it.
  bool is_far = false;
  double mean = 0.0, sd = 0.0;       // N
  double direction = 1.0;            // of the load, seen from the level: +1 or -1
  std::vector<std::size_t> samples;  // at rest
};

// From the normal force over time, of either sign; NaN where it is missing.
//
// Near zero: the mode over bins of 5 N within 60 N of zero, then mean and spread within 15 N of it,
// if a twentieth of the recording is there (less is a foot passing through). Else the 30 N in which
// most samples lie, if those are a twentieth of all, hardly any sample (1 %) is further than 30 N
// on one side, and the load rises by 100 N on the other: a plate that rests at an offset. One that
// is always loaded, or never, has no level that could be told from its load.
IdleLevel find_idle_level(std::span<const double> normal_forces);

}  // namespace vesica
