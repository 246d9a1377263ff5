// What every normal law returns, and what a law is.
//
// A normal law is a value type with
//   static constexpr std::string_view kName     its name in files
//   static constexpr Measure kMeasure           what it measures the contact by
//   void describe(Fields<P>&)                   its parameters: key, unit, rule, meaning
//   NormalForce<T> operator()(overlap, measure, closing speed, memory) const
// and, where kMeasure is kField or kVolume, pressure(depth, closing speed, memory) for a point of
// the patch. It is registered by one entry in NormalLaw (contact.h). n points from j to i, the
// closing speed c is positive while approaching; damping never pulls, adhesion does.
#pragma once

#include "vesica/contact/damping.h"
#include "vesica/contact/kinematics.h"

namespace vesica {

template <class T>
struct NormalForce {
  T force;    // along n on i; below zero only where the law pulls
  T elastic;  // its part that is a function of the pose
  T energy;   // stored by that part
  T roll;     // weighs the second moment M into rolling resistance [N s/m^4]
  T alpha;    // damping [s/m]
  T factor;   // 1 + alpha c before the clamp
  // A linear foundation: the pressure is proportional to the depth times 1 + alpha c of its point.
  bool rolls = false;
  T pull{0.0};  // of adhesion, contained in the force: friction feels the force without it

  static NormalForce none() { return {T(0), T(0), T(0), T(0), T(0), T(1)}; }
};

// F (1 + alpha c), held at zero where damping would pull.
template <class T>
NormalForce<T> damped(const T& elastic, const T& energy, const T& alpha, const T& closing_speed) {
  NormalForce<T> f;
  f.elastic = elastic;
  f.energy = energy;
  f.alpha = alpha;
  f.factor = T(1) + alpha * closing_speed;
  f.force = select(f.factor > T(0), elastic * f.factor, T(0));
  f.roll = T(0);
  return f;
}

// The measure of an overlap; zero apart. A conservative contact presses by its push in place of the
// volume.
template <class T>
T calc_measure(Measure measure, const Overlap<T>& o) {
  if (measure == Measure::kDepth) return select(o.distance < T(0), -o.distance, T(0));
  return o.is_conservative ? o.push : o.volume;
}

}  // namespace vesica
