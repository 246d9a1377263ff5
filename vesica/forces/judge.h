// Whether a walk lies within what a population was trained on.
#pragma once

#include <string>
#include <vector>

#include "vesica/forces/model.h"

namespace vesica::forces {

// Of one walk; NaN where it shows too few steps.
struct WalkFigures {
  double speed = kMissing;           // Froude
  double step_length = kMissing;     // over leg length
  double asymmetry = kMissing;       // |right - left| / mean of contact times
  double double_support = kMissing;  // both together, of stance
  double turn = kMissing;            // degrees between first and last third
  double speed_change = kMissing;    // of the last third against the first, over the mean
};
WalkFigures calc_figures(const Walk& walk, const Body& body);

// A sentence where distances between markers are not those of the standing trial (7 mm rms); empty
// else. Walks of thirteen people: 4.5 mm at most with their own, 9 mm at least with another's.
std::string say_misfit(const Walk& walk);

// Sentences: what lies outside, and by how much. `refused`: so far outside that nothing should be
// predicted. `weight`, N: whether the legs go with it.
struct Judgement {
  std::vector<std::string> outside;
  std::string refused;
};
Judgement judge(const WalkFigures& figures, const Walk& walk, const Body& body,
                const Population& population, double weight);

}  // namespace vesica::forces
