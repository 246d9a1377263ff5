// What every friction law takes and returns, and what a law is.
//
// A friction law is a value type with
//   static constexpr std::string_view kName     its name in files
//   static constexpr int kStates                how many continuous states it has, if any; then
//   also kStateNames, double state_scale(int k)      what recordings call them, and their typical
//   void describe(Fields<P>&)                        its parameters: key, unit, rule, meaning
//   FrictionForce<T> operator()(const FrictionInput<T>&, const T* states, T* rates) const
// registered by one entry in FrictionLaw (contact.h). A law that is a function of the slip only
// gives mu(v)/v instead (velocity_friction.h).
#pragma once

#include "vesica/math/vector.h"

namespace vesica {

template <class T>
struct FrictionInput {
  T f_n;           // normal force [N]
  Vec3<T> n_W;     // from j to i
  Vec3<T> slip;    // tangential velocity of i against j where friction acts [m/s]
  T spin;          // relative spin about n [rad/s]
  T spread2;       // square of the pressure's radius of gyration about n [m^2]; 0: a point
  T carrier_spin;  // mean spin of both bodies about n: what carries the states along
};

template <class T>
struct FrictionForce {
  Vec3<T> f_t;    // on i
  T spin_torque;  // on i, about n
  T stored;       // energy in the states [J]
  // Its rates at constant load [W], by sliding and by spinning.
  T stored_rate, stored_spin_rate;
  bool saturated;  // the states' force is at its limit
};

template <class Law>
inline constexpr int kStateCount = 0;
template <class Law>
requires requires { Law::kStates; }
inline constexpr int kStateCount<Law> = Law::kStates;

template <class T>
FrictionForce<T> no_friction() {
  const T zero(0);
  return {Vec3<T>(zero, zero, zero), zero, zero, zero, zero, false};
}

}  // namespace vesica
