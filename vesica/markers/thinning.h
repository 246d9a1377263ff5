// Constants from every N-th frame, poses of all frames, and what that costs.
//
// The loss is not sqrt(N): where noise is slower than N frames, neighbours repeat each other and
// leaving them out loses little. It is taken from the frames themselves: the information and the
// scores of all frames at the constants found, without fitting to them, give the intervals that a
// fit to all would have.
#pragma once

#include <string>

#include "vesica/markers/confidence.h"

namespace vesica::markers {

struct Thinning {
  int every = 1;
  int frames_fitted = 0, frames = 0;
  // Of every parameter: its interval over the one that all frames would give; NaN where either is
  // infinite.
  Eigen::VectorXd usual, robust;
};

// Throws InputError where only one frame of a trial with several would be left.
void check_thinning(const std::vector<Trial>& trials, int every);
// Every `every`-th frame of each trial.
std::vector<Trial> thin_trials(const std::vector<Trial>& trials, int every);

// Takes the constants of `thin` for all frames of `trials`: poses are solved, the constants stay.
// The summary remains that of the fit to the thinned frames.
Identification spread_over_frames(const Identification& thin, const std::vector<Trial>& trials,
                                  const Options& options);

// Compares the intervals of the thinned fit with those that all frames would give. Robust intervals
// of the thinned frames that come out narrower are raised to those: frames that are far apart show
// less of the noise's correlation than there is (a walk of 3 s, every tenth frame: 0.53 of those of
// all frames, median), and some of the frames know no more than all of them.
Thinning calc_thinning(int every, const Identification& thin, Confidence& of_thin,
                       Identification& all, const std::vector<Trial>& trials);

std::string make_thinning_text(const Thinning& thinning);

}  // namespace vesica::markers
