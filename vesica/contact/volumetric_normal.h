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

#include "vesica/contact/restitution.h"
#include "vesica/interference/overlap.h"

namespace vesica {

// What a contact remembers from its touchdown.
template <class T>
struct ContactMemory {
  T impact_speed{};
};

template <class T>
struct NormalForce {
  T force{};    // along n on i, >= 0
  T elastic{};  // its part that is a function of the pose
  T roll{};     // k alpha [N s/m^4]: weighs the second moment into rolling resistance
  T factor{};   // 1 + alpha c before the clamp
};

template <class T>
struct VolumetricNormal {
  T stiffness{};
  T damping{};              // alpha, where no restitution is given
  T restitution_factor{};   // D/e, where one is
  T v_small{};
  bool has_restitution = false;

  static VolumetricNormal with_restitution(const T& stiffness, const T& e, const T& v_small) {
    return {stiffness, T(0), restitution_damping(e), v_small, true};
  }

  T alpha(const ContactMemory<T>& memory) const {
    if (!has_restitution) return damping;
    return restitution_factor / (memory.impact_speed > v_small ? memory.impact_speed : v_small);
  }

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
