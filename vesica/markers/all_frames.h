// All frames of all trials as one problem: eq. 11's objective, eq. 17's sums, steps by eq. 16.
#pragma once

#include <memory>
#include <vector>

#include "vesica/markers/trial.h"

namespace vesica::markers {

// What eq. 17 needs from all frames, and the KKT residual of eq. 13. Priors are not in here.
struct Evaluation {
  double objective = 0;
  Eigen::MatrixXd schur;     // of eq. 17
  Eigen::VectorXd gradient;  // of eq. 17: L_d after the frames have answered
  Eigen::VectorXd L_d;       // of eq. 13
  double L_d_size = 0;       // largest sum of absolute terms in L_d: its round-off scale
  double kkt_frames = 0;     // max |L_q|
  double constraint = 0;     // max |Phi|
  double frame_slope = 0;    // slope of the objective along the frames' own part of the step
  long indefinite_frames = 0;
  long undetermined_frames = 0;
};

class AllFrames {
 public:
  // The trials must outlive this. Poses start at identity.
  AllFrames(const Model& model, const std::vector<Trial>& trials, int threads);
  ~AllFrames();
  AllFrames(AllFrames&&) noexcept;

  int frame_count() const;
  const Model& model() const;
  Frame frame(int k) const;
  SegmentPose* poses(int k);
  const SegmentPose* poses(int k) const;
  int threads() const;
  bool begins_trial(int k) const;  // or the frame before belongs to the same recording

  // Puts every frame's poses onto the constraints at d.
  void project(const Eigen::VectorXd& d);
  double calc_objective(const Eigen::VectorXd& d) const;
  // Eliminates all frames at d and keeps the gains for try_step.
  Evaluation evaluate(const Eigen::VectorXd& d, Curvature curvature, double damping);
  // The objective at d + step dd with every frame's step; the trial poses are kept aside.
  double try_step(const Eigen::VectorXd& d, const Eigen::VectorXd& dd, double step);
  void accept_step();
  // G_d + Phi_d^T lambda of every frame: the scores. frames x parameters.
  Eigen::MatrixXd calc_scores(const Eigen::VectorXd& d);
  // Eq. 17's matrix (Gauss-Newton) of stretches of frames, each from the end of the one before to
  // `ends[k]`, exclusive.
  std::vector<Eigen::MatrixXd> calc_information(const Eigen::VectorXd& d,
                                                const std::vector<int>& ends);
  // Which frames have dofs that no marker fixes, and which have an indefinite reduced Hessian.
  std::vector<FrameResult> inspect(const Eigen::VectorXd& d, Curvature curvature);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Eq. 4 for one frame: poses in and out, on the constraints. Levenberg-Marquardt with Gauss-Newton
// curvature until close, then Newton.
struct FrameSolve {
  double objective = 0;
  double kkt = 0;
  int iterations = 0;
  int undetermined = 0;
  bool indefinite = false;
};
class FrameSolver {
 public:
  // Trees only; frames with loops go through DenseFrameSolver.
  FrameSolver(const Model& model, const Eigen::VectorXd& d);
  void set_parameters(const Eigen::VectorXd& d);
  // `accuracy`: rad, of the last step; poses that are only to be told apart need less.
  FrameSolve solve(const Frame& frame, SegmentPose* poses, int max_iterations = 50,
                   double accuracy = 1e-13);
  bool project(SegmentPose* poses) const;
  const Geometry& geometry() const { return geometry_; }
  const Plan& plan() const { return plan_; }

 private:
  Plan plan_;
  Geometry geometry_;
  Workspace work_;
  Sums sums_;
  std::vector<SegmentPose> trial_;
};

}  // namespace vesica::markers
