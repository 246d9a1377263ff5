// Contact parameters of a foot from stances whose motion and ground force were measured (Brown,
// section 5.3.2).
//
// What is found: stiffness, damping, and size, place and turn of every ellipsoid (the 29 numbers of
// Table 5.1 without friction); per stance the toe angle where it was not measured, and, where asked
// for, a correction of the foot's motion, both cubic splines over the stance's phase.
//
// The cost is that of (5.52) for normal force, centre of pressure and pressure, each over its scale
// (Table 5.3), plus priors: a parameter p with start p0 and spread s adds prior_weight ((p -
// p0)/s)^2 over the number of frames. Where the simulated foot carries little, its centre of
// pressure means little: the difference enters as (N x - N x_measured)/(N + 20 N).
//
// Imposed force: the measured force is given and the foot's height solved for in every frame; what
// is fitted is where the force acts, and the pressure. Geometry is found without the 80 N that a
// millimetre of height is worth.
//
// A constant correction and a shift of all ellipsoids are the same thing, so corrections have zero
// mean over the stance. What the corrections can do is much: docs/theory/foot.md.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "vesica/biomechanics/foot_pressure.h"

namespace vesica {

// A picture of a pressure mat.
struct FootPressureFrame {
  size_t frame = 0;              // of the stance
  std::vector<double> pressure;  // [Pa], a value for every cell of the stance's grid
};

// A stance: motion and what the plate measured, frame by frame. The ground is z = 0.
struct FootStance {
  std::string name;
  std::vector<FootFrame> frames;     // at even steps of time; angles as measured, or zero
  std::vector<double> force;         // normal [N]
  std::vector<Eigen::Vector2d> cop;  // [m]; NaN where it is not known
  double weight = 0;                 // of the body [N]
  // Of the ground on the foot, along the plane [N]; empty: not measured.
  std::vector<Eigen::Vector2d> shear = {};
  // Of the ground on the foot, about the vertical through the centre of pressure [N m]; NaN where
  // it is not known; empty: not measured.
  std::vector<double> free_moment = {};
  FootMat grid;
  std::vector<FootPressureFrame> pressure;  // in the order of time; empty: there was no mat
  int plate = -1;                           // under it, as the recording counts; -1: unknown

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
  double plate = 0.004;    // of a plate's offset along the floor [m]
  double height = 0.001;   // of its height above the floor [m]
  double weight = 0.5;     // of all of them against the data; 0: bounds alone hold the parameters,
                           // and what the data do not say lies anywhere between them
};

struct FootFitSettings {
  enum class Toe {
    kMeasured,  // the frames' own angles
    kOwn,       // a spline for every stance
    kShared,    // one for all of them, over the phase: what blind prediction needs
    kPitch,     // one for all of them, over the pitch of the foot: as the heel rises
  };
  enum class Pressure {
    kCells,  // a residual for every cell: smooth, and equal to the source's where all cells that
             // are loaded err alike
    kSums,   // (5.52): the sum of the sizes over the cells, one residual a picture, with kinks
  };
  bool contact = true;         // false: the foot stays as it is
  bool corrections = true;     // of the foot's motion
  bool imposed = false;        // the measured force is given, see above
  bool plate_offsets = false;  // of each plate: its height, and of its centre of pressure
  Toe toe = Toe::kOwn;
  int knots = 10;
  // Of the correction's knots, as the source has them. The curve that acts has its mean taken off
  // and may go beyond them by that mean.
  double shift_limit = 0.002;    // [m]
  double turn_limit = 0.05;      // [rad]
  double turn_limit_z = 0.3;     // downward, about z [rad]
  double correction_spread = 0;  // a prior on knots, in units of the limits; 0: none
  double cop_threshold = 50;     // N of measured force
  double cop_scale = 0.2;        // M_cop [m]
  double force_weight = 1, cop_weight = 1;
  double pressure_weight = 0;  // the source: 0.1; 0: pressure is left out
  Pressure pressure = Pressure::kCells;
  int pressure_frames = 15;  // pictures that count, evenly over the stance
  FootPriors priors;
  int iterations = 100;
  double tolerance = 1e-6;  // relative change of the cost at which it ends
  std::function<bool()> stop;
};

// Errors as the source defines them (5.53, 5.55, 5.56), shares of 1.
struct FootErrors {
  double force = 0, cop = 0;
  double pressure = std::numeric_limits<double>::quiet_NaN();  // NaN: there was no mat
  int cop_frames = 0;                                          // frames above the threshold
};

// What a fit adds to a measured stance: splines over its phase, by their knots.
struct FootCurves {
  std::vector<std::vector<double>> toe;         // [joint][knot], rad; empty: measured
  std::vector<std::vector<double>> correction;  // shift x y z [m], rotation vector x y z [rad]
  bool toe_over_pitch = false;                  // not over the phase
};

// Two parameters that the data can hardly tell apart.
struct FootCorrelation {
  std::string first, second;
  double value = 0;
};

// By FootStance::plate: what a plate adds to the centre of pressure, and its height above the
// floor. What all plates share is a shift of the foot and not theirs: a plate that no stance has
// stood on is given their mean.
struct FootPlates {
  std::vector<Vec3d> offsets;  // empty: none were fitted
  Vec3d mean = Vec3d::Zero();

