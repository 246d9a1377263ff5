// Patch-integrated friction: any velocity-based law, point by point over the depth field.
//
//   f_t = -integral of p(s) mu(|v(s)|) v(s)/|v(s)| dS,  v(s) = v_t + w_n n x rho
// with the pressure p of the normal law, clamped at zero point by point. Sliding, spinning, the
// Contensou effect and the coupling with rolling come out of the integral; a law with a steep start
// shows partial stick. A law's viscous part is shared out with the pressure.
//
//   of          the law {law: ..., parameters}
//   tolerance   of force and torque, relative to f_n and f_n r (1e-6 unless given)
// Smoothness: that of the law. Costs 10 to 100 us (docs/benchmarks.md) where the factors of the
// volumetric bristle cost nothing. Cannot represent: stiction (it creeps as its law does).
// Pairs: those with a patch (interference/patch/patch.h).
#pragma once

#include <variant>

#include "vesica/contact/andersson.h"
#include "vesica/contact/brown_mcphee.h"
#include "vesica/contact/coulomb_arctan.h"
#include "vesica/contact/hollars.h"
#include "vesica/contact/specker.h"

namespace vesica {

// The laws that are functions of the slip alone.
template <class P>
using VelocityLaw =
    std::variant<BrownMcPhee<P>, CoulombArctan<P>, Andersson<P>, Hollars<P>, Specker<P>>;

template <class P>
struct PatchFriction {
  static constexpr std::string_view kName = "patch";

  VelocityLaw<P> law;
  double tolerance = 1e-6;

  void describe(Fields<P>& f) {
    f.below("of", [&] { describe_one_of(f, {.key = "law", .meaning = "of the slip"}, &law); });
    f.plain_number({"tolerance", dimension::kNumber, Rule::kPositive,
                    "of the integral, over f_n and f_n r; 1e-6 unless given", 1e-6},
                   &tolerance);
  }

  double speed_scale() const {
    return std::visit([](const auto& l) { return l.speed_scale(); }, law);
  }

  // Where no patch is at hand (a lumped evaluation), the law itself.
  template <class T>
  FrictionForce<T> operator()(const FrictionInput<T>& in, const T*, T*) const {
    return std::visit([&](const auto& l) { return calc_velocity_friction(l, in); }, law);
  }
};

}  // namespace vesica
