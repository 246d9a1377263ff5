// The part of a foot study beyond the normal force: friction, forward dynamics, files for others.
//
//   friction  velocity-based and bristle friction fitted to the measured shear, in the inverse
//             simulation and in forward dynamics; beside them the same fit to the shear reversed in
//             time (placebo), no shear at all, and the mean curve
//   forward   the identified foot integrated through stances by two drives (foot_forward.h)
//   files     a scene that `vesica simulate` runs, the contact as YAML and CSV, an OpenSim model
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vesica/biomechanics/foot_osim.h"
#include "vesica/identification/foot_friction.h"

namespace vesica {

struct FootForwardResult {
  std::string trial, side;
  FootDriveMode drive = FootDriveMode::kHeld;
  std::string law, friction;  // fitted, or from the literature
  FootErrors errors;
  ShearErrors shear;
  double drift = 0, ledger_residual = 0, seconds = 0;
  std::string failure;
};

struct FootFrictionResult {
  std::string side;
  std::string shear;  // measured, reversed
  FrictionFit fit;
};

// Shear errors without any law, on stances that did not calibrate: none at all, and the mean curve
// of those that did.
struct ShearBaseline {
  std::string side;
  ShearErrors none, mean_curve;
};

struct FootForwardCurves {
  FootForwardResult result;
  std::vector<double> times;
  // Shear along the foot [N]; free moment [N m], empty where it was not measured.
  std::vector<double> force, force_measured, shear, shear_measured, moment, moment_measured;
};

struct FootExport {
  std::string side;
  OsimSpheres spheres;
  double unseen_force_error = 0, unseen_cop_error = 0;  // on stances that it was not fitted to
  bool has_unseen = false;
};

struct FootFile {
  std::string name, text;
};

struct FootDynamics {
  std::vector<FootFrictionResult> friction;
  std::vector<ShearBaseline> baselines;
  std::vector<FootForwardResult> forward;
  std::vector<FootForwardCurves> curves;
  std::vector<FootExport> exports;
  std::vector<FootFile> files;
  std::vector<std::string> verdicts;
};

struct FootDynamicsInput {
  struct One {
    std::string trial;
    const FootStance* stance;
  };
  std::string side;  // left, right; stances are those of a right foot in any case
  FootModel foot;
  FootCurves curves;  // the toe's, for all stances
  std::vector<One> calibrating, others;
  FootFitSettings settings;
  double mass = 0.96;         // of the foot [kg]
  bool fits_forward = false;  // friction in forward dynamics too: some hundred runs
  std::function<bool()> stop;
};

// Adds to `out`. Stances without shear get no friction; whatever fails is told there.
void run_foot_dynamics(const FootDynamicsInput& input, FootDynamics* out);

nlohmann::ordered_json make_friction_fit_json(const FrictionFit& fit);
// Keys friction, shear_baselines, forward, export.
void add_dynamics_json(const FootDynamics& dynamics, nlohmann::ordered_json* json);

// A made-up shear as walking has it (braking, then driving forward, within a friction coefficient
// of 0.2, and a little to the side), and the motion that belongs to it: the foot is shifted along
// the ground so that it does not slide but bends the bristles of make_literature_friction by what
// the shear takes. Normal forces do not change.
void add_walking_shear(const FootModel& foot, FootStance* stance);

// Bare skin on a hard floor, for what walking does not tell: a coefficient of 0.65 (Li and Wen's
// measurement, quoted in 5.3.3), v_t = 0.01 m/s as the source; bristles of 100 1/m and v_S = 0.1
// m/s, an assumption: a sole that gives way by 2 mm under the shear of walking.
FrictionLaw<double> make_literature_friction(const std::string& law);

}  // namespace vesica
