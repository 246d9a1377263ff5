// Linear volumetric normal law: F = k V (1 + alpha c) (Gonthier 4.62; Brown 44 with alpha = -a_V).
//
//   stiffness  k [N/m^3]; two deformable bodies [k_i, k_j]: 1/k = 1/k_i + 1/k_j (Gonthier 4.178)
//   damping, restitution: damping.h
// Smoothness: that of the volume; C0 where 1 + alpha c reaches zero (fast separation).
// Cannot represent: adhesion, plastic set, stiffening with depth.
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include "vesica/contact/normal_force.h"

namespace vesica {

template <class P>
struct VolumetricNormal {
  static constexpr std::string_view kName = "volumetric";
  static constexpr Measure kMeasure = Measure::kVolume;

  P stiffness{};
  HystereticDamping<P> damping;
  std::array<P, 2> layers{P(0.0), P(0.0)};  // k_i, k_j where both give way

  void describe(Fields<P>& f) {
    constexpr Field kField{"stiffness", dimension::kVolumetricStiffness, Rule::kPositive,
                           "k; [k_i, k_j] of two bodies: 1/k = 1/k_i + 1/k_j"};
    // A stiffness that was changed since counts, not the two that it was made of.
    const double both = 1 / (1 / value_of(layers[0]) + 1 / value_of(layers[1]));
    const bool holds = std::abs(value_of(stiffness) - both) <= 1e-12 * both;
    if (f.is_list("stiffness", value_of(layers[0]) > 0 && holds)) {
      f.list(kField, layers.data(), 2);
      if (f.has_values()) stiffness = layers[0] * layers[1] / (layers[0] + layers[1]);
    } else {
      f.number(kField, &stiffness);
      layers = {P(0.0), P(0.0)};
    }
    damping.describe(f);
  }

  template <class T>
  NormalForce<T> operator()(const Overlap<T>& o, const T& volume, const T& closing_speed,
                            const ContactMemory<T>& memory) const {
    NormalForce<T> f = damped<T>(stiffness * volume, stiffness * o.potential, damping.alpha(memory),
                                 closing_speed);
    f.roll = stiffness * f.alpha;
    f.rolls = true;
    return f;
  }

  template <class T>
  T pressure(const T& depth, const T& closing_speed, const T& alpha) const {
    const T factor = T(1) + alpha * closing_speed;
    return select(factor > T(0), stiffness * depth * factor, T(0));
  }
  // Energy per area.
  template <class T>
  T energy_density(const T& depth) const {
    return T(0.5) * stiffness * depth * depth;
  }
};

}  // namespace vesica
