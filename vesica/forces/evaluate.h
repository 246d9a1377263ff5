// How good a population model is for people it has not seen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vesica/forces/moments.h"

namespace vesica::forces {

// One measured stance of a person who was left out. Calibrated figures are means over the
// calibrations that did not use its walk.
struct StanceScore {
  size_t walk = 0, stance = 0;
  Errors own, own_mean, own_fair;                 // calibrated; curves of one's own, with the slope
  Errors stranger, stranger_mean, stranger_fair;  // no plates for this person
  std::array<double, kOutputs> own_coverage{}, stranger_coverage{};  // where bands were made
  std::array<double, kJoints> own_moments{}, stranger_moments{};     // errors, % of the peak
};
struct PersonScore {
  std::string name;
  std::vector<StanceScore> stances;
};

struct EvaluationOptions {
  size_t calibration_walks = 2;
  bool with_bands = false;  // makes bands without the person, too: dozens of fits
  // Bands of a population to count with instead: they have seen what the person's prediction
  // missed.
  const Population* bands = nullptr;
  // Walks that may calibrate; none: the three nearest to the person's median speed.
  std::function<std::vector<size_t>(const Person&)> usual_walks;
};

// Each person in turn is predicted by a model of the others: as a stranger, and calibrated with
// `calibration_walks` of the usual walks, in turn.
std::vector<PersonScore> leave_one_out(const std::vector<const Person*>& people,
                                       const EvaluationOptions& options);

// Means over a person's stances, then over people.
Errors average(const std::vector<PersonScore>& scores, Errors StanceScore::*member);

// What motion takes off the error of curves in vertical force over phase, %: of people who are left
// out; `reversed`: all forces reversed in time, so that motion knows nothing of them.
struct PhysicsGain {
  double own = 0, stranger = 0;
};
PhysicsGain calc_physics_gain(const std::vector<const Person*>& people, bool reversed);

// Everything that a population file says of itself.
PopulationFigures calc_figures(const std::vector<const Person*>& people);

}  // namespace vesica::forces
