// Specker et al.'s friction (Brown 4.3; in its bracket mu_v v_t is meant where k_v v_t is printed).
//
//   F = [f_n (mu_s - mu_d tanh(v_t/v_d)) - mu_v v_t] (v/v_t) exp((1 - (v/v_t)^2)/2)
//       + f_n mu_d tanh(v/v_d) + mu_v v
//   mu_s, mu_d [-], v_t [m/s]: stiction; v_d [m/s]: dynamic friction (v_t/2 unless given, as
//   Specker recommends; v_t/4 puts the peak at 1.01 v_t instead of 1.15 v_t); mu_v [N s/m]
// Smoothness: C-infinity in the velocity. The viscous part does not know the load: it jumps at
// touchdown. Cannot represent: stiction, the Contensou effect; the peak is neither at v_t nor of
// height mu_s exactly.
#pragma once

#include "vesica/contact/velocity_friction.h"

namespace vesica {

template <class P>
struct Specker {
  static constexpr std::string_view kName = "specker";

  P mu_s{}, mu_d{}, v_t{1.0}, v_d{0.5};
  P mu_v{0.0};
  bool has_v_d = true;  // else v_d is v_t/2, when a model is made

  void describe(Fields<P>& f) {
    f.number({"mu_s", dimension::kNumber, Rule::kNonNegative, "static, not below mu_d"}, &mu_s);
    f.number({"mu_d", dimension::kNumber, Rule::kNonNegative, "dynamic"}, &mu_d);
    f.check(!(mu_s < mu_d), "mu_s", "must not be below mu_d");
    f.number({"v_t", dimension::kSpeed, Rule::kPositive, "slip of the bump"}, &v_t);
    has_v_d = f.has("v_d", has_v_d);
    if (has_v_d) {
      f.number({"v_d", dimension::kSpeed, Rule::kPositive,
                "slip over which dynamic friction rises; v_t/2 unless given"},
               &v_d);
    } else {
      v_d = P(0.5) * v_t;
    }
    f.number({"mu_v", dimension::kViscosity, Rule::kNonNegative,
              "viscous; 0 unless given; does not know the load", 0.0},
             &mu_v);
  }

  template <class T>
  T ratio(const T& v2) const {
    using std::tanh;
    const P stiction = (mu_s - mu_d * tanh(v_t / v_d)) / v_t;
    return stiction * bump(v2) + (mu_d / v_d) * tanh_ratio(T(v2 / square(v_d)));
  }
  // The bracket takes mu_v v_t away from the peak; at a load so small that this would drive the
  // slip the drag is held at zero.
  template <class T>
  T drag(const T& f_n, const T& slip2) const {
    const T total = f_n * ratio(slip2) + select(f_n > T(0), mu_v * (T(1) - bump(slip2)), T(0));
    return select(total > T(0), total, T(0));
  }
  template <class T>
  T spin_drag(const T& f_n, const T& w_n, const T& r2) const {
    return r2 * drag(f_n, T(r2 * w_n * w_n));
  }

  double mu(double v) const { return v * value_of(ratio(v * v)); }
  double mu_slope(double v) const {
    const double s = value_of(mu_s), d = value_of(mu_d), vt = value_of(v_t), vd = value_of(v_d);
    const double x = v / vt, c = std::cosh(std::min(v / vd, 300.0));
    return (s - d * std::tanh(vt / vd)) / vt * (1 - x * x) * std::exp(0.5 * (1 - x * x)) +
           d / (vd * c * c);
  }
  double speed_scale() const { return std::min(value_of(v_t), value_of(v_d)); }

 private:
  template <class T>
  T bump(const T& v2) const {
    using std::exp;
    return exp(T(0.5) * (T(1) - v2 / square(v_t)));
  }
};

}  // namespace vesica
