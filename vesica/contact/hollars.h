// Hollars' friction, as Simbody has it (Brown 4.2), extended to an odd function of the slip.
//
//   mu(v) = min(v/v_t, 1) (mu_d + 2 (mu_s - mu_d)/(1 + (v/v_t)^2));  F = f_n (mu(v) + k_v v)
//   mu_s, mu_d [-], v_t [m/s]: slip at which mu_s is reached; k_v [s/m]: viscous, scales with load
// Smoothness: C0 at v_t (the min has a corner there), C-infinity elsewhere. Cannot represent:
// stiction, the Contensou effect.
#pragma once

#include "vesica/contact/velocity_friction.h"

namespace vesica {

template <class P>
struct Hollars {
  static constexpr std::string_view kName = "hollars";

  P mu_s{}, mu_d{}, v_t{1.0};
  P k_v{0.0};

  void describe(Fields<P>& f) {
    f.number({"mu_s", dimension::kNumber, Rule::kNonNegative, "static, not below mu_d"}, &mu_s);
    f.number({"mu_d", dimension::kNumber, Rule::kNonNegative, "dynamic"}, &mu_d);
    f.check(!(mu_s < mu_d), "mu_s", "must not be below mu_d");
    f.number({"v_t", dimension::kSpeed, Rule::kPositive, "slip at which mu_s is reached"}, &v_t);
    f.number({"k_v", dimension::kContactDamping, Rule::kNonNegative,
              "viscous over load; 0 unless given", 0.0},
             &k_v);
  }

  template <class T>
  T ratio(const T& v2) const {
    using std::sqrt;
    const T x2 = v2 / square(v_t);
    const Mask<T> slow = x2 < T(1);
    const T ramp = select(slow, T(1), T(1) / sqrt(select(slow, T(1), x2)));
    return (ramp * (mu_d + P(2) * (mu_s - mu_d) / (T(1) + x2))) / v_t;
  }
  template <class T>
  T viscous(const T& f_n) const {
    return f_n * k_v;
  }

  double mu(double v) const { return v * value_of(ratio(v * v)); }
  double mu_slope(double v) const {
    const double s = value_of(mu_s), d = value_of(mu_d), vt = value_of(v_t), x = v / vt;
    const double q = 1 + x * x, level = d + 2 * (s - d) / q, fall = -4 * (s - d) * x / (q * q);
    return (x < 1 ? level + x * fall : fall) / vt;
  }
  double speed_scale() const { return value_of(v_t); }
};

}  // namespace vesica
