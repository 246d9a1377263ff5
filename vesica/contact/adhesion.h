// A ball that sticks: Hertz' repulsion and the attraction of Derjaguin, Muller and Toporov (1975),
// which comes in over a short range.
//
//   F = k e^(3/2) (1 + alpha c) - F_a S(d/h),  e = d - h where that is positive, else 0
//   F_a = 2 pi w R                 pull-off force (DMT)
//   S(x) = x^2 (3 - 2 x) up to x = 1, then 1
//   stiffness k [N/m^1.5], 4/3 E* sqrt(R) of Hertz; work_of_adhesion w [N/m]; radius R [m];
//   range h [m]: the depth over which the attraction comes in before anything presses, so that
//   shapes are h larger than the bodies they stand for; damping, restitution: damping.h
// Friction feels what presses, F + F_a S: a ball that hangs can stick to a wall. The damping factor
// is held at zero where damping would pull; adhesion pulls.
// Smoothness: C1 in the pose, touchdown included; C0 where 1 + alpha c reaches zero.
// Cannot represent: the neck of soft bodies (Johnson, Kendall and Roberts), whose pull-off costs
// more than contact gives back; here attraction has an energy, F_a h/2 to overcome. Attraction at a
// distance; rolling resistance, spin torque.
#pragma once

#include <string_view>

#include "vesica/contact/normal_force.h"

namespace vesica {

template <class P>
struct Adhesion {
  static constexpr std::string_view kName = "adhesion";
  static constexpr Measure kMeasure = Measure::kDepth;

  P stiffness{};
  P work_of_adhesion{}, radius{}, range{1.0};
  HystereticDamping<P> damping;

  P pull_off() const { return P(2 * kPi) * work_of_adhesion * radius; }

  void describe(Fields<P>& f) {
    f.number({"stiffness", Dimension{-0.5, 1, -2, "N/m^1.5"}, Rule::kPositive, "k of Hertz"},
             &stiffness);
    f.number({"work_of_adhesion", dimension::kStiffness, Rule::kNonNegative,
              "w, energy per area (J/m^2 is N/m); pull-off force 2 pi w R"},
             &work_of_adhesion);
    f.number({"radius", dimension::kLength, Rule::kPositive, "R; 1/R = 1/R_i + 1/R_j"}, &radius);
    f.number({"range", dimension::kLength, Rule::kPositive,
              "h, depth over which the attraction comes in"},
             &range);
    damping.describe(f);
  }

  template <class T>
  NormalForce<T> operator()(const Overlap<T>&, const T& depth, const T& closing_speed,
                            const ContactMemory<T>& memory) const {
    using std::sqrt;
    // sqrt has no derivative at zero: it is not taken there.
    const T e = depth - range;
    const Mask<T> pressing = e > T(0);
    const T safe = select(pressing, e, T(1));
    const T repulsion = select(pressing, stiffness * safe * sqrt(safe), T(0));
    NormalForce<T> f =
        damped<T>(repulsion, repulsion * e * 0.4, damping.alpha(memory), closing_speed);

    const T x = depth / range;
    const Mask<T> whole = x > T(1);
    const T F_a = T(pull_off());
    f.pull = F_a * select(whole, T(1), x * x * (T(3) - T(2) * x));
    // The integral of S over the depth, in units of the range: x^3 - x^4/2, then x - 1/2.
    const T area = select(whole, x - T(0.5), x * x * x * (T(1) - T(0.5) * x));
    f.elastic = f.elastic - f.pull;
    f.energy = f.energy - F_a * range * area;
    f.force = f.force - f.pull;
    return f;
  }
};

}  // namespace vesica
