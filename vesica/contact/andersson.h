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

  static Andersson read(const InputNode& node) {
    node.allow({"law", "mu_s", "mu_d", "v_s", "exponent", "k_tanh", "mu_v"});
    Andersson law;
    law.mu_s = node.at("mu_s").non_negative_scalar<P>(dimension::kNumber);
    law.mu_d = node.at("mu_d").non_negative_scalar<P>(dimension::kNumber);
    if (law.mu_s < law.mu_d) node.at("mu_s").fail("must not be below mu_d");
    law.v_s = node.at("v_s").positive_scalar<P>(dimension::kSpeed);
    law.k_tanh = node.at("k_tanh").positive_scalar<P>(dimension::kContactDamping);
    if (const auto p = node.find("exponent")) {
      law.exponent = p->positive_scalar<P>(dimension::kNumber);
    }
    if (const auto v = node.find("mu_v")) {
      law.mu_v = v->non_negative_scalar<P>(dimension::kViscosity);
    }
    return law;
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
