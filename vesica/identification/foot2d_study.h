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
};

struct Foot2dTypeResult {
  Foot2dType type;
  Foot2dFit fit;                 // the best of all seeds
  std::vector<double> of_seeds;  // J of each
  Foot2dObjective placebo;
  std::vector<Foot2dUnseen> unseen;
  Foot2dIntervals intervals;
  Foot2dCurves curves;
  std::optional<Foot2dPipelineResult> pipeline;

  double median_unseen() const;  // NaN where there is none
};

struct Foot2dStanceResult {
  Foot2dStance stance;
  Foot2dGeometryFit geometry;
  std::vector<Foot2dTypeResult> types;
  std::vector<Foot2dUnseen> copied;

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
// Wrong input is an InputError with file and line.
Foot2dStudy run_foot2d_study(const InputFile& file, const Foot2dRun& run);

nlohmann::ordered_json make_foot2d_json(const Foot2dStudy& study);
// Measured and simulated curves, a row a frame and type.
std::string make_foot2d_csv(const Foot2dStudy& study);

}  // namespace vesica
