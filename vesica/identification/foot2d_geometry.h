// A foot's lengths and the angle of its toes from markers in the plane of progression (Shourijeh &
// McPhee, section 3.2): AH, AP, PT, beta and the 11 coefficients of (16), over one period from
// toe-off to toe-off. A and theta are driven as they were measured, so the errors are those of H, P
// and T.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "vesica/biomechanics/foot2d.h"

namespace vesica {

// One period of one foot in its plane of progression, or the part of it that was recorded, ending
// with toe-off. Frames at even steps of time. NaN: not known.
struct Foot2dStance {
  std::string name, trial, side;
  double begin = 0, end = 0;                  // of the contact [s]
  double period = 0;                          // T of (16) and (17) [s]
  double weight = 0;                          // of the body [N]
  std::vector<double> times;                  // [s]
  std::vector<Foot2dPose> poses;              // phi stays 0 here: it is fitted
  std::vector<Point2<double>> H, P, T;        // markers [m]
  bool toe_measured = true;                   // false: T was made up (foot2d_trials.h)
  std::vector<double> normal, friction, cop;  // up, forward [N]; [m]
  // Markers above the ground while the foot is flat [m]; NaN: made up.
  double heel_height = std::numeric_limits<double>::quiet_NaN(), ball_height = heel_height;

  size_t frames() const { return times.size(); }
  double step() const { return (times.back() - times.front()) / double(times.size() - 1); }
};

struct Foot2dMarkerError {
  double mean = 0, sd = 0, worst = 0;  // of the distance between model and marker [m]
  int count = 0;
};

struct Foot2dGeometryFit {
  Foot2dGeometry<double> geometry;
  std::array<double, kToeCoefficients> toe{};  // [rad]
  Foot2dMarkerError all, H, P, T;
  bool converged = false;
  std::string message;
};

// Throws InputError where a stance has fewer than 20 frames or no marker of one of the points.
Foot2dGeometryFit fit_foot2d_geometry(const Foot2dStance& stance);
// Lengths and beta given, the toe angle alone: of a stance that is to be foretold.
Foot2dGeometryFit fit_foot2d_toe(const Foot2dStance& stance,
                                 const Foot2dGeometry<double>& geometry);

// The frames with the toe angle of a fit.
std::vector<Foot2dPose> apply_toe(const Foot2dStance& stance,
                                  const std::array<double, kToeCoefficients>& toe);

}  // namespace vesica
