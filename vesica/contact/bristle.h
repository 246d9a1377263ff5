// Gonthier's seven-parameter bristle friction: sticks, and remembers how long it has stuck.
//
// Point contact (`bristle`, eqs. 3.28-3.42). States: z [m], the bristles' bending, tangent; s_dw,
// how much of the bond has formed since sliding stopped.
//   s      = exp(-v^2/v_S^2)                            (3.30) 1 sticking, 0 sliding
//   z'     = s v + (1 - s)(mu_C dir(v) - sigma_0 z)/sigma_1                          (3.35)
//   s_dw'  = (s - s_dw)/tau_dw while it grows, /tau_br while it falls                (3.36)
//   tau_br = sigma_1/sigma_0
//   mu_max = mu_C + (mu_S - mu_C) s_dw                                               (3.37)
//   b      = sat(sigma_0 z + sigma_1 z', mu_max)                                     (3.39)
//   z'     = (b - sigma_0 z)/sigma_1 where that is saturated                         (3.41)
//   f_t    = -f_n (b + sigma_2 v)                                                    (3.42)
//
// Volumetric contact (`volumetric_bristle`, eqs. 4.215-4.243) adds the twist theta_n about n and
// the Contensou factors: with r the radius of gyration,
//   v_avg^2 = v^2 + (r w_n)^2 in place of v^2 in s,
//   C_v = |v|/v_avg, C_w = r |w_n|/v_avg, both 1 when sticking: C_s = s + (1 - s) C         (4.223)
//   the limits mu of the force are multiplied by C_v,s, those of the torque by C_w,s
// The state kept is the bending r theta_n [m] of a bristle at the radius of gyration: it is the
// source's equation for a patch of constant size, and stays finite where a patch begins (r = 0).
//
//   mu_S, mu_C [-], sigma_0 [1/m], sigma_1 [s/m], sigma_2 [s/m], v_S [m/s], tau_dw [s]
//   dwell: false             s_dw = s, tau_dw is not needed
//   load_proportional: false sigma in N/m, N s/m: bristles do not stiffen with load (Table 5.4)
//   v_eps [m/s]              below it directions are relaxed; v_S/100 unless given
//   spin_scale               volumetric: of the torque about n, 1 unless given (5.2.2 takes 0.65)
//
// dir and |.| are relaxed below v_eps in the C1 form (smooth.h); sgn(w_n) of (4.238), which
// chatters at round-off, is relaxed with them. z is carried round n by the mean spin of both bodies
// and loses the part along n within tau_br, so that it stays tangent as n turns and neither body
// nor frame is preferred. After separation all states are zero.
//
// Smoothness: C0 at saturation and where s_dw turns, C1 elsewhere.
// Stores f_n sigma_0 (z^2 + spin_scale (r theta)^2)/2. Where f_n changes on a bent bristle that
// energy is not conserved: under a vibrating load the bristle ratchets
// (docs/theory/laws/bristle.md). Cannot represent: partial slip; the factors stand for an integral
// over the patch (`patch`).
#pragma once

#include <array>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vesica/contact/friction_force.h"
#include "vesica/math/fields.h"
#include "vesica/math/smooth.h"

namespace vesica {

template <class P>
struct BristleParameters {
  P mu_S{}, mu_C{};
  P sigma_0{}, sigma_1{}, sigma_2{0.0};
  P v_S{}, v_eps{};
  P tau_dw{0.0};
  P spin_scale{1.0};
  bool dwell = true;
  bool load_proportional = true;
  bool has_mu_S = true, has_v_eps = true;  // else mu_C, v_S/100, when a model is made

