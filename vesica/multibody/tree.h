// A tree of bodies: the model, its layout, and the kinematics of all bodies.
//
// Bodies stand in an order in which every parent comes before its children. Coordinates q and
// speeds u follow that order; driven joints and given bodies have none. Body origins are mass
// centres. Everything is expressed in world axes.
#pragma once

#include <vector>

#include "vesica/multibody/bodies.h"
#include "vesica/multibody/joint_kinematics.h"

namespace vesica {

template <class P>
struct TreeBody {
  Joint<P> joint;
  FreeBody<P> inertia;
  Pose<P> X_MB;        // inverse of the joint's X_BM
  int q_start = 0;     // in q
  int u_start = 0;     // in u
  int nq = 0, nu = 0;  // states: 0 where driven
  bool has_children = false;
  bool is_lone = false;         // moves freely and carries nothing: solved by itself
  bool on_moving_base = false;  // its parent is given
  // What a joint without it does not compute, which counts on dual numbers.
  bool is_off_joint = false;  // the mass centre lies off the origin of M
  bool slides = false;        // a speed of the joint is one of translation
};

template <class P>
class Tree {
 public:
  // Adds a body whose parent has been added before (InputError otherwise); returns its index.
  int add_body(const FreeBody<P>& inertia, const Joint<P>& joint);
  // A body whose motion is given.
  int add_given_body();

  const std::vector<TreeBody<P>>& bodies() const { return bodies_; }
  const TreeBody<P>& body(int b) const { return bodies_[static_cast<size_t>(b)]; }
  int size() const { return static_cast<int>(bodies_.size()); }
  int nq() const { return nq_; }
  int nu() const { return nu_; }
  // Some body is not lone: the passes over the tree are needed.
  bool has_joints() const { return has_joints_; }

 private:
  void refresh_flags();

  std::vector<TreeBody<P>> bodies_;
  int nq_ = 0, nu_ = 0;
  bool has_joints_ = false;
};

extern template class Tree<double>;
extern template class Tree<Dual<4>>;
extern template class Tree<Dual<12>>;

// What an evaluation writes, per body; allocated once.
template <class T>
struct TreeData {
  explicit TreeData(int bodies = 0) {
    const auto n = static_cast<size_t>(bodies);
    motions.resize(n);
    H.resize(n);
    r.resize(n);
    bias.resize(n);
    has_bias.assign(n, 1);
    given_acceleration.assign(n, SpatialMotion<T>::zero());
    drive_torque.assign(n, {T(0), T(0), T(0), T(0), T(0), T(0)});
    acceleration.assign(n, SpatialMotion<T>::zero());
    inertia.resize(n);
    force.resize(n);
    U.resize(n);
    L.resize(n);
    rest.resize(n);
  }

  // What the time carries of derivatives: zero in value, and but around an event that moves with
  // the parameters. All that is given over time moves with it.
  T time_shift{0.0};

  // Kinematics.
  std::vector<Motion<T>> motions;
  std::vector<std::array<SpatialMotion<T>, kMaxSpeeds>> H;  // columns at the body origin
  std::vector<Vec3<T>> r;                                   // from the parent's origin
  std::vector<SpatialMotion<T>> bias;                       // acceleration where u' = 0
  std::vector<char> has_bias;                               // 0: it is zero, and not written
  std::vector<SpatialMotion<T>> given_acceleration;         // of given bodies, set by the caller

