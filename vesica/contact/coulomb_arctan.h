// Coulomb friction smoothed by an arctangent: mu(v) = mu_f atan(v/v_s) (Shourijeh 15).
//
//   mu_f [-]; note that the curve's limit is mu_f pi/2; v_s [m/s]
// Smoothness: C-infinity. Cannot represent: stiction, a Stribeck peak, viscosity, the Contensou
// effect.
#pragma once

#include "vesica/contact/velocity_friction.h"

namespace vesica {

template <class P>
struct CoulombArctan {
  static constexpr std::string_view kName = "coulomb_arctan";

  P mu_f{}, v_s{1.0};

  static CoulombArctan read(const InputNode& node) {
    node.allow({"law", "mu_f", "v_s"});
    CoulombArctan law;
    law.mu_f = node.at("mu_f").non_negative_scalar<P>(dimension::kNumber);
    law.v_s = node.at("v_s").positive_scalar<P>(dimension::kSpeed);
    return law;
  }

  template <class T>
  T ratio(const T& v2) const {
    const P inverse = P(1) / v_s;
    return (mu_f * inverse) * atan_ratio(T(v2 * square(inverse)));
  }
  double mu(double v) const { return value_of(mu_f) * std::atan(v / value_of(v_s)); }
  double mu_slope(double v) const {
    const double vs = value_of(v_s);
    return value_of(mu_f) * vs / (vs * vs + v * v);
  }
  double speed_scale() const { return value_of(v_s); }
};

}  // namespace vesica
