// Linear volumetric normal law: F = k V (1 + alpha c), never pulling (Gonthier 4.62; Brown 44 with
// alpha = -a_V).
//
//   stiffness  k [N/m^3]; two deformable bodies: 1/k = 1/k_i + 1/k_j
//   damping    alpha [s/m], or
//   restitution e with v_small [m/s]: alpha = D(e)/(e c_impact), c_impact the closing speed at
//              touchdown, not below v_small (restitution.h)
// c > 0 while approaching. Smoothness: that of the volume; C0 where the factor 1 + alpha c reaches
// zero (fast separation) and the force is clamped.
// Cannot represent: adhesion, plastic set, stiffening with depth.
#pragma once

#include <string_view>

#include "vesica/contact/restitution.h"
#include "vesica/interference/overlap.h"
#include "vesica/io/yaml.h"

namespace vesica {

// What a contact remembers from its touchdown.
template <class T>
struct ContactMemory {
  T impact_speed{};
};

template <class T>
struct NormalForce {
  T force;    // along n on i, >= 0
  T elastic;  // its part that is a function of the pose
  T roll;     // k alpha [N s/m^4]: weighs the second moment into rolling resistance
  T factor;   // 1 + alpha c before the clamp
};

template <class P>
struct VolumetricNormal {
  static constexpr std::string_view kName = "volumetric";

  P stiffness{};
  P damping{};             // alpha, where no restitution is given
  P restitution_factor{};  // D/e, where one is
  P v_small{};
  bool has_restitution = false;

  static VolumetricNormal with_restitution(const P& stiffness, const P& e, const P& v_small) {
    return {stiffness, P(0), restitution_damping(e), v_small, true};
  }

  static VolumetricNormal read(const InputNode& node) {
    node.allow({"law", "stiffness", "damping", "restitution", "v_small"});
    const P k = node.at("stiffness").positive_scalar<P>(dimension::kVolumetricStiffness);
    const auto e = node.find("restitution");
    const auto damping = node.find("damping");
    if (!e) {
      if (const auto v = node.find("v_small")) v->fail("goes with 'restitution', which is missing");
      return {k, damping ? damping->non_negative_scalar<P>(dimension::kContactDamping) : P(0)};
    }
    if (damping) damping->fail("give either 'damping' or 'restitution', not both");
    const P v_small = node.at("v_small").positive_scalar<P>(dimension::kSpeed);
    const P value = e->scalar<P>(dimension::kNumber);
    try {
      return with_restitution(k, value, v_small);
    } catch (const InputError& error) {
      e->fail(error.what());
    }
  }

  template <class T>
  T alpha(const ContactMemory<T>& memory) const {
    if (!has_restitution) return T(damping);
    return restitution_factor /
           select(memory.impact_speed > T(v_small), memory.impact_speed, T(v_small));
  }

  template <class T>
  NormalForce<T> operator()(const Overlap<T>& o, const T& closing_speed,
                            const ContactMemory<T>& memory) const {
    NormalForce<T> f;
    const T a = alpha(memory);
    f.elastic = stiffness * o.volume;
    f.factor = T(1) + a * closing_speed;
    f.force = select(f.factor > T(0), f.elastic * f.factor, T(0));
    f.roll = stiffness * a;
    return f;
  }
};

}  // namespace vesica
