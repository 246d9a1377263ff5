// Bodies whose motion is given: ground, belts, plates, by function or by a recorded series.
//
//   p(t) = p0 + v0 t + a0 t^2/2 + A sin(2 pi f t + phase)
//   R(t) = exp(axis theta(t)) R0,  theta = w0 t + B sin(2 pi f t + phase)
// or a cubic spline through recorded positions and quaternions.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "vesica/math/exactly.h"
#include "vesica/math/spline.h"
#include "vesica/multibody/spatial.h"

namespace vesica {

// A recorded pose over time.
struct RecordedMotion {
  std::vector<CubicSpline> position;    // x y z
  std::vector<CubicSpline> quaternion;  // w x y z, signs made continuous; empty: no rotation
};

template <class P>
struct PrescribedMotion {
  Pose<P> X0;
  Vec3<P> v0 = Vec3<P>::Zero(), a0 = Vec3<P>::Zero();
  Vec3<P> amplitude = Vec3<P>::Zero();
  Vec3<P> axis = Vec3<P>::UnitZ();
  P w0{0.0}, swing{0.0};
  P frequency{0.0}, phase{0.0};
  bool moves = false;
  std::shared_ptr<const RecordedMotion> recorded;

  Motion<P> at(double t) const;
  // Angular, and of the origin: what a joint on this body needs.
  SpatialMotion<P> acceleration(double t) const;
  // Its rate: for times that carry derivatives.
  SpatialMotion<P> jerk(double t) const;
};

template <class P>
Motion<P> PrescribedMotion<P>::at(double t) const {
  using std::cos;
  using std::sin;
  Motion<P> m;
  if (recorded) {
    // Before and after the recording the body rests.
    const auto& position = recorded->position;
    const double now = std::clamp(t, position[0].first(), position[0].last());
    const double moving = now == t ? 1 : 0;
    for (int k = 0; k < 3; ++k) {
      m.X_WB.p_WB[k] = P(position[k].value(now));
      m.V_WB.v_WB[k] = P(moving * position[k].derivative(now));
    }
    m.X_WB.R_WB = X0.R_WB;
    if (!recorded->quaternion.empty()) {
      const auto& s = recorded->quaternion;
      const Quaternion<double> q{s[0].value(now), s[1].value(now), s[2].value(now),
                                 s[3].value(now)};
      const Quaternion<double> dq{s[0].derivative(now), s[1].derivative(now), s[2].derivative(now),
                                  s[3].derivative(now)};
      m.X_WB.R_WB = as_rotation(q).template cast<P>();
      // w = 2 q' q^-1; the part along q is a change of length, which the rotation does not see.
      const Quaternion<double> conjugate{q.w, -q.x, -q.y, -q.z};
      const Quaternion<double> w = dq * conjugate;
      const double scale = moving * 2 / q.squared_norm();
      m.V_WB.w_WB = Vec3<P>(P(scale * w.x), P(scale * w.y), P(scale * w.z));
    }
    return m;
  }
  // Most belts and plates only slide: they do without four sines and a rotation at every evaluation
  // (a tenth of one, in a scene of one body on a belt).
  P s(0.0), c(0.0);
  if (!is_exactly(frequency, 0) || !is_exactly(phase, 0)) {
    const P angle = 2 * kPi * frequency * t + phase;
    s = sin(angle);
    c = 2 * kPi * frequency * cos(angle);
  }
  m.X_WB.p_WB = X0.p_WB + v0 * P(t) + a0 * P(t * t / 2) + amplitude * s;
  m.V_WB.v_WB = v0 + a0 * P(t) + amplitude * c;
  m.X_WB.R_WB = X0.R_WB;
  if (is_exactly(w0, 0) && is_exactly(swing, 0)) return m;
  const P theta = w0 * t + swing * s;
  const P half = theta * 0.5;
  const P sin_half = sin(half);
  const Quaternion<P> turn{cos(half), sin_half * axis.x(), sin_half * axis.y(),
                           sin_half * axis.z()};
  m.X_WB.R_WB = as_rotation(turn) * X0.R_WB;
  m.V_WB.w_WB = axis * P(w0 + swing * c);
  return m;
}

template <class P>
SpatialMotion<P> PrescribedMotion<P>::acceleration(double t) const {
  SpatialMotion<P> a = SpatialMotion<P>::zero();
  if (recorded) {
    const auto& position = recorded->position;
    if (t < position[0].first() || t > position[0].last()) return a;
    for (int k = 0; k < 3; ++k) {
      a.v[k] = P(position[static_cast<size_t>(k)].second_derivative(t));
    }
    if (!recorded->quaternion.empty()) {
      const auto& s = recorded->quaternion;
      auto part = [&](auto f) { return Quaternion<double>{f(s[0]), f(s[1]), f(s[2]), f(s[3])}; };
      const auto q = part([&](const CubicSpline& c) { return c.value(t); });
      const auto dq = part([&](const CubicSpline& c) { return c.derivative(t); });
      const auto ddq = part([&](const CubicSpline& c) { return c.second_derivative(t); });
      // w = 2 (q' q*)/|q|^2 in its vector part, so w' = 2 (q'' q*)/|q|^2 - w (|q|^2)'/|q|^2; q' q'*
      // has no vector part.
      const Quaternion<double> conjugate{q.w, -q.x, -q.y, -q.z};
      const Quaternion<double> first = dq * conjugate, second = ddq * conjugate;
      const double n = q.squared_norm();
      const double shrink = 2 * first.w / n;
      a.w = Vec3<P>(P(2 / n * (second.x - shrink * first.x)),
                    P(2 / n * (second.y - shrink * first.y)),
                    P(2 / n * (second.z - shrink * first.z)));
    }
    return a;
  }
  using std::sin;
  const P rate = 2 * kPi * frequency;
  const P s = -rate * rate * sin(rate * t + phase);
  a.v = a0 + amplitude * s;
  a.w = axis * P(swing * s);
  return a;
}

template <class P>
SpatialMotion<P> PrescribedMotion<P>::jerk(double t) const {
  SpatialMotion<P> a = SpatialMotion<P>::zero();
  if (recorded) {
    const auto& position = recorded->position;
    if (t < position[0].first() || t > position[0].last()) return a;
    for (int k = 0; k < 3; ++k) {
      a.v[k] = P(position[static_cast<size_t>(k)].third_derivative(t));
    }
    if (!recorded->quaternion.empty()) {
      const auto& s = recorded->quaternion;
      auto part = [&](auto f) { return Quaternion<double>{f(s[0]), f(s[1]), f(s[2]), f(s[3])}; };
      const auto q = part([&](const CubicSpline& c) { return c.value(t); });
      const auto d1 = part([&](const CubicSpline& c) { return c.derivative(t); });
      const auto d2 = part([&](const CubicSpline& c) { return c.second_derivative(t); });
      const auto d3 = part([&](const CubicSpline& c) { return c.third_derivative(t); });
      // The rate of w' = 2 (q'' q* - r q' q*)/|q|^2 with r = (|q|^2)'/|q|^2, in its vector part.
      const auto conjugate = [](const Quaternion<double>& x) {
        return Quaternion<double>{x.w, -x.x, -x.y, -x.z};
      };
      const auto c0 = conjugate(q), c1 = conjugate(d1);
      const Quaternion<double> first = d1 * c0, second = d2 * c0, third = d3 * c0, mixed = d2 * c1;
      const double n = q.squared_norm(), r = 2 * first.w / n;
      const double r_rate = 2 * (second.w + d1.squared_norm()) / n - r * r;
      const auto along = [&](double one, double two, double three, double with) {
        return P(2 / n * (three + with - r_rate * one - r * two - r * (two - r * one)));
      };
      a.w = Vec3<P>(along(first.x, second.x, third.x, mixed.x),
                    along(first.y, second.y, third.y, mixed.y),
                    along(first.z, second.z, third.z, mixed.z));
    }
    return a;
  }
  using std::cos;
  const P rate = 2 * kPi * frequency;
  const P s = -rate * rate * rate * cos(rate * t + phase);
  a.v = amplitude * s;
  a.w = axis * P(swing * s);
  return a;
}

}  // namespace vesica
