// How good a population model is for people it has not seen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vesica/forces/moments.h"

namespace vesica::forces {

// One measured stance of a person who was left out. Calibrated figures are means over the
// calibrations that did not use its walk; NaN where there is none (a person with one walk).
struct StanceScore {
  size_t walk = 0, stance = 0;
  Errors own, own_mean, own_fair;                 // calibrated; curves of one's own, with the slope
  Errors stranger, stranger_mean, stranger_fair;  // no plates for this person
  std::array<double, kOutputs> own_coverage{}, stranger_coverage{};  // where bands were made
  std::array<double, kJoints> own_moments{}, stranger_moments{};     // errors, % of the peak
  TenthErrors own_tenths{}, stranger_tenths{};                       // by tenth of stance
  FreeMomentErrors free_moment;  // without plates; it is the population's curve either way
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
// `calibration_walks` of the usual walks, in turn; body weight and floor then come from these
// alone. What has seen everybody: constants of events (motion/gait_events.h), which stances are
// clean, and a stranger's mass, which is told.
std::vector<PersonScore> leave_one_out(const std::vector<const Person*>& people,
                                       const EvaluationOptions& options);

// Means over a person's stances, then over people; NaN of nothing.
Errors average(const std::vector<PersonScore>& scores, Errors StanceScore::*member);

// The same of each tenth of stance.
TenthErrors average_tenths(const std::vector<PersonScore>& scores,
                           TenthErrors StanceScore::*member);

// What motion takes off the error of curves in vertical force over phase, %, of people who are left
// out: on the truth; with all forces reversed in time, of which motion knows the timing alone; with
// these exchanged for those of the same person's stance that is next in speed, of which it knows
// nothing.
struct PhysicsGain {
  double own = 0, stranger = 0;
};
enum class Placebo { kNone, kReversed, kExchanged };
PhysicsGain calc_physics_gain(const std::vector<const Person*>& people, Placebo placebo);

// Everything that a population file says of itself.
PopulationFigures calc_figures(const std::vector<const Person*>& people);

}  // namespace vesica::forces
