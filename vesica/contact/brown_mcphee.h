// Brown & McPhee's smooth velocity-based friction (Brown & McPhee eqs. 47-48; Brown 4.3).
//
//   mu(v) = mu_d tanh(4 v/v_t) + (mu_s - mu_d) (v/v_t) / ((v/v_t)^2/4 + 3/4)^2
//   F     = f_n mu(v) + mu_v v tanh(4 f_n/f_nt), against the slip
//   mu_s, mu_d [-], v_t [m/s]: slip at which mu_s is reached; mu_v [N s/m], f_nt [N]: viscous part
// Spinning, with the radius of gyration r of the shared volume: torque f_n r mu(r |w_n|), the form
// with consistent units (the paper's eq. 50 multiplies mu by (f_n/V) J, which is N m^2). It meets the
// exact integral of linear friction at small slip. With transition_spin w_t [rad/s] the argument is
// w_n/w_t as in eq. 51.
// Smoothness: C-infinity in the velocity, zero velocity included.
// Cannot represent: stiction (it creeps under any load), the Contensou effect, partial slip.
#pragma once

#include "vesica/math/smooth.h"
#include "vesica/math/vector.h"

namespace vesica {

template <class T>
struct BrownMcPhee {
  T mu_s{}, mu_d{}, v_t{};
  T mu_v{0.0};
  T f_nt{1.0};
  T transition_spin{0.0};  // 0: from v_t and the radius of gyration

  // mu(v)/v as a smooth function of v^2.
  T slope(const T& v2, const T& transition) const {
    const T inverse = T(1) / transition;
    const T x2 = v2 * square(inverse);
    const T stribeck = T(1) / square(T(0.25) * x2 + T(0.75));
    return inverse * (T(4) * mu_d * tanh_ratio(T(16) * x2) + (mu_s - mu_d) * stribeck);
  }

  T viscous(const T& f_n) const {
    using std::tanh;
    return mu_v * tanh(T(4) * f_n / f_nt);
  }

  // Force per slip velocity: f_t = -drag v_t.
  T drag(const T& f_n, const T& slip2) const {
    T result = f_n * slope(slip2, v_t);
    if (has_viscous()) result = result + viscous(f_n);
    return result;
  }
  // Torque per spin: tau = -drag w_n.
  T spin_drag(const T& f_n, const T& w_n, const T& r2) const {
    using std::sqrt;
    T result;
    if (has_transition_spin()) {
      // r itself is needed here; it is regular because a contact has a positive area.
      const T r = sqrt(select(r2 > T(0), r2, T(1)));
      result = select(r2 > T(0), f_n * r * slope(w_n * w_n, transition_spin), T(0));
    } else {
      result = f_n * r2 * slope(r2 * w_n * w_n, v_t);
    }
    if (has_viscous()) result = result + viscous(f_n) * r2;
    return result;
  }

 private:
  bool has_viscous() const { return any_of(mu_v > T(0)); }
  bool has_transition_spin() const { return any_of(transition_spin > T(0)); }
};

// Frictionless.
template <class T>
struct NoFriction {
  T drag(const T&, const T&) const { return T(0); }
  T spin_drag(const T&, const T&, const T&) const { return T(0); }
};

}  // namespace vesica