  Vec3d offset_of(const FootStance& stance) const {
    const auto k = static_cast<size_t>(stance.plate);
    return stance.plate >= 0 && k < offsets.size() ? offsets[k] : mean;
  }
};

// A contact parameter and its 95 % interval: value +- 1.96 standard errors in the variable that is
// fitted (the logarithm of stiffness and damping), cut at its bounds.
struct FootInterval {
  double value = 0, low = 0, high = 0;
  bool at_bound = false;  // the fit ended on one: the interval says how far it may be from there
};

struct FootFit {
  FootModel foot;
  std::vector<FootCurves> curves;  // of each stance
  std::vector<FootErrors> errors;
  FootPlates plates;
  double cost = 0;
  std::vector<double> history;
  bool converged = false;
  std::string message;
  std::vector<FootInterval> intervals;  // of the contact's parameters, in the order of their names
  // Standard errors of the contact parameters over the spreads of their priors: near 1 where the
  // data say nothing, near 0 where they say all (foot_intervals.h).
  std::vector<double> narrowing;
  std::vector<FootCorrelation> correlations;  // beyond 0.9 in size, strongest first
  double seconds = 0;
};

// Throws InputError where a stance is too short or its parts do not fit together.
FootFit fit_foot(const FootModel& start, const std::vector<FootStance>& stances,
                 const FootFitSettings& settings);

// The same from several places: the first start is `start`, the others have every contact number
// moved by up to `spread` spreads of its prior, by a random number of its own. Priors stay where
// they are. The best, and what each start came to.
struct FootStarts {
  int count = 1;
  double spread = 1;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: as many as there are
};
struct FootFits {
  FootFit best;
  std::vector<double> costs;  // of each start
};
FootFits fit_foot(const FootModel& start, const std::vector<FootStance>& stances,
                  const FootFitSettings& settings, const FootStarts& starts);

// The foot moved as a whole under the markers: all ellipsoids and joints of the foot's segment
// lifted, pitched about x and shifted forward until they carry these stances best, toes straight.
// Where markers sit on skin is not known to a few millimetres, and a millimetre is 80 N: without
// this a template begins far from the truth. Where they do sit where the foot says, nothing is to be
// moved. `at_limit`: it ended 30 mm or 0.3 rad from where it began.
FootModel settle(const FootModel& foot, const std::vector<FootStance>& stances,
                 const FootFitSettings& settings, bool* at_limit = nullptr);

// The stance as the fit sees it: with the curves of the toe and the correction.
std::vector<FootFrame> apply_curves(const FootStance& stance, const FootCurves& curves);
// These frames at rest, each at the height at which the foot carries the measured force; frames
// without force stay as they are.
std::vector<FootFrame> impose_force(const FootModel& foot, const FootStance& stance,
                                    std::vector<FootFrame> frames);

std::vector<FootLoad> calc_loads(const FootModel& foot, const std::vector<FootFrame>& frames);
// Loads of the frames with these curves.
std::vector<FootLoad> simulate_stance(const FootModel& foot, const FootStance& stance,
                                      const FootCurves& curves);

// Which of the stance's pictures count: evenly over those with a force above the threshold.
std::vector<size_t> choose_pictures(const FootStance& stance, const FootFitSettings& settings);

// Without pressure, which hangs on more than loads.
FootErrors calc_errors(const FootStance& stance, const std::vector<FootLoad>& loads,
                       const FootFitSettings& settings);
// Of `frames` of the stance, pressure included.
FootErrors calc_errors(const FootModel& foot, const FootStance& stance,
                       const std::vector<FootFrame>& frames, const FootFitSettings& settings);

// The stance with its plate's offset taken off.
FootStance without_offset(FootStance stance, const FootPlates& plates);

// Names of the 2 + 9 n parameters, in the order in which fits and intervals have them.
std::vector<std::string> name_foot_parameters(const FootModel& foot);
std::vector<double> list_foot_parameters(const FootModel& foot);

}  // namespace vesica
