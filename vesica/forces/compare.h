// A prediction beside force plates that it has not seen, in figures and in words.
#pragma once

#include <string>
#include <vector>

#include "vesica/forces/judge.h"
#include "vesica/forces/moments.h"
#include "vesica/forces/predict.h"

namespace vesica::forces {

struct ComparedStance {
  int side = kRight;
  std::string plate;
  double begin = 0, end = 0;                      // s, on the plate
  double predicted_begin = 0, predicted_end = 0;  // s
  Errors errors, mean_curve, fair;
  CurveTracks baseline;  // mean curve with the change by speed
  std::array<double, kOutputs> coverage{};
  std::array<double, kJoints> moments{};  // % of the peak
  FreeMomentErrors free_moment;
};

struct Comparison {
  MeasuredWalk measured;
  std::vector<PlateScale> scales;
  std::vector<ComparedStance> stances;
  Errors errors, mean_curve, fair;  // means over stances
  std::array<double, kJoints> moments{};
  double plate_weight = 0;  // N, by these plates; 0 where they do not tell
  LoadDelay delay;
  Errors aligned, aligned_fair;  // where delay.clock: with the plates' clock set right
  std::array<double, kJoints> aligned_moments{};
  std::string seen;  // a sentence where the model has seen this walk or this person; empty: blind
  std::string verdict;  // sentences
};

// The prediction is read, never changed.
Comparison compare(const Walk& walk, const Body& body, const std::vector<PlateForces>& plates,
                   const Predictor& predictor, const Prediction& prediction);

}  // namespace vesica::forces
