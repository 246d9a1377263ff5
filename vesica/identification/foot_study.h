// A foot from recordings, judged honestly (`vesica identify` with `type: foot`).
//
// For each side:
//   calibration  one stance fitted as the source does: toe spline and motion correction included,
//                wide bounds, hardly any prior; with pressure where there was a mat
//   refitted     other stances, contact frozen, toe and correction fitted anew (the source's
//                validation)
//   placebo      the same calibration to the force reversed in time, and to a made-up curve with
//                three humps; the same refits to reversed forces: where these fit as well, the
//                motion does not determine the contact
//   joint        a contact fitted to all calibrating stances together without corrections, one toe
//                curve for all (or the measured toe angle): how well it fits them
//   blind        the same contact on other stances with nothing fitted; when the stance begins and
//                ends is given, by its plate
//   mean_curve   no model: the mean measured force and centre of pressure of the calibrating
//                stances over the phase
//   six_spheres  another contact, OpenSim's, fitted to the same stances in the same way; blind
//   imposed      a contact fitted to where the measured force acts, its height solved for; then
//                other stances with their force given: the centre of pressure alone is foretold
// Blind and imposed have placebos too: the same fit to forces (imposed: points of action) that are
// reversed in time, which then foretells the reversed ones of other stances.
//
// Errors are those of (5.53), (5.55) and (5.56); the centre of pressure counts where measured and
// simulated force exceed the threshold.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vesica/identification/foot_dynamics.h"
#include "vesica/identification/foot_trials.h"
#include "vesica/io/yaml.h"

namespace vesica {

struct FootResult {
  std::string trial, side;
  double begin = 0, end = 0;  // s
  double speed = 0;           // of the walk [m/s]
  // Of a placebo: reversed, three_humps; reversed, and refitted, joint, blind or imposed: theirs.
  std::string what;
  FootErrors errors;
};

// Curves of one stance for pages and tables.
struct FootCurveSet {
  FootResult result;
  std::string kind;  // calibration, blind, ...
  std::vector<double> times, measured, simulated;
  std::vector<Eigen::Vector2d> measured_cop, simulated_cop;
  FootModel foot;
  std::vector<FootFrame> frames;  // as simulated
  FootMat grid;
  std::vector<FootPressureFrame> measured_pressure, simulated_pressure;  // of the same frames
};

// One of the source's three ways to fit the same stance (Tables 5.5, 5.7, 5.9).
struct FootSourceRun {
  struct Errors {
    FootErrors normal;
    double friction = kMissing, free_moment = kMissing;  // of the largest measured (5.54)
  };
  std::string side, name;
  Errors errors;
  Errors published;               // what the source reports
  double coefficient = kMissing;  // of friction, where it was fitted; the source: 0.14
  double seconds = 0;
  FootModel foot;
};

// The farthest that the correction of a calibration moves the foot from what was measured. Limits
// are those of its knots; the curve that acts has its mean taken off.
struct FootLargestCorrection {
  std::string side;
  Vec3d shift = Vec3d::Zero(), turn = Vec3d::Zero();  // by axis [m, rad]
};

struct FootParameter {
  std::string side, name, unit;
  double value = 0, start = 0;
  // 95 %, with the prior, autocorrelation of the residuals allowed for; cut at the bounds of the fit.
  double low = 0, high = 0;
  bool identifiable = false;  // within its bounds, and the data narrow the prior to less than half
  bool at_bound = false;      // the fit ended on a bound
  double truth = kMissing;    // of synthetic stances
};

// A fit's costs: of its iterations, or of several starts.
struct FootHistory {
  std::string name;
  std::vector<double> costs;
};

// Mean errors of a kind of result over stances of like speed.
struct FootGroup {
  std::string kind, side, speed;  // same, faster, slower than the calibrating walks
  int stances = 0;
  FootErrors errors;
};

struct FootStudy {
  std::string title;
  double weight = 0;
  FloorPlane floor;
  std::vector<FootResult> calibration, refitted, joint, placebo, blind, mean_curve, six_spheres,
      imposed;
  std::vector<FootGroup> groups;
  std::vector<FootSourceRun> source_runs;
  std::vector<FootCurveSet> curves;
  std::vector<FootLargestCorrection> corrections;
  std::vector<FootParameter> parameters;  // of the blind contact
  std::vector<FootHistory> history, starts;
  FootModel left, right;  // the blind contacts; empty where the side has no stance
  double cop_threshold = 0;  // N, above which the centre of pressure counts
  FootDynamics dynamics;  // friction, forward dynamics, files
  std::vector<std::string> remarks, verdicts, undetermined;
  bool converged = true;
  bool interrupted = false;  // told to stop: what is here was done until then
  double seconds = 0;
};

// Of which results a placebo is one: calibration, refitted, joint, blind, imposed.
std::string find_placebo_kind(const FootResult& placebo);

bool is_foot_study(const InputFile& file);

// Wrong input is an InputError with file and line. `progress`: part of 1. `threads`: 0 for as many
// as there are; the results do not hang on it.
FootStudy run_foot_study(const InputFile& file, const std::function<void(double)>& progress,
                         const std::function<bool()>& stop, int threads = 0);

nlohmann::ordered_json make_foot_json(const FootStudy& study);

}  // namespace vesica
