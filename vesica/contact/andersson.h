// Andersson et al.'s friction: Coulomb with an exponential Stribeck decay, smoothed by tanh
// (Brown 4.1).
//
//   mu(v) = (mu_d + (mu_s - mu_d) exp(-(v/v_s)^p)) tanh(k v);  F = f_n mu(v) + mu_v v
//   mu_s, mu_d, p [-], v_s [m/s], k_tanh [s/m], mu_v [N s/m]
// Smoothness: C-infinity away from rest, C1 at rest (C-infinity for even p). The viscous part does
// not know the load: it jumps at touchdown. Cannot represent: a peak of mu_s exactly (tanh keeps it
// below), stiction, the Contensou effect.
#pragma once

#include "vesica/contact/velocity_friction.h"

namespace vesica {

template <class P>
struct Andersson {
  static constexpr std::string_view kName = "andersson";

  P mu_s{}, mu_d{}, v_s{1.0}, k_tanh{1.0};
  P exponent{2.0};
  P mu_v{0.0};

  void describe(Fields<P>& f) {
    f.number({"mu_s", dimension::kNumber, Rule::kNonNegative,
              "static, not below mu_d; the peak stays below it"},
             &mu_s);
    f.number({"mu_d", dimension::kNumber, Rule::kNonNegative, "dynamic"}, &mu_d);
    f.check(!(mu_s < mu_d), "mu_s", "must not be below mu_d");
    f.number({"v_s", dimension::kSpeed, Rule::kPositive, "slip over which the peak decays"}, &v_s);
    f.number({"k_tanh", dimension::kContactDamping, Rule::kPositive, "steepness at rest"}, &k_tanh);
    f.number({"exponent", dimension::kNumber, Rule::kPositive, "p; 2 unless given", 2.0},
             &exponent);
    f.number({"mu_v", dimension::kViscosity, Rule::kNonNegative,
              "viscous; 0 unless given; does not know the load", 0.0},
             &mu_v);
  }

  template <class T>
  T ratio(const T& v2) const {
    using std::exp;
    using std::pow;
    // (v^2)^(p/2) has no finite slope at rest where p < 2; the force does, and it does not change
    // below this floor.
    const T x2 = v2 / square(v_s);
    const T floored = select(x2 > T(1e-24), x2, T(1e-24));
    const T decay = exp(-pow(floored, P(0.5) * exponent));
    return (mu_d + (mu_s - mu_d) * decay) * k_tanh * tanh_ratio(T(v2 * square(k_tanh)));
  }
  template <class T>
  T viscous(const T& f_n) const {
    return select(f_n > T(0), T(mu_v), T(0));
  }

  double mu(double v) const { return v * value_of(ratio(v * v)); }
  double mu_slope(double v) const {
    const double s = value_of(mu_s), d = value_of(mu_d), vs = value_of(v_s), p = value_of(exponent);
    const double k = value_of(k_tanh), x = std::pow(v / vs, p), decay = std::exp(-x);
    const double c = std::cosh(std::min(k * v, 300.0));
    const double decay_slope = v > 0 ? -decay * p * x / v : 0;
    return (s - d) * decay_slope * std::tanh(k * v) + (d + (s - d) * decay) * k / (c * c);
  }
  double speed_scale() const { return std::min(value_of(v_s), 1 / value_of(k_tanh)); }
};

}  // namespace vesica
