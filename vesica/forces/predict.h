// Force, centre of pressure and free moment of both feet over a walk.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "vesica/forces/train.h"

namespace vesica::forces {

// A person's own curves, from trials on plates.
struct Calibration {
  std::string title;
  std::string population_title, population_digest;  // with which it was made
  std::vector<std::string> trials;
  std::vector<std::string> recordings;  // their digests
  int stances = 0;
  std::array<int, 2> side_stances = {-1, -1};  // -1: an older file does not say
  Body body;
  double weight = 0, weight_spread = 0;  // N
  Vec3d slope_W = Vec3d::Zero();         // of the floor
  double floor_height = 0;               // m, of the plates above the floor of the feet
  OwnCurves curves{};
  MeanCurves means;  // for the baseline
};
// Throws InputError where no stance can be used, or the population needs a trunk that is not seen;
// so does predict.
Calibration calibrate(const Person& person, const std::vector<size_t>& walks,
                      const Population& population);

std::vector<std::string> list_sides_without_stances(const Calibration& calibration);  // sentences

// What to predict with: a calibration, or the population alone.
struct Predictor {
  const Population* population = nullptr;
  const Calibration* calibration = nullptr;  // none: somebody who never stood on plates
  double weight = 0;                         // N

  const ModelTable& table() const {
    return calibration != nullptr ? population->own : population->stranger;
  }
  const Curve& curve(int side, int output) const {
    const auto s = static_cast<size_t>(side), o = static_cast<size_t>(output);
    return calibration != nullptr ? calibration->curves[s][o] : population->stranger.outputs[o].a;
  }
  // How far a speed is from those that are known: of the calibration, or of the population.
  double speed_distance(double speed) const;
};

// One foot at the walk's frames; H.
struct FootForces {
  std::vector<bool> on;
  Track force;                       // N
  std::vector<Vec2d> pressure;       // m, held while the foot is off the floor
  std::vector<double> free_moment;   // N m
  Track force_band;                  // half-widths of the 95 % bands
  std::vector<Vec2d> pressure_band;  // ahead and to the right; zero while off
  std::vector<double> moment_band;
};
struct Prediction {
  std::array<FootForces, 2> feet;
};
Prediction predict(const Walk& walk, const Body& body, const Predictor& predictor);

// Errors of a predicted stance against a measured one, per cent: vertical force and shear rms over
// the measured stance / body weight; centre of pressure: rms distance where the measured force
// exceeds 50 N / 0.2 m.
using Errors = ErrorFigures;
Errors calc_errors(const Walk& walk, const MeasuredStance& measured, double weight,
                   const Track& force, const std::vector<Vec2d>& pressure);

// The same of each tenth of the measured stance; NaN where no frame counts.
inline constexpr size_t kTenths = 10;
using TenthErrors = std::array<Errors, kTenths>;
TenthErrors calc_tenth_errors(const Walk& walk, const MeasuredStance& measured, double weight,
                              const Track& force, const std::vector<Vec2d>& pressure);

// Curves over phase that are given the measured window: mean curve, mean and slope. Zero outside.
struct CurveTracks {
  Track force;
  std::vector<Vec2d> pressure;
};
CurveTracks make_curve_tracks(const Walk& walk, const Body& body, const MeasuredStance& measured,
                              double weight, const std::array<Curve, kOutputs>& curves);
Errors calc_curve_errors(const Walk& walk, const Body& body, const MeasuredStance& measured,
                         double weight, const std::array<Curve, kOutputs>& curves);
// The mean curve of a side, at a speed where `with_slope`.
std::array<Curve, kOutputs> make_baseline(const Predictor& predictor, int side, double speed,
                                          bool with_slope);

// Share of the frames of a measured stance in which the measured value lies inside of the band:
// for each output; NaN where none count.
std::array<double, kOutputs> calc_coverage(const Walk& walk, const MeasuredStance& measured,
                                           const FootForces& foot);

// Free moment over a measured stance where the force exceeds 50 N: rms of what is missed, and of
// what was measured, N m; share of the frames inside of the band. NaN of none.
struct FreeMomentErrors {
  double error = kMissing, measured = kMissing, coverage = kMissing;
};
FreeMomentErrors calc_free_moment_errors(const Walk& walk, const MeasuredStance& measured,
                                         const FootForces& foot);

}  // namespace vesica::forces
