// Power laws in the depth: F = k d^p (1 + alpha c) (Hunt & Crossley; Gonthier 3.11, 3.19), and the
// two that share its form.
//
//   hunt_crossley        stiffness k [N/m^p], exponent p (1.5 unless given), damping or restitution
//   lankarani_nikravesh  the same with alpha = 3/4 (1 - e^2)/c_impact (Gonthier 3.16-3.17, 3.27)
//   hertz                p = 3/2 and k from the materials (Gonthier 2.2-2.4):
//                        k = 4/3 sqrt(R)/((1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j),
//                        1/R = 1/R_i + 1/R_j; a plane has no radius
// Smoothness: C^(ceil(p) - 1) in the pose at touchdown (C0 for p = 1, C1 for 3/2 and 2), C0 where 1
// + alpha c reaches zero. Cannot represent: patches that are not small and round (conformal or flat
// contact), rolling resistance, spin torque (no size of the patch is known).
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "vesica/contact/normal_force.h"

namespace vesica {

template <class P>
struct HuntCrossley {
  static constexpr std::string_view kName = "hunt_crossley";
  static constexpr Measure kMeasure = Measure::kDepth;

  P stiffness{};
  P exponent{1.5};
  HystereticDamping<P> damping;

  void describe(Fields<P>& f, RestitutionRule rule = RestitutionRule::kGonthier) {
    f.number({"exponent", dimension::kNumber, Rule::kPositive, "p >= 1; 1.5 unless given", 1.5},
             &exponent);
    f.check(!(exponent < P(1)), "exponent", "an exponent below 1 is infinitely stiff at touchdown");
    f.number({"stiffness", dimension_of(value_of(exponent)), Rule::kPositive, "k"}, &stiffness);
    damping.describe(f, rule);
  }

  template <class T>
  NormalForce<T> operator()(const Overlap<T>&, const T& depth, const T& closing_speed,
                            const ContactMemory<T>& memory) const {
    using std::pow;
    // pow has no derivative at zero that is finite for every exponent: apart it is not called.
    const Mask<T> in = depth > T(0);
    const T d = select(in, depth, T(1));
    const T elastic = select(in, stiffness * pow(d, exponent), T(0));
    return damped<T>(elastic, elastic * depth / (T(1) + exponent), damping.alpha(memory),
                     closing_speed);
  }

  static Dimension dimension_of(double exponent) {
    return {1 - exponent, 1, -2, "N/m^p, p the exponent"};
  }
};

template <class P>
struct LankaraniNikravesh : HuntCrossley<P> {
  static constexpr std::string_view kName = "lankarani_nikravesh";
  void describe(Fields<P>& f) {
    f.check(f.has("restitution", this->damping.has_restitution()), "",
            "this law is made from a 'restitution'; give one");
    HuntCrossley<P>::describe(f, RestitutionRule::kLankaraniNikravesh);
  }
};

template <class P>
struct Hertz : HuntCrossley<P> {
  static constexpr std::string_view kName = "hertz";

  struct Material {
    P young_modulus{1.0}, poisson_ratio{0.0};
  };
  // 1/R = 1/R_i + 1/R_j, zero for a plane.
  static P calc_stiffness(const Material& i, const Material& j, const P& radius) {
    using std::sqrt;
    auto compliance = [](const Material& m) {
      return (P(1) - square(m.poisson_ratio)) / m.young_modulus;
    };
    return P(4.0 / 3) * sqrt(radius) / (compliance(i) + compliance(j));
  }

  Material material_i, material_j;
  std::array<P, 2> radii{P(0.0), P(0.0)};  // of a ball on a plane; of both bodies
  bool has_two_radii = false;

  void describe(Fields<P>& f) {
    for (auto [key, material] :
         {std::pair("material_i", &material_i), {"material_j", &material_j}}) {
      f.below(key, [&f, m = material] {
        f.number({"young_modulus", dimension::kPressure, Rule::kPositive, "E"}, &m->young_modulus);
        f.number({"poisson_ratio", dimension::kNumber, Rule::kAny, "nu"}, &m->poisson_ratio);
        const double nu = value_of(m->poisson_ratio);
        f.check(nu > -1 && nu <= 0.5, "poisson_ratio", "lies between -1 and 0.5");
      });
    }
    describe_radii(f);
    this->damping.describe(f);
  }

 private:
  void describe_radii(Fields<P>& f) {
    constexpr Field kField{"radius", dimension::kLength, Rule::kAny,
                           "R; [R_i, R_j] of two, R_j < 0 for a hollow"};
    has_two_radii = f.is_list("radius", has_two_radii);
    P radius;
    if (has_two_radii) {
      f.list(kField, radii.data(), 2);
      const double i = value_of(radii[0]), j = value_of(radii[1]);
      f.check(i > 0, "radius.0", "must be greater than zero");
      f.check(j != 0 && j != -i, "radius.1",
              "a radius is not zero; for a plane give one radius, not a list");
      radius = radii[0] * radii[1] / (radii[0] + radii[1]);  // negative: a hollow
      f.check(value_of(radius) > 0, "radius", "the hollow must be wider than the ball");
    } else {
      f.number({kField.key, kField.dimension, Rule::kPositive, kField.meaning}, &radii[0]);
      radius = radii[0];
    }
    if (f.has_values()) this->stiffness = calc_stiffness(material_i, material_j, radius);
  }
};

}  // namespace vesica
