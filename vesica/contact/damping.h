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
#include "vesica/io/yaml.h"

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

  // The keys that `read` takes, for the laws' own lists.
  static std::vector<std::string_view> allow(std::initializer_list<std::string_view> own) {
    std::vector<std::string_view> keys(own);
    keys.insert(keys.end(), {"law", "damping", "restitution", "restitution_slope", "v_small",
                             "restitution_rule"});
    return keys;
  }
  static HystereticDamping read(const InputNode& node,
                                RestitutionRule rule = RestitutionRule::kGonthier);

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
  P factor_{};
  P v_small_{};
};

template <class P>
HystereticDamping<P> HystereticDamping<P>::read(const InputNode& node, RestitutionRule rule) {
  const auto e = node.find("restitution"), slope = node.find("restitution_slope");
  const auto damping = node.find("damping");
  if (e && slope) slope->fail("give either 'restitution' or 'restitution_slope', not both");
  if (!e && !slope) {
    for (const char* key : {"v_small", "restitution_rule"}) {
      if (const auto child = node.find(key))
        child->fail("goes with 'restitution', which is missing");
    }
    return damping ? HystereticDamping(damping->non_negative_scalar<P>(dimension::kContactDamping))
                   : HystereticDamping();
  }
  if (damping) damping->fail("give either 'damping' or 'restitution', not both");
  if (const auto choice = node.find("restitution_rule")) {
    rule = static_cast<RestitutionRule>(
        choice->choice({"gonthier", "hunt_crossley", "lankarani_nikravesh"}));
  }
  const P v_small = node.at("v_small").positive_scalar<P>(dimension::kSpeed);
  if (slope) {
    return with_restitution_slope(slope->non_negative_scalar<P>(dimension::kContactDamping),
                                  v_small, rule);
  }
  const P value = e->scalar<P>(dimension::kNumber);
  try {
    calc_restitution_damping(value_of(value));  // refuses what is no restitution, for every rule
    return with_restitution(value, v_small, rule);
  } catch (const InputError& error) {
    e->fail(error.what());
  }
}

}  // namespace vesica
