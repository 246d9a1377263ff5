// A foot from recordings, judged honestly (`vesica identify` with `type: foot`).
//
// For each side:
//   calibration  one stance fitted as the source does, toe spline and motion correction included
//   refitted     other stances, contact frozen, toe and correction fitted anew (the source's
//                validation)
//   placebo      the same calibration to the force reversed in time, and to a made-up curve with
//                three humps: where these fit as well, the motion does not determine the contact
//   blind        a contact fitted to all calibrating stances together without corrections, one toe
//                curve for all; then other stances with nothing fitted
//   mean_curve   no model: the mean measured force and centre of pressure of the calibrating
//                stances over the phase
//   imposed      the blind contact with the measured force given and the height solved for: the
//                centre of pressure alone is foretold
//
// Errors are those of (5.53) and (5.55); the centre of pressure counts where measured and simulated
// force exceed the threshold.
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
  std::string what;           // of a placebo: reversed, three_humps
  FootErrors errors;
};

// Curves of one stance for pages and tables.
struct FootCurveSet {
  FootResult result;
  std::string kind;  // calibration, blind, ...
  std::vector<double> times, measured, simulated;
  std::vector<Eigen::Vector2d> measured_cop, simulated_cop;
};

struct FootParameter {
  std::string side, name, unit;
  double value = 0, start = 0;
  double standard_error = 0;  // with the prior; autocorrelation of the residuals allowed for
  bool identifiable = false;  // the data narrow the prior to less than half
};

struct FootStudy {
  std::string title;
  double weight = 0;
  FloorPlane floor;
  std::vector<FootResult> calibration, refitted, placebo, blind, mean_curve, imposed;
  std::vector<FootCurveSet> curves;
  std::vector<FootParameter> parameters;  // of the blind contact
  FootModel left, right;                  // the blind contacts; empty where the side has no stance
  FootDynamics dynamics;                  // friction, forward dynamics, files
  std::vector<std::string> remarks, verdicts;
  bool converged = true;
  double seconds = 0;
};

bool is_foot_study(const InputFile& file);

// Wrong input is an InputError with file and line. `progress`: part of 1, and what is done.
FootStudy run_foot_study(const InputFile& file,
                         const std::function<void(double, const std::string&)>& progress,
                         const std::function<bool()>& stop);

nlohmann::ordered_json make_foot_json(const FootStudy& study);

}  // namespace vesica
