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

  void describe(Fields<P>& f) {
    f.number({"mu_f", dimension::kNumber, Rule::kNonNegative,
              "2/pi of the friction coefficient when sliding"},
             &mu_f);
    f.number({"v_s", dimension::kSpeed, Rule::kPositive, "slip at half of it"}, &v_s);
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
