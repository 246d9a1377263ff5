// Element types of a planar foot side by side (`vesica identify` with `type: foot2d`).
//
// For each stance that is fitted: the geometry (15 parameters), then for each type
//   seeds     objective (17) of several independent searches: what chance decides
//   placebo   the same search on forces reversed in time: where it ends as low, the fit says
//             nothing of the contact
//   unseen    the objective on stances that were not fitted, with nothing but their motion
//   copied    no model: the fitted stance's measured curves laid over those stances by phase
//   intervals at the optimum, and what one stance does not determine
// The search is ours (foot2d_fit.h), the source's (foot2d_pipeline.h), or both.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "vesica/identification/foot2d_fit.h"
#include "vesica/identification/foot2d_pipeline.h"
#include "vesica/identification/foot2d_trials.h"
#include "vesica/io/yaml.h"

namespace vesica {

struct Foot2dUnseen {
  std::string stance;
  Foot2dObjective objective;
  bool toe_converged = true;  // the fit of its toe angle
};

struct Foot2dTypeResult {
  Foot2dType type;
  Foot2dFit fit;                 // the best of all seeds
  std::vector<double> of_seeds;  // J of each
  std::string J_from;            // what ended lower than all seeds; empty: one of them did
  std::optional<Foot2dObjective> placebo;  // none where its search was cut short
  std::vector<Foot2dUnseen> unseen;
  Foot2dIntervals intervals;
  Foot2dCurves curves;
  std::optional<Foot2dPipelineResult> pipeline;
  std::vector<std::string> unconverged;  // searches that did not end by themselves, and why

  double median_unseen() const;  // NaN where there is none
};

struct Foot2dStanceResult {
  Foot2dStance stance;
  Foot2dGeometryFit geometry;
  std::vector<Foot2dTypeResult> types;
  std::vector<Foot2dUnseen> copied;
  Foot2dObjective constants;  // of each quantity at its mean: what a fit has to be better than

  double median_copied() const;
};

struct Foot2dStudy {
  std::string title;
  double weight = 0;
  std::vector<Foot2dStanceResult> stances;
  std::vector<std::string> verdicts, remarks;
  bool converged = true;
  bool interrupted = false;  // told to stop: what is here was done until then
  double seconds = 0;
};

bool is_foot2d_study(const InputFile& file);

struct Foot2dRun {
  int threads = 0;
  std::function<void(double part)> progress;
  std::function<bool()> stop;
};
// Wrong input is an InputError with file and line. Stances that cannot be fitted are left out and
// told, as long as others are left.
Foot2dStudy run_foot2d_study(const InputFile& file, const Foot2dRun& run);

// What did not converge in a stance, a sentence each.
std::vector<std::string> list_unconverged(const Foot2dStanceResult& stance);
// Fits that explain next to nothing, or one of the three quantities no better than a constant, or
// that are worse than constants on stances that were not fitted.
std::vector<std::string> list_poor_fits(const Foot2dStanceResult& stance);
// What all stances together say: of geometry, of the order of the types, of placebo and unseen
// stances, and of the parameters.
std::vector<std::string> find_foot2d_verdicts(const std::vector<Foot2dStanceResult>& stances);
// What of it speaks against the fits: unseen stances that copying foretells better, directions that
// the data leave open, parameters on a bound. Empty where nothing does.
std::vector<std::string> find_foot2d_doubts(const std::vector<Foot2dStanceResult>& stances);

nlohmann::ordered_json make_foot2d_json(const Foot2dStudy& study);
// Measured and simulated curves, a row a frame and type.
std::string make_foot2d_csv(const Foot2dStudy& study);

}  // namespace vesica
