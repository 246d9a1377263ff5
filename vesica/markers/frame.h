// One frame of the identification problem: objective, constraints, exact derivatives, and its
// elimination from the block-arrow KKT system (Andersen eq. 15-17).
//
// A frame's variables move as dq = (dp, theta) per segment: p += dp, R <- exp([theta]) R, which
// keeps |q_WS| = 1 exactly. The Hessian of the Lagrangian with the multiplier of |q|^2 = 1, seen in
// that tangent space, is the second derivative along exp: for a body-fixed vector a = R u and a
// weight f, sym(a f^T) - (a.f) I. So the seventh coordinate and its constraint need no rows.
//
// A_k of eq. 14 is never formed. In a tree every segment's dq_C follows from its parent's,
//     dq_C = X dq_P + V z + E dd + e,
// which meets the joint's linearised constraints for any joint motion z; what is left is a
// quadratic form that is swept from the leaves to the root, one scalar pivot a degree of freedom.
// The pivots are those of the reduced Hessian Z^T L_qq Z, so their signs are the inertia check. The
// multipliers come with the same sweep (the adjoint of the joint equations). Eq. 17's sums are the
// D matrices, added over frames per segment, in an order that does not depend on threads.
//
// Models with loops go through the dense elimination of `dense.h` behind the same functions.
#pragma once

#include <vector>

#include "vesica/markers/model.h"

namespace vesica::markers {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

// Linear part above, angular part below. Element by element: Eigen's comma initialiser trips a
// false array-bounds warning of gcc 12 here.
inline Vec6 stack(const Vec3d& linear, const Vec3d& angular) {
  Vec6 v;
  for (int k = 0; k < 3; ++k) {
    v[k] = linear[k];
    v[3 + k] = angular[k];
  }
  return v;
}

struct SegmentPose {
  Vec3d p_WS = Vec3d::Zero();
  Quaternion<double> q_WS;
};

// What was measured in one frame: for every marker of the model its position and weight; weight 0
// where it was not seen, and the position is then not read.
struct Frame {
  const Vec3d* positions = nullptr;
  const double* weights = nullptr;
};

// Gauss-Newton leaves out all second derivatives of Psi and Phi; Newton is exact.
enum class Curvature { kGaussNewton, kNewton };

// rho'(s) and rho''(s) with G = w rho(s)/2, s = |Psi|^2.
struct LossValue {
  double rho = 0, first = 1, second = 0;
};
LossValue calc_loss(const Loss& loss, double squared_norm);

// Which parameters touch which segment's subtree; made once a model. Without parameters (eq. 4) all
// lists are empty.
class Plan {
 public:
  // `dense` takes the elimination for loops also for a tree.
  Plan(const Model& model, bool with_parameters, bool dense = false);

  struct Body {
    int segment = 0, parent = kGround;  // positions in `bodies`
    int joint = -1;
    int dof = 6;                  // of z
    std::vector<int> parameters;  // of the subtree and of the joint to the parent
    std::vector<int> in_parent;   // where each of them is in the parent's list
    std::vector<int> markers;
    std::vector<std::vector<int>> marker_slots;  // local place of each parameter of each marker
    std::vector<int> joint_parameters;           // local places of the joint's parameters
    size_t gain_offset = 0;
  };
  const Model& model() const { return *model_; }
  int parameter_count() const { return parameter_count_; }
  size_t gain_count() const { return gain_count_; }  // doubles a frame
  int dof() const { return dof_; }                   // of the spanning tree
  bool dense() const { return dense_; }
  const std::vector<Body>& bodies() const { return bodies_; }  // parents before children
  int body_of(int segment) const { return body_of_[segment]; }
  // A geometry whose vectors carry derivatives only if this plan has parameters.
  Geometry calc_geometry(const Eigen::VectorXd& d) const;

 private:
  const Model* model_;
  int parameter_count_;
  size_t gain_count_ = 0;
  int dof_ = 0;
  bool dense_ = false;
  std::vector<Body> bodies_;
  std::vector<int> body_of_;
};

// Sums over frames: objective, eq. 17, and the KKT residual of eq. 13.
struct Sums {
  explicit Sums(const Plan& plan);
  void add(const Sums& other);

  double objective = 0;
  double kkt_frames = 0;     // max |L_q|, Cartesian coordinates
  double constraint = 0;     // max |Phi|
  Eigen::VectorXd L_d;       // sum of G_d + Phi_d^T lambda
  Eigen::VectorXd L_d_size;  // the same with every term's absolute value
  std::vector<Eigen::MatrixXd>
      D;                         // per body (dense: one), upper triangle, last column the gradient
  long indefinite_frames = 0;    // where the reduced Hessian was not positive
  long undetermined_frames = 0;  // where the markers seen do not fix the pose
  // Assembled into the parameters' order: eq. 17's matrix and minus its right-hand side.
  Eigen::MatrixXd calc_schur(const Plan& plan) const;
  Eigen::VectorXd calc_gradient(const Plan& plan) const;
};

// Scratch memory of one thread.
class Workspace {
 public:
  explicit Workspace(const Plan& plan);
  struct Body {
    Mat3d R = Mat3d::Identity();
    Mat6 H = Mat6::Zero();
    Eigen::Matrix<double, 6, Eigen::Dynamic> G;  // by parameter, last column: gradient
    Vec6 adjoint = Vec6::Zero();                 // gradient of the Lagrangian
    Vec6 dq = Vec6::Zero();
  };
  std::vector<Body> bodies;
  Eigen::VectorXd row;
  std::vector<double> scratch_gains;
};

// What a frame tells about itself.
struct FrameResult {
  double objective = 0;
  double slope = 0;         // directional derivative along the step, from back_substitute
  double kkt = 0;           // max |L_q|
  double constraint = 0;    // max |Phi|
  bool indefinite = false;  // a pivot was negative and was turned around
  int undetermined = 0;     // degrees of freedom no marker fixes; they do not move
};

// Eliminates one frame: adds its part to `sums`, writes `plan.gain_count()` gains. `damping` adds
// that fraction of each pivot to itself.
FrameResult eliminate_frame(const Plan& plan, const Geometry& geometry, const Frame& frame,
                            const SegmentPose* poses, Curvature curvature, double damping,
                            Workspace& work, Sums& sums, double* gains);

// The frame's step for a given dd (eq. 16): into work.bodies[...].dq.
void back_substitute(const Plan& plan, const Geometry& geometry, const SegmentPose* poses,
                     const double* gains, const Eigen::VectorXd& dd, Workspace& work);

// poses moved by step * work.bodies[].dq, then put back onto the joints' constraints at `geometry`.
void move_poses(const Plan& plan, const Geometry& geometry, const SegmentPose* from, double step,
                const Workspace& work, SegmentPose* to);

// Puts segments back onto their joints, parents first: a revolute or universal joint by turning the
// child as little as possible, then every joint by shifting it. False if the axes cannot be
// aligned.
bool project_poses(const Plan& plan, const Geometry& geometry, SegmentPose* poses);

double calc_objective(const Plan& plan, const Geometry& geometry, const Frame& frame,
                      const SegmentPose* poses);

// Where the model's markers are.
Vec3d calc_marker(const Geometry& geometry, const Model& model, int marker,
                  const SegmentPose* poses);

SegmentPose as_segment_pose(const Pose<double>& X_WS);

SegmentPose turn_pose(const SegmentPose& pose, const Vec3d& theta, const Vec3d& dp);

}  // namespace vesica::markers
