// Brown & McPhee's smooth velocity-based friction (Brown & McPhee eqs. 47-48; Brown 4.4).
//
//   mu(v) = mu_d tanh(4 v/v_t) + (mu_s - mu_d) (v/v_t) / ((v/v_t)^2/4 + 3/4)^2
//   F     = f_n mu(v) + mu_v v tanh(4 f_n/f_nt), against the slip
//   mu_s, mu_d [-], v_t [m/s]: slip at which mu_s is reached (within 0.1 %); mu_v [N s/m], f_nt
//   [N]: viscous part
// Spinning, with the radius of gyration r of the shared volume: torque f_n r mu(r |w_n|), the form
// with consistent units (the paper's eq. 50 multiplies mu by (f_n/V) J, which is N m^2). With
// transition_spin w_t [rad/s] the argument is w_n/w_t as in eq. 51.
// Smoothness: C-infinity in the velocity, zero velocity included.
// Cannot represent: stiction (it creeps under any load), the Contensou effect, partial slip.
#pragma once

#include "vesica/contact/velocity_friction.h"
#include "vesica/math/exactly.h"

namespace vesica {

template <class P>
struct BrownMcPhee {
  static constexpr std::string_view kName = "brown_mcphee";

  P mu_s{}, mu_d{}, v_t{};
  P mu_v{0.0};
  P f_nt{1.0};
  P transition_spin{0.0};                          // 0: from v_t and the radius of gyration
  bool is_viscous = false, spins_by_rate = false;  // whether a file gives mu_v, transition_spin

  void describe(Fields<P>& f) {
    f.number({"mu_s", dimension::kNumber, Rule::kNonNegative, "static, not below mu_d"}, &mu_s);
    f.number({"mu_d", dimension::kNumber, Rule::kNonNegative, "dynamic"}, &mu_d);
    f.check(!(mu_s < mu_d), "mu_s", "must not be below mu_d");
    f.number({"v_t", dimension::kSpeed, Rule::kPositive, "slip at which mu_s is reached"}, &v_t);
    is_viscous = f.has("mu_v", is_viscous || value_of(mu_v) != 0);
    if (is_viscous) {
      f.number({"mu_v", dimension::kViscosity, Rule::kNonNegative,
                "viscous; none unless given; needs f_nt"},
               &mu_v);
      f.number(
          {"f_nt", dimension::kForce, Rule::kPositive, "load over which the viscous part sets in"},
          &f_nt);
    } else {
      f.check(!f.has("f_nt", false), "f_nt", "goes with 'mu_v', which is missing");
    }
    spins_by_rate = f.has("transition_spin", spins_by_rate || value_of(transition_spin) > 0);
    if (spins_by_rate) {
      f.number({"transition_spin", dimension::kSpin, Rule::kPositive,
                "spin at which the torque peaks; v_t/r unless given"},
               &transition_spin);
    }
  }

  template <class T>
  T ratio(const T& v2) const {
    return ratio_for(v2, v_t);
  }

  template <class T>
  T viscous(const T& f_n) const {
    using std::tanh;
    if (is_exactly(mu_v, 0)) return T(0);
    return mu_v * tanh(T(f_n * (P(4) / f_nt)));
  }

  template <class T>
  T spin_drag(const T& f_n, const T& w_n, const T& r2) const {
    using std::sqrt;
    if (!(value_of(transition_spin) > 0)) {
      return r2 * (f_n * ratio(T(r2 * w_n * w_n)) + viscous(f_n));
    }
    // r itself is needed here; it is regular because a contact has a positive area.
    const T r = sqrt(select(r2 > T(0), r2, T(1)));
    return select(r2 > T(0), f_n * r * ratio_for(T(w_n * w_n), transition_spin), T(0)) +
           viscous(f_n) * r2;
  }

  double mu(double v) const { return v * value_of(ratio(v * v)); }
  double mu_slope(double v) const {
    const double s = value_of(mu_s), d = value_of(mu_d), vt = value_of(v_t), x = v / vt;
    const double c = std::cosh(std::min(4 * x, 300.0)), q = 0.25 * x * x + 0.75;
    return (4 * d / (c * c) + (s - d) * (q - x * x) / (q * q * q)) / vt;
  }
  double speed_scale() const { return 0.25 * value_of(v_t); }

 private:
  template <class T>
  T ratio_for(const T& v2, const P& transition) const {
    return of_one_variable<P>(v2, [&]<class S>(const S& s) {
      const P inverse = P(1) / transition;
      const S x2 = s * square(inverse);
      const S stribeck = 1.0 / square(S(0.25 * x2 + 0.75));
      return S((P(4) * mu_d * inverse) * tanh_ratio(S(16.0 * x2)) +
               ((mu_s - mu_d) * inverse) * stribeck);
    });
  }
};

}  // namespace vesica
