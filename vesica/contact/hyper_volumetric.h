// Hyper-volumetric normal law: the pressure is a power of the depth (Shourijeh 8-11; the integral
// itself, which volume_power approximates).
//
//   p(s) = k f(s)^eta (1 + alpha c(s));  F = k V_h without damping, V_h = integral of f^eta over S
//   stiffness k [N/m^(2 + eta)], exponent eta; damping, restitution: damping.h
// eta = 1 is the linear volumetric law. For an ellipsoid that does not overhang V_h is closed:
// a b c w^(eta-1) 2 pi (d^(eta+2)/(eta+2) + (1-d) d^(eta+1)/(eta+1)), w = |S n|, d the depth over
// w; here it is integrated with the local damping, clamped point by point.
// Smoothness: that of the patch; C0 in the damping where a part of the patch would pull.
// Cannot represent: coupling between neighbouring points (a Winkler foundation has none).
#pragma once

#include <string_view>

#include "vesica/contact/normal_force.h"

namespace vesica {

template <class P>
struct HyperVolumetric {
  static constexpr std::string_view kName = "hyper_volumetric";
  static constexpr Measure kMeasure = Measure::kField;

  P stiffness{};
  P exponent{1.0};
  HystereticDamping<P> damping;

  void describe(Fields<P>& f) {
    f.number({"exponent", dimension::kNumber, Rule::kPositive, "eta > 0; 1 is the volumetric law"},
             &exponent);
    f.number(
        {"stiffness", Dimension{-1 - value_of(exponent), 1, -2, "N/m^(2 + eta), eta the exponent"},
         Rule::kPositive, "k"},
        &stiffness);
    damping.describe(f);
  }

  template <class T>
  T pressure(const T& depth, const T& closing_speed, const T& alpha) const {
    using std::pow;
    const T factor = T(1) + alpha * closing_speed;
    if (!(factor > T(0)) || !(depth > T(0))) return T(0);
    return stiffness * pow(depth, exponent) * factor;
  }
  template <class T>
  T energy_density(const T& depth) const {
    return pressure(depth, T(0), T(0)) * depth / (T(1) + exponent);
  }
};

}  // namespace vesica