  P tau_br() const { return sigma_1 / sigma_0; }
  void describe(Fields<P>& f, bool volumetric);
};

// One bristle, of a vector or of a number: rate, force over load, whether it is saturated.
namespace detail {

template <class T, class V>
struct BristleStep {
  V rate, b;
  bool saturated;
};

// `direction` is the relaxed unit vector of the velocity.
template <class P, class T, class V>
BristleStep<T, V> advance_bristle(const BristleParameters<P>& p, const T& s, const V& velocity,
                                  const V& direction, const V& z, const T& sliding_limit,
                                  const T& limit) {
  using std::sqrt;
  BristleStep<T, V> step;
  const P inverse = P(1) / p.sigma_1;
  step.rate =
      velocity * s + (direction * sliding_limit - z * T(p.sigma_0)) * ((T(1) - s) * inverse);
  step.b = z * T(p.sigma_0) + step.rate * T(p.sigma_1);
  T size2;
  if constexpr (std::is_same_v<T, V>) {
    size2 = step.b * step.b;
  } else {
    size2 = step.b.squaredNorm();
  }
  step.saturated = size2 > limit * limit;
  if (step.saturated) {
    step.b = step.b * (limit / sqrt(size2));
    step.rate = (step.b - z * T(p.sigma_0)) * T(inverse);
  }
  return step;
}

// s_dw' and mu_max.
template <class P, class T>
T dwell_rate(const BristleParameters<P>& p, const T& s, const T& s_dw) {
  if (!p.dwell) return T(0);
  return (s - s_dw) / (s < s_dw ? p.tau_br() : p.tau_dw);
}

}  // namespace detail

template <class P>
struct Bristle {
  static constexpr std::string_view kName = "bristle";
  static constexpr int kStates = 4;  // z, s_dw
  static constexpr std::array<std::string_view, 4> kStateNames = {"z.x", "z.y", "z.z", "s_dw"};

  BristleParameters<P> p;

  void describe(Fields<P>& f) { p.describe(f, false); }
  double state_scale(int k) const {
    return k == 3 ? 1.0 : std::max(1e-9, value_of(p.mu_S) / value_of(p.sigma_0));
  }

  template <class T>
  FrictionForce<T> operator()(const FrictionInput<T>& in, const T* states, T* rates) const {
    using std::exp;
    const Vec3<T> z_W(states[0], states[1], states[2]);
    const T z_n = in.n_W.dot(z_W);
    const Vec3<T> z = z_W - in.n_W * z_n;
    const T v2 = in.slip.squaredNorm();
    const T s = exp(-v2 / square(p.v_S));
    const T mu_max = p.mu_C + (p.mu_S - p.mu_C) * (p.dwell ? states[3] : s);
    // Limits and forces per load, or absolute.
    const T limits = p.load_proportional ? T(1) : in.f_n;
    const T load = p.load_proportional ? in.f_n : T(1);
    const auto step = detail::advance_bristle<P, T, Vec3<T>>(
        p, s, in.slip, in.slip * direction_ratio(v2, p.v_eps), z, limits * p.mu_C, limits * mu_max);
    const Vec3<T> z_rate =
        step.rate + in.n_W.cross(z) * in.carrier_spin - in.n_W * (z_n / p.tau_br());
    for (int k = 0; k < 3; ++k) rates[k] = z_rate[k];
    rates[3] = detail::dwell_rate(p, s, states[3]);

    FrictionForce<T> f;
    f.f_t = (step.b + in.slip * T(p.sigma_2)) * (-load);
    f.spin_torque = T(0);
    f.stored = T(0.5) * load * p.sigma_0 * z.squaredNorm();
    f.stored_rate = load * p.sigma_0 * z.dot(step.rate);
    f.stored_spin_rate = T(0);
    f.saturated = step.saturated;
    return f;
  }
};

template <class P>
struct VolumetricBristle {
  static constexpr std::string_view kName = "volumetric_bristle";
  static constexpr int kStates = 5;  // z, s_dw, r theta_n
  static constexpr std::array<std::string_view, 5> kStateNames = {"z.x", "z.y", "z.z", "s_dw",
                                                                  "r_theta"};

  BristleParameters<P> p;

  void describe(Fields<P>& f) { p.describe(f, true); }
  double state_scale(int k) const { return Bristle<P>{p}.state_scale(k); }

