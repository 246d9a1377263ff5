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

#include <string_view>

#include "vesica/contact/normal_force.h"

namespace vesica {

template <class P>
struct HuntCrossley {
  static constexpr std::string_view kName = "hunt_crossley";
  static constexpr Measure kMeasure = Measure::kDepth;

  P stiffness{};
  P exponent{1.5};
  HystereticDamping<P> damping;

  static HuntCrossley read(const InputNode& node,
                           RestitutionRule rule = RestitutionRule::kGonthier) {
    node.allow(HystereticDamping<P>::allow({"stiffness", "exponent"}));
    HuntCrossley law;
    if (const auto p = node.find("exponent")) {
      law.exponent = p->positive_scalar<P>(dimension::kNumber);
      if (law.exponent < P(1)) p->fail("an exponent below 1 is infinitely stiff at touchdown");
    }
    law.stiffness = node.at("stiffness").positive_scalar<P>(dimension_of(value_of(law.exponent)));
    law.damping = HystereticDamping<P>::read(node, rule);
    return law;
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
  static LankaraniNikravesh read(const InputNode& node) {
    if (!node.find("restitution")) node.fail("this law is made from a 'restitution'; give one");
    return {HuntCrossley<P>::read(node, RestitutionRule::kLankaraniNikravesh)};
  }
};

template <class P>
struct Hertz : HuntCrossley<P> {
  static constexpr std::string_view kName = "hertz";

  struct Material {
    P young_modulus, poisson_ratio;
  };
  // 1/R = 1/R_i + 1/R_j, zero for a plane.
  static P calc_stiffness(const Material& i, const Material& j, const P& radius) {
    using std::sqrt;
    auto compliance = [](const Material& m) {
      return (P(1) - square(m.poisson_ratio)) / m.young_modulus;
    };
    return P(4.0 / 3) * sqrt(radius) / (compliance(i) + compliance(j));
  }

  static Hertz read(const InputNode& node) {
    node.allow(HystereticDamping<P>::allow({"material_i", "material_j", "radius"}));
    auto read_material = [&](const char* key) {
      const InputNode child = node.at(key);
      child.allow({"young_modulus", "poisson_ratio"});
      Material m{child.at("young_modulus").positive_scalar<P>(dimension::kPressure),
                 child.at("poisson_ratio").scalar<P>(dimension::kNumber)};
      const double nu = value_of(m.poisson_ratio);
      if (!(nu > -1 && nu <= 0.5)) {
        child.at("poisson_ratio").fail("lies between -1 and 0.5");
      }
      return m;
    };
    const InputNode r = node.at("radius");
    P radius;
    if (r.is_list()) {
      r.expect_list(2);
      const P i = r.at(size_t{0}).positive_scalar<P>(dimension::kLength);
      const P j = r.at(1).scalar<P>(dimension::kLength);
      if (value_of(j) == 0 || value_of(j) == -value_of(i)) {
        r.at(1).fail("a radius is not zero; for a plane give one radius, not a list");
      }
      radius = i * j / (i + j);  // negative: a hollow, wider than the ball
      if (!(value_of(radius) > 0)) r.fail("the hollow must be wider than the ball");
    } else {
      radius = r.positive_scalar<P>(dimension::kLength);
    }
    Hertz law;
    law.stiffness =
        calc_stiffness(read_material("material_i"), read_material("material_j"), radius);
    law.damping = HystereticDamping<P>::read(node);
    return law;
  }
};

}  // namespace vesica
