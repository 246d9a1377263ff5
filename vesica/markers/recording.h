// From a motion file's markers to a Trial of a model, with the checks that catch hostile input.
#pragma once

#include "vesica/io/motion_data.h"
#include "vesica/markers/all_frames.h"

namespace vesica::markers {

struct MatchOptions {
  double ramp_seconds = 0.03;  // weights rise this long after a gap
  bool use_residuals = false;  // C3D: weight 1/(1 + (residual/marker_sd)^2)
};

// Model markers are found by label, or by name; a prefix such as "Subject:" is ignored. Markers
// that the file lacks get weight 0 with a warning; none found, too few for a pose, or no frame with
// markers, or a position that cannot be, is an InputError. Positions that are NaN are not seen, nor
// are those exactly at the origin, unless a marker is there throughout.
Trial make_trial(const Model& model, const MotionTrial& motion, const std::string& name,
                 const MatchOptions& options, std::vector<std::string>* warnings);

// Distances between markers against the model's: a factor beyond 5 either way is a wrong unit.
// Throws InputError.
void check_scale(const Model& model, const Trial& trial);

// Whether left and right are exchanged: pairs of markers whose names differ by an l and an r are
// exchanged on a few frames, and the frames fit far better that way. Throws InputError.
void check_sides(const Model& model, const Trial& trial);

// Two markers that fit each other's places over some frames: frames far worse than usual are solved
// again with every pair exchanged; 60 such searches at most.
struct Swap {
  int a = 0, b = 0;  // markers
  int trial = 0, first_frame = 0, last_frame = 0;
};
std::vector<Swap> find_swaps(const AllFrames& frames, const std::vector<Trial>& trials,
                             const Eigen::VectorXd& d);

// A marker far from where the fit expects it, for a while: more than 3 cm and six times its own
// median error. Of a frame only the worst is named, as it drags the others along.
struct Stray {
  int marker = 0, trial = 0, first_frame = 0, last_frame = 0;
  double error = 0;  // m, largest
};
std::vector<Stray> find_strays(const AllFrames& frames, const std::vector<Trial>& trials,
                               const Eigen::VectorXd& d);

// Stretches of frames in which markers do not fix all degrees of freedom.
struct Gap {
  int trial = 0, first_frame = 0, last_frame = 0, undetermined = 0;
};
std::vector<Gap> find_undetermined_frames(AllFrames& frames, const std::vector<Trial>& trials,
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
