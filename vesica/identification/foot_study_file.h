// What a study of a foot says. Internal to identification/.
#pragma once

#include <algorithm>
#include <optional>

#include "vesica/identification/foot_study.h"

namespace vesica::foot_detail {

struct FootPlan {
  FootTrials trials;
  std::vector<std::string> calibrate;
  FootFitSettings source;  // one stance, as the source does
  FootFitSettings joint;   // several stances, blind
  FootStarts starts;
  bool spheres = true;
  bool anchor = true;  // heights from the motion, for what is blind (foot_anchor.h)
  FootModel start_left, start_right;
  // What synthetic stances were made with: markers and joints are where the starts have them.
  std::optional<FootModel> truth;
  int threads = 0;  // 0: as many as there are
  bool dynamics = true, fits_forward = false;  // foot_dynamics.h

  std::string place;  // of `calibrate` in the file, for messages

  bool calibrates(const FootTrials::Entry& e) const {
    return std::find(calibrate.begin(), calibrate.end(), e.trial) != calibrate.end();
  }
};

FootPlan read_foot_plan(const InputFile& file);
// `who` has standing, walks, calibrate, weight and so on, `how` has fit and dynamics.
FootPlan read_foot_plan(const InputFile& file, const InputNode& who, const InputNode& how);

// What follows from a plan.
FootStudy run_foot_plan(const FootPlan& plan, const std::function<void(double)>& progress,
                        const std::function<bool()>& stop);

}  // namespace vesica::foot_detail
