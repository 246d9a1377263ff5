// Contact parameters of a foot from stances whose motion and ground force were measured (Brown,
// section 5.3.2).
//
// What is found: stiffness, damping, and size, place and turn of every ellipsoid (the 29 numbers of
// Table 5.1 without friction); per stance the toe angle where it was not measured, and, where asked
// for, a correction of the foot's motion, both cubic splines over the stance's phase.
//
// The cost is that of (5.52) for normal force and centre of pressure, each over its scale
// (Table 5.3), plus priors: a parameter p with start p0 and spread s adds prior_weight ((p -
// p0)/s)^2 over the number of frames. Where the simulated foot carries little, its centre of
// pressure means little: the difference enters as (N x - N x_measured)/(N + 20 N).
//
// A constant correction and a shift of all ellipsoids are the same thing, so corrections have zero
// mean over the stance. What the corrections can do is much: docs/theory/foot.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vesica/biomechanics/foot_forces.h"

namespace vesica {

// A stance: motion and what the plate measured, frame by frame. The ground is z = 0.
struct FootStance {
  std::string name;
  std::vector<FootFrame> frames;     // at even steps of time; angles as measured, or zero
  std::vector<double> force;         // normal [N]
  std::vector<Eigen::Vector2d> cop;  // [m]; NaN where it is not known
  double weight = 0;                 // of the body [N]
  // Of the ground on the foot, along the plane [N]; empty: not measured.
  std::vector<Eigen::Vector2d> shear = {};

  double phase(size_t frame) const;  // 0 to 1 from first to last
};

// Spreads of the priors, one standard deviation.
struct FootPriors {
  double log_stiffness = 0.7;
  double log_damping = 1.0;
  Vec3d radii = Vec3d::Constant(0.006);
  Vec3d position{0.008, 0.008, 0.004};
  Vec3d angles = Vec3d::Constant(0.12);
  double toe_angle = 0.3;  // of a knot of the toe spline [rad]
  double weight = 0.5;     // of all of them against the data; 0: bounds alone hold the parameters
};

struct FootFitSettings {
  enum class Toe {
    kMeasured,  // the frames' own angles
    kOwn,       // a spline for every stance
    kShared,    // one for all of them, over the phase: what blind prediction needs
  };
  bool contact = true;      // false: the foot stays as it is
  bool corrections = true;  // of the foot's motion
  Toe toe = Toe::kOwn;
  int knots = 10;
  double shift_limit = 0.002;    // [m]
  double turn_limit = 0.05;      // [rad]
  double turn_limit_z = 0.3;     // downward, about z [rad]
  double correction_spread = 0;  // a prior on knots, in units of the limits; 0: none
  double cop_threshold = 50;     // N of measured force
  double cop_scale = 0.2;        // M_cop [m]
  double force_weight = 1, cop_weight = 1;
  FootPriors priors;
  int iterations = 100;
  std::function<bool()> stop;
};

// Errors as the source defines them (5.53, 5.55), shares of 1.
struct FootErrors {
  double force = 0, cop = 0;
  int cop_frames = 0;  // frames above the threshold
};

// What a fit adds to a measured stance: splines over its phase, by their knots.
struct FootCurves {
  std::vector<std::vector<double>> toe;         // [joint][knot], rad; empty: measured
  std::vector<std::vector<double>> correction;  // shift x y z [m], rotation vector x y z [rad]
};

struct FootFit {
  FootModel foot;
  std::vector<FootCurves> curves;  // of each stance
  std::vector<FootErrors> errors;
  double cost = 0;
  std::vector<double> history;
  bool converged = false;
  std::string message;
  std::vector<std::string> at_bounds;  // parameters that ended on a bound
  // Standard errors of the contact parameters over the spreads of their priors: near 1 where the
  // data say nothing, near 0 where they say all. Residuals of a stance hang together over time:
  // each kind counts as so many fewer as its autocorrelation tells.
  std::vector<double> narrowing;
  double seconds = 0;
};

// Throws InputError where a stance is too short or its parts do not fit together.
FootFit fit_foot(const FootModel& start, const std::vector<FootStance>& stances,
                 const FootFitSettings& settings);

// The foot moved as a whole under the markers: all ellipsoids and joints of the foot's segment
// lifted, pitched about x and shifted forward until they carry these stances best, toes straight.
// Where markers sit on skin is not known to a few millimetres, and a millimetre is 80 N: without
// this a template begins far from the truth.
FootModel settle(const FootModel& foot, const std::vector<FootStance>& stances,
                 const FootFitSettings& settings);

// The stance as the fit sees it: with the curves of the toe and the correction.
std::vector<FootFrame> apply_curves(const FootStance& stance, const FootCurves& curves);

// Loads of the frames with these curves.
std::vector<FootLoad> simulate_stance(const FootModel& foot, const FootStance& stance,
                                      const FootCurves& curves);
FootErrors calc_errors(const FootStance& stance, const std::vector<FootLoad>& loads,
                       const FootFitSettings& settings);

// Names of the 2 + 9 n parameters, in the order in which fits and intervals have them.
std::vector<std::string> name_foot_parameters(const FootModel& foot);

}  // namespace vesica
