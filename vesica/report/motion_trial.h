// What is known of one recording of motion: the files it came from, what was done, what it shows.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/motion/functional_joint.h"
#include "vesica/motion/trial_analysis.h"
#include "vesica/motion/trial_edit.h"

namespace vesica {

struct JointFit {
  std::string name;  // as given: proximal:distal
  std::optional<JointCenter> sphere, point;
  std::optional<JointAxis> axis;
};

struct TrialView {
  std::string stem;  // name for the files that are written
  std::vector<std::string> files;
  MotionTrial trial;               // after all edits
  TrialAnalysis analysis;          // of the edited trial
  std::vector<std::string> edits;  // plain sentences: what was done to it
  std::vector<FilledMarker> filled;
  std::vector<JointFit> joints;
  std::vector<std::string> written;
};

// Body weight [N] over all whole strides; NaN where there is none.
double mean_weight(const TrialAnalysis& analysis);

// Everything as JSON (docs/howto/motion.md lists the keys).
nlohmann::ordered_json as_json(const TrialView& view);

// A self-contained page: no network, no library; opens in any browser.
std::string make_motion_page(const TrialView& view);

}  // namespace vesica