  // Dynamics.
  std::vector<SpatialMotion<T>> acceleration;
  std::vector<SpatialInertia<T>> inertia;  // articulated
  std::vector<SpatialForce<T>> force;      // bias of the articulated part; then through the joint
  std::vector<std::array<SpatialForce<T>, kMaxSpeeds>> U;  // inertia times H
  std::vector<std::array<T, kMaxSpeeds * kMaxSpeeds>> L;   // factor of H^T inertia H
  std::vector<std::array<T, kMaxSpeeds>> rest;             // generalised force left at the joint
  std::vector<std::array<T, kMaxSpeeds>> drive_torque;     // of driven joints, after the solve
  JointMotion<T> joint;                                    // scratch
};

template <class T, class P>
TreeData<T> make_tree_data(const Tree<P>& tree) {
  return TreeData<T>(tree.size());
}

// Poses and velocities of all bodies but the given ones, whose data->motions (and
// given_acceleration, for dynamics) the caller has set.
template <class P, class T>
void calc_tree_motions(const Tree<P>& tree, double t, const T* q, const T* u, TreeData<T>* data);

// q' from q and u.
template <class P, class T>
void calc_tree_coordinate_rates(const Tree<P>& tree, const T* q, const T* u, T* rates) {
  for (const auto& body : tree.bodies()) {
    if (body.nq == 0) continue;
    calc_coordinate_rates(body.joint.type, q + body.q_start, u + body.u_start,
                          rates + body.q_start);
  }
}

namespace detail {

// The velocity of M against F, and how the mass centre lies from M: both in world axes.
template <class T>
struct JointVelocity {
  SpatialMotion<T> V_M;
  Vec3<T> r_MB;
};

// Pose and columns of the body, with data->joint filled, from where the joint's frame F is. That of
// a joint on the world carries no derivatives by the state: F is the scalar of the scene there.
template <class P, class F, class T>
JointVelocity<T> place_body(const TreeBody<P>& body, size_t b, const Mat3<F>& R_WF,
                            const Vec3<F>& p_WF, const T* u, TreeData<T>* data) {
  const JointMotion<T>& joint = data->joint;
  Pose<T>& X_WB = data->motions[b].X_WB;
  const Mat3<T> R_WM = R_WF * joint.X_FM.R_WB;
  JointVelocity<T> velocity = {SpatialMotion<T>::zero(), Vec3<T>(T(0), T(0), T(0))};
  auto& [V_M, r_MB] = velocity;
  X_WB.R_WB = R_WM * body.X_MB.R_WB;
  X_WB.p_WB = p_WF.template cast<T>();
  if (body.slides) X_WB.p_WB += R_WF * joint.X_FM.p_WB;
  if (body.is_off_joint) {
    r_MB = R_WM * body.X_MB.p_WB;
    X_WB.p_WB += r_MB;
  }
  // A column turns or slides, never both (joint_table.h): the other half of it is zero.
  for (int k = 0; k < speed_count(body.joint.type); ++k) {
    SpatialMotion<T>& H = data->H[b][k];
    H = SpatialMotion<T>::zero();
    if (speed_is_angular(body.joint.type, k)) {
      H.w = R_WF * joint.H[k].w;
      if (body.is_off_joint) H.v = H.w.cross(r_MB);
      V_M.w += H.w * u[k];
    } else {
      H.v = R_WF * joint.H[k].v;
      V_M.v += H.v * u[k];
    }
  }
  data->has_bias[b] = joint.has_bias || body.is_off_joint || body.joint.parent >= 0;
  if (data->has_bias[b]) data->bias[b] = SpatialMotion<T>::zero();
  if (joint.has_bias) {
    SpatialMotion<T>& bias = data->bias[b];
    bias = {R_WF * joint.bias.w, R_WF * joint.bias.v};
    if (body.is_off_joint) bias.v += bias.w.cross(r_MB);
  }
  return velocity;
}

template <class P, class T>
void calc_body_motion(const TreeBody<P>& body, size_t b, const T* q, const T* u,
                      TreeData<T>* data) {
  calc_joint_motion(body.joint, q, u, &data->joint);
  Motion<T>& motion = data->motions[b];
  SpatialMotion<T>& bias = data->bias[b];
  const Pose<P>& X_PF = body.joint.X_PF;
  if (body.joint.parent < 0) {
    const auto [V_M, r_MB] = place_body(body, b, X_PF.R_WB, X_PF.p_WB, u, data);
    data->r[b] = motion.X_WB.p_WB;
    motion.V_WB = {V_M.w, V_M.v};
    if (!body.is_off_joint) return;
    const Vec3<T> w_r = V_M.w.cross(r_MB);
    motion.V_WB.v_WB += w_r;
    bias.v += V_M.w.cross(w_r);
    return;
  }
  const Motion<T>& parent = data->motions[static_cast<size_t>(body.joint.parent)];
  const Mat3<T> R_WF = parent.X_WB.R_WB * X_PF.R_WB;
  const Vec3<T> p_WF = parent.X_WB.R_WB * X_PF.p_WB + parent.X_WB.p_WB;
  const auto [V_M, r_MB] = place_body(body, b, R_WF, p_WF, u, data);
  const Vec3<T> w_r = V_M.w.cross(r_MB);
  const Vec3<T>& w_P = parent.V_WB.w_WB;
  data->r[b] = motion.X_WB.p_WB - parent.X_WB.p_WB;
  motion.V_WB.w_WB = w_P + V_M.w;
  const Vec3<T> v_carried = w_P.cross(data->r[b]);
  motion.V_WB.v_WB = parent.V_WB.v_WB + v_carried + V_M.v + w_r;
  // What is left of the derivative of v_B = v_P + w_P x r + v_M + w_M x r_MB, whose parts turn with
  // P (v_M, w_M) or with B (r_MB).
  const Vec3<T> w_turn = w_P.cross(V_M.w);
  bias.w += w_turn;
  bias.v += w_P.cross(Vec3<T>(v_carried + V_M.v + V_M.v + w_r)) + w_turn.cross(r_MB) +
            V_M.w.cross(motion.V_WB.w_WB.cross(r_MB));
}

}  // namespace detail

template <class P, class T>
void calc_tree_motions(const Tree<P>& tree, double t, const T* q, const T* u, TreeData<T>* data) {
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    const auto& body = tree.bodies()[b];
    if (body.joint.type == JointType::kGiven) continue;
    const T* x = q + body.q_start;
    const T* v = u + body.u_start;
    if (body.is_lone) {
      Motion<T>& m = data->motions[b];
      m.X_WB = make_pose(Quaternion<T>{x[3], x[4], x[5], x[6]}, Vec3<T>(x[0], x[1], x[2]));
      m.V_WB = {Vec3<T>(v[3], v[4], v[5]), Vec3<T>(v[0], v[1], v[2])};
      continue;
    }
    if (!body.joint.is_driven()) {
      detail::calc_body_motion(body, b, x, v, data);
      continue;
    }
    std::array<T, kMaxSpeeds> value, rate, acceleration;
    for (size_t k = 0; k < body.joint.drive.size(); ++k) {
      const SignalValue<T> signal = body.joint.drive[k].at(t, data->time_shift);
      value[k] = signal.value;
      rate[k] = signal.rate;
      acceleration[k] = signal.acceleration;
    }
    detail::calc_body_motion(body, b, value.data(), rate.data(), data);
    if (!data->has_bias[b]) data->bias[b] = SpatialMotion<T>::zero();
    data->has_bias[b] = 1;
    for (size_t k = 0; k < body.joint.drive.size(); ++k) {
      data->bias[b] += data->H[b][k] * acceleration[k];
    }
  }
}

}  // namespace vesica
