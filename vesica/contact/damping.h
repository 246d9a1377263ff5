// Hysteretic damping: the factor 1 + alpha c of every normal law that has one. c > 0 while
// approaching, alpha >= 0 [s/m].
//
//   damping      alpha itself
//   restitution  alpha = (D/e)/c_impact, c_impact the closing speed at touchdown, not below v_small
//     rule gonthier             D of restitution.h: returns e for any stiffness law
//          hunt_crossley        D/e = 3/2 (1 - e)     (Gonthier 3.26): e near 1 only
//          lankarani_nikravesh  D/e = 3/4 (1 - e^2)   (Gonthier 3.27): e near 1 only
//   restitution_slope  e = 1 - a c_impact, a [s/m], not below kSmallestRestitution
// Realised restitution is lower than asked where gravity or a soft contact matter.
#pragma once

#include "vesica/contact/restitution.h"
#include "vesica/error.h"
#include "vesica/math/fields.h"

namespace vesica {

// What a contact remembers from its touchdown.
template <class T>
struct ContactMemory {
  T impact_speed{};       // closing speed when it began; not positive where it began otherwise
  bool captured = false;  // false: not begun, or begun within a step

  bool operator==(const ContactMemory&) const = default;
};

enum class RestitutionRule { kGonthier, kHuntCrossley, kLankaraniNikravesh };

// e = 1 - a c would reach zero at an impact of 1/a, where no damping returns it.
inline constexpr double kSmallestRestitution = 0.01;

template <class P>
class HystereticDamping {
 public:
  HystereticDamping() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a plain number is the common case
  HystereticDamping(const P& alpha) : alpha_(alpha) {}

  static HystereticDamping with_restitution(const P& e, const P& v_small,
                                            RestitutionRule rule = RestitutionRule::kGonthier) {
    HystereticDamping d;
    d.kind_ = Kind::kRestitution;
    d.e_ = e;
    d.rule_ = rule;
    d.factor_ = calc_factor(e, rule);
    d.v_small_ = v_small;
    return d;
  }
  static HystereticDamping with_restitution_slope(const P& a, const P& v_small,
                                                  RestitutionRule rule) {
    HystereticDamping d;
    d.kind_ = Kind::kRestitutionSlope;
    d.alpha_ = a;
    d.v_small_ = v_small;
    d.rule_ = rule;
    return d;
  }

  // `rule`: what a restitution is turned into damping by, unless a file gives another.
  void describe(Fields<P>& f, RestitutionRule rule = RestitutionRule::kGonthier);
  bool has_restitution() const { return kind_ == Kind::kRestitution; }

  bool needs_impact_speed() const { return kind_ != Kind::kConstant; }

  template <class T>
  T alpha(const ContactMemory<T>& memory) const {
    if (kind_ == Kind::kConstant) return T(alpha_);
    const T speed = select(memory.impact_speed > T(v_small_), memory.impact_speed, T(v_small_));
    if (kind_ == Kind::kRestitution) return factor_ / speed;
    T e = T(1) - alpha_ * speed;
    e = select(e > T(kSmallestRestitution), e, T(kSmallestRestitution));
    return calc_factor(e, rule_) / speed;
  }

 private:
  enum class Kind { kConstant, kRestitution, kRestitutionSlope };

  template <class T>
  static T calc_factor(const T& e, RestitutionRule rule) {
    switch (rule) {
      case RestitutionRule::kHuntCrossley:
        return T(1.5) * (T(1) - e);
      case RestitutionRule::kLankaraniNikravesh:
        return T(0.75) * (T(1) - e * e);
      default:
        break;
    }
    if constexpr (requires { restitution_damping(e); }) {
      return restitution_damping(e);
    } else {
      throw InputError("a restitution that depends on the impact is for doubles and dual numbers");
    }
  }

  Kind kind_ = Kind::kConstant;
  RestitutionRule rule_ = RestitutionRule::kGonthier;
  P alpha_{};  // or the slope a
  P e_{}, factor_{};
  P v_small_{};
};

template <class P>
void HystereticDamping<P>::describe(Fields<P>& f, RestitutionRule rule) {
  const bool e = f.has("restitution", kind_ == Kind::kRestitution);
  const bool slope = f.has("restitution_slope", kind_ == Kind::kRestitutionSlope);
  const bool all = f.lists_all();
  f.check(!(e && slope), "restitution_slope",
          "give either 'restitution' or 'restitution_slope', not both");
  if ((!e && !slope) || all) {
    f.number({"damping", dimension::kContactDamping, Rule::kNonNegative,
              "alpha itself; excludes the others", 0.0},
             &alpha_);
  } else {
    f.check(!f.has("damping", false), "damping",
            "give either 'damping' or 'restitution', not both");
  }
  if (!e && !slope) {
    for (const char* key : {"v_small", "restitution_rule"}) {
      f.check(!f.has(key, false), key, "goes with 'restitution', which is missing");
    }
    kind_ = Kind::kConstant;
    return;
  }
  kind_ = e ? Kind::kRestitution : Kind::kRestitutionSlope;
  if (e) f.number({"restitution", dimension::kNumber, Rule::kAny, "e, 0 < e <= 1"}, &e_);
  if (slope) {
    f.number({"restitution_slope", dimension::kContactDamping, Rule::kNonNegative,
              "a: e = 1 - a c_impact, not below 0.01"},
             &alpha_);
  }
  f.number({"v_small", dimension::kSpeed, Rule::kPositive,
            "floor of c_impact; required with a restitution"},
           &v_small_);
  f.choice({.key = "restitution_rule",
            .meaning = "gonthier unless given",
            .unless = static_cast<double>(rule)},
           {"gonthier", "hunt_crossley", "lankarani_nikravesh"}, &rule_);
  if (!e || !f.has_values()) return;
  try {
    calc_restitution_damping(value_of(e_));  // refuses what is no restitution, for every rule
    factor_ = calc_factor(e_, rule_);
  } catch (const InputError& error) {
    f.fail("restitution", error.what());
  }
}

}  // namespace vesica