  template <class T>
  FrictionForce<T> operator()(const FrictionInput<T>& in, const T* states, T* rates) const {
    using std::exp;
    using std::sqrt;
    const Vec3<T> z_W(states[0], states[1], states[2]);
    const T z_n = in.n_W.dot(z_W);
    const Vec3<T> z = z_W - in.n_W * z_n;
    const T& twist = states[4];
    const T r = in.spread2 > T(0) ? T(sqrt(in.spread2)) : T(0);
    const T rim = r * in.spin;
    const T v2 = in.slip.squaredNorm(), rim2 = rim * rim, average2 = v2 + rim2;
    const T s = exp(-average2 / square(p.v_S));
    const T mu_max = p.mu_C + (p.mu_S - p.mu_C) * (p.dwell ? states[3] : s);

    const T to_direction = direction_ratio(v2, p.v_eps);
    const T to_sign = direction_ratio(rim2, p.v_eps);
    const bool fast = average2 > T(square(p.v_eps));
    const T average = fast ? T(sqrt(average2)) : T(p.v_eps);
    const T C_v = s + (T(1) - s) * (v2 * to_direction / average);
    const T C_w = s + (T(1) - s) * (rim2 * to_sign / average);

    const T limits = p.load_proportional ? T(1) : in.f_n;
    const T load = p.load_proportional ? in.f_n : T(1);
    const auto slide = detail::advance_bristle<P, T, Vec3<T>>(
        p, s, in.slip, in.slip * to_direction, z, limits * p.mu_C * C_v, limits * mu_max * C_v);
    const auto turn = detail::advance_bristle<P, T, T>(
        p, s, rim, rim * to_sign, twist, limits * p.mu_C * C_w, limits * mu_max * C_w);
    const Vec3<T> z_rate =
        slide.rate + in.n_W.cross(z) * in.carrier_spin - in.n_W * (z_n / p.tau_br());
    for (int k = 0; k < 3; ++k) rates[k] = z_rate[k];
    rates[3] = detail::dwell_rate(p, s, states[3]);
    rates[4] = turn.rate;

    FrictionForce<T> f;
    f.f_t = (slide.b + in.slip * T(p.sigma_2)) * (-load);
    const T turning_load = load * p.spin_scale;
    f.spin_torque = (turn.b + rim * p.sigma_2) * r * (-turning_load);
    f.stored = T(0.5) * p.sigma_0 * (load * z.squaredNorm() + turning_load * twist * twist);
    f.stored_rate = load * p.sigma_0 * z.dot(slide.rate);
    f.stored_spin_rate = turning_load * p.sigma_0 * twist * turn.rate;
    f.saturated = slide.saturated || turn.saturated;
    return f;
  }
};

template <class P>
void BristleParameters<P>::describe(Fields<P>& f, bool volumetric) {
  f.flag({.key = "load_proportional",
          .meaning = "false: bristles do not stiffen with the load",
          .unless = 1.0},
         &load_proportional);
  const Dimension stiffness =
      load_proportional ? Dimension{-1, 0, 0, "1/m"} : dimension::kStiffness;
  const Dimension drag = load_proportional ? dimension::kContactDamping : dimension::kViscosity;
  f.number({"mu_C", dimension::kNumber, Rule::kPositive, "sliding"}, &mu_C);
  has_mu_S = f.has("mu_S", has_mu_S);
  if (has_mu_S) {
    f.number({"mu_S", dimension::kNumber, Rule::kPositive,
              "sticking, not below mu_C; mu_C unless given"},
             &mu_S);
    f.check(!(mu_S < mu_C), "mu_S", "must not be below mu_C");
  } else {
    mu_S = mu_C;
  }
  f.number({"sigma_0", stiffness, Rule::kPositive,
            "stiffness over load (N/m with load_proportional: false)"},
           &sigma_0);
  f.number({"sigma_1", drag, Rule::kPositive, "damping over load (N s/m)"}, &sigma_1);
  f.number({"sigma_2", drag, Rule::kNonNegative, "viscous over load (N s/m); 0 unless given", 0.0},
           &sigma_2);
  f.number({"v_S", dimension::kSpeed, Rule::kPositive, "slip over which sticking ends"}, &v_S);
  f.flag({.key = "dwell", .meaning = "false: the bond forms at once, no tau_dw", .unless = 1.0},
         &dwell);
  if (dwell) {
    f.number({"tau_dw", dimension::kTime, Rule::kPositive, "time over which the bond forms"},
             &tau_dw);
  } else {
    f.check(!f.has("tau_dw", false), "tau_dw", "has no effect with 'dwell: false'");
  }
  has_v_eps = f.has("v_eps", has_v_eps);
  if (has_v_eps) {
    f.number({"v_eps", dimension::kSpeed, Rule::kPositive,
              "below it directions are relaxed; v_S/100 unless given"},
             &v_eps);
    f.check(!(v_eps > v_S), "v_eps", "must not exceed v_S; a tenth of it or less is recommended");
  } else {
    v_eps = P(0.01) * v_S;
  }
  if (volumetric) {
    f.number({"spin_scale", dimension::kNumber, Rule::kPositive,
              "of the torque about n; 1 unless given", 1.0},
             &spin_scale);
  }
}

}  // namespace vesica
