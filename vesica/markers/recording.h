// From a motion file's markers to a Trial of a model, with the checks that catch hostile input.
#pragma once

#include "vesica/io/motion_data.h"
#include "vesica/markers/all_frames.h"
#include "vesica/motion/marker_check.h"

namespace vesica::markers {

struct MatchOptions {
  double ramp_seconds = 0.03;  // weights rise this long after a gap
  bool use_residuals = false;  // C3D: weight 1/(1 + (residual/marker_sd)^2)
};

// A name for the trial of a recording: that of its file, and another where one before has it.
std::string name_trial(const std::vector<Trial>& before, const std::string& path);

// Model markers are found by label, or by name; a prefix such as "Subject:" is ignored. Markers
// that the file lacks get weight 0 with a warning; none found, too few for a pose, or no frame with
// markers, or a position that cannot be, is an InputError. Positions that are NaN are not seen, nor
// are those exactly at the origin, unless a marker is there throughout.
Trial make_trial(const Model& model, const MotionTrial& motion, const std::string& name,
                 const MatchOptions& options, std::vector<std::string>* warnings);

// Distances between markers against the model's: a factor beyond 5 either way is a wrong unit.
// Throws InputError.
void check_scale(const Model& model, const Trial& trial);

// Whether left and right are exchanged: pairs of markers that the two sides share are exchanged on
// a few frames, and the frames fit far better that way. Throws InputError.
void check_sides(const Model& model, const Trial& trial, int threads = 1);

// Of each trial.
using TrialFaults = std::vector<std::vector<MarkerFault>>;

// Markers that carry each other's labels over some frames, as the model sees it: frames far worse
// than usual are solved again with every pair exchanged, some 60 such searches in all. What the
// tracks themselves tell (motion/marker_check.h: swaps, flips and exchanged sides, also those that
// last too long to be unusual) comes along where the model does not say the same.
TrialFaults find_exchanged_markers(const AllFrames& frames, const std::vector<Trial>& trials,
                                   const Eigen::VectorXd& d);

// A marker far from where the fit expects it, for a while: more than 3 cm and six times its own
// median error. Of a frame only the worst is named, as it drags the others along.
TrialFaults find_strays(const AllFrames& frames, const std::vector<Trial>& trials,
                        const Eigen::VectorXd& d);

// Stretches of frames in which markers do not fix all degrees of freedom.
struct UndeterminedFrames {
  int trial = 0, first_frame = 0, last_frame = 0, undetermined = 0;
};
std::vector<UndeterminedFrames> find_undetermined_frames(AllFrames& frames,
                                                         const std::vector<Trial>& trials,
                                                         const Eigen::VectorXd& d);

struct MarkerError {
  double mean = 0, sd = 0, rms = 0, max = 0;  // m, of |Psi| where seen
  long seen = 0, missing = 0;
};
struct MarkerErrors {
  std::vector<MarkerError> markers;
  MarkerError all;
  std::vector<double> frame_mean;  // m, over the markers seen; NaN where none
};
MarkerErrors calc_marker_errors(const AllFrames& frames, const Eigen::VectorXd& d);

}  // namespace vesica::markers
