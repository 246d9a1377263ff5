// Spring and damper in parallel: F = k d + b c, held at zero where the damper would pull
// (Brown 2.1; Shourijeh's point elements).
//
//   stiffness k [N/m], damping b [N s/m]
// Smoothness: the force jumps by b c at touchdown; C0 where it reaches zero.
// Cannot represent: a force that starts from zero; restitution that does not depend on mass (use
// hunt_crossley with exponent 1), rolling resistance, spin torque.
#pragma once

#include <string_view>

#include "vesica/contact/normal_force.h"

namespace vesica {

template <class P>
struct KelvinVoigt {
  static constexpr std::string_view kName = "kelvin_voigt";
  static constexpr Measure kMeasure = Measure::kDepth;

  P stiffness{};
  P viscosity{};

  void describe(Fields<P>& f) {
    f.number({"stiffness", dimension::kStiffness, Rule::kPositive, "k"}, &stiffness);
    f.number({"damping", dimension::kViscosity, Rule::kNonNegative, "b; 0 unless given", 0.0},
             &viscosity);
  }

  template <class T>
  NormalForce<T> operator()(const Overlap<T>&, const T& depth, const T& closing_speed,
                            const ContactMemory<T>&) const {
    NormalForce<T> f = NormalForce<T>::none();
    f.elastic = stiffness * depth;
    f.energy = T(0.5) * f.elastic * depth;
    const T force = f.elastic + viscosity * closing_speed;
    f.force = select(force > T(0), force, T(0));
    const Mask<T> in = depth > T(0);
    f.factor = select(in, force / select(in, f.elastic, T(1)), T(1));
    return f;
  }
};

}  // namespace vesica
