#include <algorithm>
#include <cmath>

#include "vesica/markers/all_frames.h"

namespace vesica::markers {

FrameSolver::FrameSolver(const Model& model, const Eigen::VectorXd& d)
    : plan_(model, false),
      geometry_(plan_.calc_geometry(d)),
      work_(plan_),
      sums_(plan_),
      trial_(model.segments.size()) {}

void FrameSolver::set_parameters(const Eigen::VectorXd& d) { geometry_ = plan_.calc_geometry(d); }

bool FrameSolver::project(SegmentPose* poses) const {
  return project_poses(plan_, geometry_, poses);
}

FrameSolve FrameSolver::solve(const Frame& frame, SegmentPose* poses, int max_iterations,
                              double accuracy) {
  static const Eigen::VectorXd no_parameters;
  FrameSolve out;
  Curvature curvature = Curvature::kGaussNewton;
  double damping = 0;
  double* gains = work_.scratch_gains.data();
  double size = 0;  // of the data, for the stopping test
  for (size_t m = 0; m < plan_.model().markers.size(); ++m) {
    if (frame.weights[m] > 0) size += frame.weights[m];
  }
  for (out.iterations = 0; out.iterations < max_iterations; ++out.iterations) {
    for (auto& D : sums_.D) D.setZero();
    const FrameResult at =
        eliminate_frame(plan_, geometry_, frame, poses, curvature, damping, work_, sums_, gains);
    out.objective = at.objective;
    out.kkt = at.kkt;
    out.undetermined = at.undetermined;
    out.indefinite = at.indefinite;
    // The gradient of a frame with weights of 1 is known to about 1e-16 m times their number.
    if (at.kkt <= 1e-15 * size) break;
    double slope = 0;
    for (const auto& D : sums_.D) slope += D(0, 0);
    back_substitute(plan_, geometry_, poses, gains, no_parameters, work_);
    double largest = 0;
    for (const auto& body : work_.bodies) largest = std::max(largest, body.dq.tail<3>().norm());
    // A step of more than a radian leaves the region where its model means anything.
    double step = largest > 1 ? 1 / largest : 1;
    bool moved = false;
    for (int halving = 0; halving < 8; ++halving, step *= 0.5) {
      move_poses(plan_, geometry_, poses, step, work_, trial_.data());
      const double objective = calc_objective(plan_, geometry_, frame, trial_.data());
      // Differences below 1e-14 of the objective are round-off.
      if (objective <= at.objective + 1e-4 * step * slope + 1e-14 * at.objective) {
        std::copy(trial_.begin(), trial_.end(), poses);
        moved = true;
        break;
      }
    }
    if (!moved) {
      if (-slope <= 1e-13 * at.objective || damping > 1e6) break;
      damping = std::max(10 * damping, 1e-3);
      curvature = Curvature::kGaussNewton;
      continue;
    }
    damping = damping > 1e-6 ? 0.1 * damping : 0;
    if (largest < 0.1) curvature = Curvature::kNewton;
    if (largest < accuracy && (curvature == Curvature::kNewton || accuracy > 1e-10)) break;
  }
  return out;
}

}  // namespace vesica::markers
