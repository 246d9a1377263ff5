// Where to begin without a first guess: poses from the markers themselves, d from a few frames.
#pragma once

#include <atomic>

#include "vesica/markers/all_frames.h"
#include "vesica/motion/rigid_fit.h"

namespace vesica::markers {

// The pose of one segment from the markers that a frame shows of it, whatever their weights.
RigidFit fit_segment(const Model& model, const Geometry& geometry, const Frame& frame, int segment);

// Eq. 4 from nothing: several starts, the best result. Segments with three or more markers start at
// their own least-squares pose, others follow their neighbours; further starts turn joints.
// `accuracy` as of FrameSolver::solve.
FrameSolve solve_frame_from_scratch(FrameSolver& solver, const Frame& frame, SegmentPose* poses,
                                    double accuracy = 1e-13);

// All frames at d: each from the one before it, the first of every stretch from scratch, and frames
// that fit far worse than their neighbours tried again from both sides and from scratch.
// `accuracy` as of FrameSolver::solve.
void solve_frames(AllFrames& frames, const Eigen::VectorXd& d, double accuracy = 1e-13);

// Frames that fit far worse than the median frame are tried from the frames beside them, forwards
// then backwards. Returns how many found a better fit.
long improve_outliers(AllFrames& frames, const Eigen::VectorXd& d);

// Leaves saddle points: frames whose exact reduced Hessian is indefinite are turned segment by
// segment and solved again; kept where the objective falls. Returns how many frames moved.
long leave_saddles(AllFrames& frames, const Eigen::VectorXd& d);

// d to begin eq. 11 with: the model's start values, improved on `start_frames` frames spread over
// all trials under weak priors (5 cm, 0.3 rad, 30 %). Other values are tried, half a prior's width
// away at random, until the best minimum has been reached twice without segments that are turned
// around, eight times at most.
struct Start {
  Eigen::VectorXd d;
  int iterations = 0;  // of all values that were tried, those that were discarded too
  int attempts = 0;    // how many values were tried
  int reached = 0;     // how many of them led to the best minimum
  double kkt = 0;      // residual of eq. 13 at the model's start values, scaled up to all frames
};
// `stop` ends it with what there is.
Start find_start(const AllFrames& frames, int start_frames,
                 const std::atomic<bool>* stop = nullptr);

}  // namespace vesica::markers
