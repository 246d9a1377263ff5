// Damping that returns a wanted coefficient of restitution (Gonthier, section 3.1.2,
// eqs. 3.18-3.25).
//
// With F = k x^p (1 + alpha c) for any stiffness law, and alpha = D/(e c_impact), the rebound speed
// is e c_impact exactly when (1 + D/e)/(1 - D) = exp(D (1 + 1/e)), 0 <= D <= 1. Exact for a direct
// impact without other forces; gravity or a soft contact lower what is realised.
#pragma once

#include "vesica/math/scalar.h"

namespace vesica {

// D/e for 0 < e <= 1; e = 1 gives 0. Throws InputError outside.
double calc_restitution_damping(double e);

// Its derivative by e, for sensitivities.
double calc_restitution_damping_slope(double e);

inline double restitution_damping(double e) { return calc_restitution_damping(e); }
template <int N>
Dual<N> restitution_damping(const Dual<N>& e) {
  return e.chain(calc_restitution_damping(e.a), calc_restitution_damping_slope(e.a));
}

}  // namespace vesica
