// What acts in a joint, on one of its speeds each (not on those of quaternions):
//
//   spring     -k (q - q0) - d u                  [N m/rad, N m s/rad; N/m, N s/m for a slide]
//   limit      outside of [low, high]: k d (1 + alpha c), d how far, c how fast outward, never
//              pulling back; C0 where it begins (Hunt-Crossley with exponent 1)
//   friction   a velocity law of contacts: -r drag(load, (r u)^2) r u, r the radius of the bearing
//              (1 for a slide), load the normal force [N] that it carries, given and constant
//   motor      torque(t), or k_p (x(t) - q) + k_d (x'(t) - u), or k_v (x(t) - u) with x(t) a
//              speed; held to +-limit
// Cannot represent: friction that grows with the joint's own reaction; stiction that holds for
// ever.
#pragma once

#include <variant>

#include "vesica/contact/patch_friction.h"
#include "vesica/multibody/tree.h"

namespace vesica {

enum class MotorType { kTorque, kPosition, kSpeed };

template <class P>
struct JointSpring {
  P stiffness{0.0}, damping{0.0}, rest{0.0};
};
template <class P>
struct JointLimit {
  P low{0.0}, high{0.0}, stiffness{0.0}, damping{0.0};
};
template <class P>
struct JointFriction {
  VelocityLaw<P> law;
  P load{0.0}, radius{1.0};
};
template <class P>
struct JointMotor {
  MotorType type = MotorType::kTorque;
  Signal<P> input;
  P gain{0.0}, rate_gain{0.0};  // k_p or k_v, k_d
  P limit{0.0};                 // 0: none
};

template <class P>
using JointAction = std::variant<JointSpring<P>, JointLimit<P>, JointFriction<P>, JointMotor<P>>;

template <class P>
struct JointForce {
  int body = 0;   // the joint is the one that carries this body
  int speed = 0;  // which of its speeds; its coordinate is the one with the same place
  JointAction<P> action;
};

template <class T>
struct JointForceValue {
  T force{0.0};       // on the speed
  T stored{0.0};      // energy
  T dissipated{0.0};  // power
  T work{0.0};        // power of a motor
};

template <class P, class T>
JointForceValue<T> calc_joint_action(const JointSpring<P>& s, double, const T&, const T& q,
                                     const T& u) {
  const T stretch = q - s.rest;
  return {-(s.stiffness * stretch) - s.damping * u, T(0.5 * s.stiffness * stretch * stretch),
          T(s.damping * u * u), T(0)};
}

template <class P, class T>
JointForceValue<T> calc_joint_action(const JointLimit<P>& l, double, const T&, const T& q,
                                     const T& u) {
  const bool above = q > T(l.high);
  if (!above && !(q < T(l.low))) return {T(0), T(0), T(0), T(0)};
  const double sign = above ? 1 : -1;
  const T depth = above ? T(q - l.high) : T(l.low - q);
  const T elastic = l.stiffness * depth;
  const T outward = sign * u;
  const T factor = 1.0 + l.damping * outward;
  const T force = elastic * select(factor > T(0), factor, T(0));
  return {-sign * force, T(0.5 * elastic * depth), T((force - elastic) * outward), T(0)};
}

template <class P, class T>
JointForceValue<T> calc_joint_action(const JointFriction<P>& f, double, const T&, const T&,
                                     const T& u) {
  const T slip = f.radius * u;
  const T drag =
      std::visit([&](const auto& law) { return calc_drag(law, T(f.load), T(slip * slip)); }, f.law);
  const T force = -drag * slip;
  return {f.radius * force, T(0), T(-force * slip), T(0)};
}

template <class P, class T>
JointForceValue<T> calc_joint_action(const JointMotor<P>& m, double t, const T& shift, const T& q,
                                     const T& u) {
  const SignalValue<T> x = m.input.at(t, shift);
  T force;
  if (m.type == MotorType::kTorque) {
    force = x.value;
  } else if (m.type == MotorType::kPosition) {
    force = m.gain * (x.value - q) + m.rate_gain * (x.rate - u);
  } else {
    force = m.gain * (x.value - u);
  }
  if (value_of(m.limit) > 0) {
    const T limit(m.limit);
    force = select(force > limit, limit, select(force < -limit, -limit, force));
  }
  return {force, T(0), T(0), T(force * u)};
}

// `shift`: what the time carries of derivatives (TreeData::time_shift).
template <class P, class T>
JointForceValue<T> calc_joint_force(const JointForce<P>& f, double t, const T& q, const T& u,
                                    const T& shift = T(0)) {
  return std::visit([&](const auto& action) { return calc_joint_action(action, t, shift, q, u); },
                    f.action);
}

}  // namespace vesica
