// A power of the volume: F = k V^H + a V c, held at zero where it would pull (Shourijeh 13, where
// a_h V v_cn is signed by his own v_n).
//
//   stiffness k [N/m^(3 H)], exponent H, damping a [N s/m^4]
// Shourijeh's fitted H of 0.78 to 0.85 is a foundation that softens with depth; the integral that
// this form approximates is hyper_volumetric.
// Smoothness: that of V^H; for H < 1 the slope at touchdown is still finite on a curved body
// (V ~ d^2). Cannot represent: an elastic energy (F n at the centroid has no potential unless
// H = 1: its work is reported as non-potential), rolling resistance.
#pragma once

#include <string_view>

#include "vesica/contact/normal_force.h"

namespace vesica {

template <class P>
struct VolumePower {
  static constexpr std::string_view kName = "volume_power";
  static constexpr Measure kMeasure = Measure::kVolume;

  P stiffness{};
  P exponent{1.0};
  P damping{};  // a

  void describe(Fields<P>& f) {
    f.number({"exponent", dimension::kNumber, Rule::kPositive,
              "H > 0; below 1 the foundation softens with depth"},
             &exponent);
    f.number(
        {"stiffness", Dimension{1 - 3 * value_of(exponent), 1, -2, "N/m^(3 H), H the exponent"},
         Rule::kPositive, "k"},
        &stiffness);
    f.number(
        {"damping", Dimension{-3, 1, -1, "N s/m^4"}, Rule::kNonNegative, "a; 0 unless given", 0.0},
        &damping);
  }

  template <class T>
  NormalForce<T> operator()(const Overlap<T>&, const T& volume, const T& closing_speed,
                            const ContactMemory<T>&) const {
    using std::pow;
    NormalForce<T> f = NormalForce<T>::none();
    const Mask<T> in = volume > T(0);
    f.elastic = select(in, stiffness * pow(select(in, volume, T(1)), exponent), T(0));
    const T force = f.elastic + damping * volume * closing_speed;
    f.force = select(force > T(0), force, T(0));
    f.factor = select(in, force / select(in, f.elastic, T(1)), T(1));
    return f;
  }
};

}  // namespace vesica
