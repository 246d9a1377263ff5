// Elastic foundation with any pressure curve p(depth), integrated over the patch.
//
//   p(s) = p(f(s)) (1 + alpha c(s)), held at zero where it would pull
//   curve logarithmic  p = -K ln(1 - f/h): a bonded layer of thickness h that stiffens as it is
//   used
//                      up (Blankevoort et al. 1991); K = modulus, or from young_modulus E and
//                      poisson_ratio nu: K = (1 - nu) E/((1 + nu)(1 - 2 nu))
//   curve table        depth and pressure lists from (0, 0); cubic between the points, monotone
//                      where the table is (Fritsch-Carlson), its last slope beyond
//   curve formula      p as an expression of d [m], in Pa: "2e8*d + 3e11*d^2"
//   damping, restitution: damping.h
// Smoothness: that of the curve (table: C1) and of the patch. The logarithm continues with its
// tangent from 0.99 h on, so that forces stay finite; the monitor's depth shows it.
// Cannot represent: coupling between neighbouring points.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "vesica/contact/normal_force.h"
#include "vesica/math/expression.h"

namespace vesica {

// The curve of a table: values, slopes and integrals at the points.
struct PressureTable {
  std::vector<double> depth, pressure, slope, energy;
  // Throws InputError where depths do not grow from 0 or pressures are negative or do not start at
  // 0.
  static PressureTable make(std::vector<double> depth, std::vector<double> pressure);

  size_t interval(double d) const;
  template <class T>
  T value(const T& d) const;
  template <class T>
  T integral(const T& d) const;
};

template <class P>
struct Foundation {
  static constexpr std::string_view kName = "foundation";
  static constexpr Measure kMeasure = Measure::kField;

  enum class Curve { kLogarithmic, kTable, kFormula };
  Curve curve = Curve::kLogarithmic;
  P modulus{}, thickness{1.0};
  P young_modulus{}, poisson_ratio{};
  bool has_material = false;  // the modulus is that of these two
  std::shared_ptr<const PressureTable> table;
  std::shared_ptr<const Expression> formula;
  HystereticDamping<P> damping;

  void describe(Fields<P>& f);

  template <class T>
  T static_pressure(const T& d) const {
    using std::log;
    if (!(d > T(0))) return T(0);
    if (curve == Curve::kTable) return table->value(d);
    if (curve == Curve::kFormula) return (*formula)(d);
    const T x = d / thickness;
    if (x < T(kUsedUp)) return -modulus * log(T(1) - x);
    return modulus * (T(-std::log(1 - kUsedUp)) + (x - T(kUsedUp)) / T(1 - kUsedUp));
  }
  template <class T>
  T pressure(const T& depth, const T& closing_speed, const T& alpha) const {
    const T factor = T(1) + alpha * closing_speed;
    return select(factor > T(0), static_pressure(depth) * factor, T(0));
  }
  // Integral of the pressure over the depth.
  template <class T>
  T energy_density(const T& d) const;

  static constexpr double kUsedUp = 0.99;  // of the thickness

 private:
  void describe_layer(Fields<P>& f);
  void describe_table(Fields<P>& f);
  void describe_formula(Fields<P>& f);
};

template <class T>
T PressureTable::value(const T& d) const {
  const size_t k = interval(value_of(d));
  if (k + 1 == depth.size()) return T(pressure[k]) + (d - T(depth[k])) * slope[k];
  const double h = depth[k + 1] - depth[k];
  const T u = (d - T(depth[k])) / h, v = T(1) - u;
  return v * v * (T(1) + 2.0 * u) * pressure[k] + u * u * (T(3) - 2.0 * u) * pressure[k + 1] +
         h * u * v * (v * slope[k] - u * slope[k + 1]);
}

template <class T>
T PressureTable::integral(const T& d) const {
  const size_t k = interval(value_of(d));
  const T x = d - T(depth[k]);
  if (k + 1 == depth.size()) {
    return T(energy[k]) + x * (pressure[k] + 0.5 * slope[k] * x);
  }
  // The cubic in powers of x.
  const double h = depth[k + 1] - depth[k], rise = (pressure[k + 1] - pressure[k]) / h;
  const double c2 = (3 * rise - 2 * slope[k] - slope[k + 1]) / h;
  const double c3 = (slope[k] + slope[k + 1] - 2 * rise) / (h * h);
  return T(energy[k]) + x * (pressure[k] + x * (0.5 * slope[k] + x * (c2 / 3 + x * (0.25 * c3))));
}

template <class P>
template <class T>
T Foundation<P>::energy_density(const T& d) const {
  using std::log;
  if (!(d > T(0))) return T(0);
  if (curve == Curve::kTable) return table->integral(d);
  if (curve == Curve::kFormula) {
    // Ten Gauss points: exact to degree 19.
    constexpr int kHalf = 5;
    constexpr double kNode[kHalf] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                     0.8650633666889845, 0.9739065285171717};
    constexpr double kWeight[kHalf] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820,
                                       0.1494513491505806, 0.0666713443086881};
    T sum(0);
    for (int k = 0; k < kHalf; ++k) {
      sum += kWeight[k] * ((*formula)(T(d * (0.5 + 0.5 * kNode[k]))) +
                           (*formula)(T(d * (0.5 - 0.5 * kNode[k]))));
    }
    return T(0.5) * d * sum;
  }
  // integral of -ln(1-x) is x + (1-x) ln(1-x)
  const T x = d / thickness;
  const T used = x < T(kUsedUp) ? x : T(kUsedUp);
  T energy = used + (T(1) - used) * log(T(1) - used);
  if (!(x < T(kUsedUp))) {
    const T beyond = x - T(kUsedUp);
    energy += beyond * (T(-std::log(1 - kUsedUp)) + beyond * (0.5 / (1 - kUsedUp)));
  }
  return modulus * thickness * energy;
}

}  // namespace vesica
