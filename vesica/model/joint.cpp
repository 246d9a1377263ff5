// What a joint of a model may have: axes, start, drive, springs, limits, friction, motors.
#include <fmt/format.h>

#include <algorithm>

#include "vesica/model/model.h"

namespace vesica::model {
namespace {

// Dimensions that a coordinate brings with it.
struct CoordinateUnits {
  Dimension value, rate, acceleration, force, stiffness, viscosity;
};
CoordinateUnits units_of(JointType type, size_t speed) {
  using namespace dimension;
  if (speed_is_angular(type, static_cast<int>(speed))) {
    return {kAngle, kSpin, kAngularAcceleration, kTorque, kTurningStiffness, kTurningViscosity};
  }
  return {kLength, kSpeed, kAcceleration, kForce, kStiffness, kViscosity};
}

template <class P>
bool is_zero_vector(const Vec3<P>& v) {
  return value_of(v).norm() == 0;
}

// One map, or a list of them, each for a coordinate of the joint.
template <class P, class Action, class Describe>
void describe_actions(Fields<P>& f, const char* key, const Joint<P>& joint, bool* has_list,
                      std::vector<Action>* actions, const Describe& describe) {
  if (!f.has(key, !actions->empty())) {
    actions->clear();
    return;
  }
  const Words names = coordinate_names(joint.joint_type());
  f.check(!names.empty(), key, "needs a joint with angles or distances as coordinates");
  f.check(joint.driven.empty(), key, "does nothing here: the joint is driven");
  if (names.empty()) return;
  const auto describe_one = [&](Action& action) {
    const auto found = std::find(names.begin(), names.end(), action.coordinate);
    size_t speed = found == names.end() ? 0 : static_cast<size_t>(found - names.begin());
    if (f.has("coordinate", !action.coordinate.empty())) {
      if (found == names.end() && !action.coordinate.empty()) {
        f.fail("coordinate", fmt::format("'{}' is not known; known here: {}", action.coordinate,
                                         fmt::join(names, ", ")));
      }
      f.word({.key = "coordinate"}, names, &speed);
      action.coordinate = names[speed];
    } else if (names.size() > 1) {
      f.fail("", fmt::format("give 'coordinate': {}", fmt::join(names, ", ")));
    }
    describe(action, units_of(joint.joint_type(), speed),
             speed_is_angular(joint.joint_type(), static_cast<int>(speed)));
  };
  *has_list = f.is_list(key, actions->size() > 1 || *has_list);
  if (*has_list) {
    size_t count = actions->size();
    f.items(key, &count, [&](size_t k) {
      if (actions->size() < count) actions->resize(count);
      describe_one((*actions)[k]);
    });
  } else {
    if (actions->empty()) actions->resize(1);
    f.below(key, [&] { describe_one(actions->front()); });
  }
}

template <class P>
void describe_axes(Fields<P>& f, Joint<P>* joint) {
  const JointType type = joint->joint_type();
  const auto check_axis = [&](const std::string& key, const Vec3<P>& axis) {
    f.check(!is_zero_vector(axis), key, "an axis cannot be zero");
  };
  const int count = row_of(type).axes;
  const auto say_whose = [](int axes) {
    return fmt::format("belongs to joints of type {}",
                       fmt::join(joint_names_with_axes(axes), ", "));
  };
  const size_t given = joint->axes.size();
  const bool is_wrong = given != 0 && given != static_cast<size_t>(count);
  if (count != 1 && f.has("axis", count == 0 && given != 0)) f.fail("axis", say_whose(1));
  if (count != 2 && f.has("axes", false)) f.fail("axes", say_whose(2));
  if (count == 1) {
    f.check(!is_wrong, "axis", "this joint has one axis");
    if (joint->axes.size() != 1) joint->axes.resize(1, Vec3<P>::Zero());
    f.vector({.key = "axis", .meaning = "of any length"}, &joint->axes[0]);
    check_axis("axis", joint->axes[0]);
  } else if (count == 2) {
    f.check(!is_wrong, "axes", "this joint has two axes");
    if (joint->axes.size() != 2) joint->axes.resize(2, Vec3<P>::Zero());
    size_t found = 2;
    f.items("axes", &found, [&](size_t k) {
      if (k < 2) f.vector({}, &joint->axes[k]);
    });
    if (!f.has_values()) return;
    if (found != 2) f.fail("axes", fmt::format("expected a list of 2, found {}", found));
    for (size_t k = 0; k < 2; ++k) check_axis(fmt::format("axes.{}", k), joint->axes[k]);
    const Vec3d a = value_of(joint->axes[0]).normalized(),
                b = value_of(joint->axes[1]).normalized();
    f.check(!(a.cross(b).norm() < 1e-6), "axes", "the two axes must not be parallel");
  }
}

template <class P>
void describe_drive(Fields<P>& f, Joint<P>* joint) {
  if (!f.has("driven", !joint->driven.empty())) {
    joint->driven.clear();
    return;
  }
  const JointType type = joint->joint_type();
  const auto count = static_cast<size_t>(speed_count(type));
  f.check(!coordinate_names(type).empty(), "driven",
          "needs a joint with angles or distances as coordinates");
  if (coordinate_names(type).empty()) return;
  if (!joint->driven.empty() && joint->driven.size() != count && f.has_values()) {
    f.fail("driven", fmt::format("expected a list of {}, found {}", count, joint->driven.size()));
  }
  joint->driven.resize(count);
  const auto describe = [&](size_t k) {
    const CoordinateUnits units = units_of(type, k);
    joint->driven[k].describe(f, units.value, units.rate);
  };
  if (count == 1) {
    f.below("driven", [&] { describe(0); });
    return;
  }
  size_t found = count;
  f.items("driven", &found, [&](size_t k) {
    if (k < count) describe(k);
  });
  if (found != count && f.has_values()) {
    f.fail("driven", fmt::format("expected a list of {}, found {}", count, found));
  }
}

// Numbers for the coordinates of a joint, in the units of each.
template <class P>
void describe_coordinates(Fields<P>& f, const char* key, JointType type, bool is_rate,
                          std::vector<P>* x) {
  if (!f.has(key, !x->empty())) {
    x->clear();
    return;
  }
  const auto count = static_cast<size_t>(coordinate_count(type));
  const auto dimension_of = [&](size_t k) {
    const CoordinateUnits units = units_of(type, k);
    return is_rate ? units.rate : units.value;
  };
  if (x->size() != count && !x->empty() && f.has_values()) {
    f.fail(key, fmt::format("expected a list of {}, found {}", count, x->size()));
  }
  x->resize(count, P(0.0));
  if (count == 0) {
    f.fail(key, "this joint has no coordinates");
  } else if (count == 1) {
    f.number({.key = key, .dimension = dimension_of(0)}, &x->front());
  } else {
    size_t found = count;
    f.items(key, &found, [&](size_t k) {
      if (k < count) f.number({.key = {}, .dimension = dimension_of(k)}, &(*x)[k]);
    });
    if (found != count && f.has_values()) {
      f.fail(key, fmt::format("expected a list of {}, found {}", count, found));
    }
  }
}

template <class P>
void describe_start(Fields<P>& f, Joint<P>* joint) {
  const JointType type = joint->joint_type();
  if (!joint->driven.empty()) {
    constexpr const char* kDriven = "does nothing here: the joint is driven";
    f.check(!f.has("start", !joint->start.empty() || joint->start_pose), "start", kDriven);
    f.check(!f.has("rate", !joint->rate.empty() || joint->start_velocity), "rate", kDriven);
    return;
  }
  if (quaternion_place(type) < 0) {
    describe_coordinates(f, "start", type, false, &joint->start);
    describe_coordinates(f, "rate", type, true, &joint->rate);
    f.check(!joint->start_pose, "start", "is a number for each coordinate of this joint, no pose");
    f.check(!joint->start_velocity, "rate",
            "is a number for each coordinate of this joint, no velocity");
    return;
  }
  f.optional_below("start", &joint->start_pose);
  f.optional_below("rate", &joint->start_velocity);
  f.check(joint->start.empty() && joint->rate.empty(), "start",
          "is a pose, and the rate a velocity: this joint has no single coordinates");
  if (type != JointType::kSpherical || !f.has_values()) return;
  constexpr const char* kTurns = "a spherical joint turns; it has no position";
  f.check(!joint->start_pose || is_zero_vector(joint->start_pose->position), "start", kTurns);
  f.check(!joint->start_velocity || is_zero_vector(joint->start_velocity->linear),
          joint->start_pose ? "start" : "rate", kTurns);
}

}  // namespace

template <class P>
void BushingSprings<P>::describe(Fields<P>& f) {
  // One number for all directions, or three.
  const auto springs = [&](const char* key, const Dimension& d, Vec3<P>* v, size_t k) {
    if (k > 0 && !f.has(key, true)) return;
    is_uniform[k] = !f.is_list(key, !is_uniform[k]);
    if (!is_uniform[k]) {
      f.vector({key, d, Rule::kNonNegative}, v);
    } else {
      P x = v->x();
      f.number({key, d, Rule::kNonNegative}, &x);
      *v = Vec3<P>(x, x, x);
    }
  };
  springs("stiffness", dimension::kStiffness, &stiffness, 0);
  springs("turning_stiffness", dimension::kTurningStiffness, &turning_stiffness, 1);
  springs("damping", dimension::kViscosity, &damping, 2);
  springs("turning_damping", dimension::kTurningViscosity, &turning_damping, 3);
}

template <class P>
JointType Joint<P>::joint_type() const {
  for (const JointRow& row : joint_rows()) {
    if (row.name == type) return row.type;
  }
  return JointType::kFree;  // a bushing
}

template <class P>
void Joint<P>::describe(Fields<P>& f) {
  static const Words kTypes = [] {
    Words words = joint_names();
    words.emplace_back("bushing");
    return words;
  }();
  const auto found = std::find(kTypes.begin(), kTypes.end(), type);
  if (found == kTypes.end()) {
    f.fail("type", fmt::format("'{}' is not known; known here: {}", type, fmt::join(kTypes, ", ")));
  }
  size_t index = found == kTypes.end() ? 0 : static_cast<size_t>(found - kTypes.begin());
  f.word({.key = "type"}, kTypes, &index);
  type = kTypes[index];
  f.text({.key = "parent", .meaning = "a body, or world"}, &parent);
  f.optional_below("in_parent", &in_parent);
  f.optional_below("in_body", &in_body);
  describe_axes(f, this);
  describe_drive(f, this);
  describe_start(f, this);
  describe_actions(
      f, "spring", *this, &has_list[0], &springs,
      [&](JointSpring<P>& s, const CoordinateUnits& units, bool) {
        f.number({"stiffness", units.stiffness, Rule::kNonNegative, "", 0.0}, &s.stiffness);
        f.number({"damping", units.viscosity, Rule::kNonNegative, "", 0.0}, &s.damping);
        f.number({"rest", units.value, Rule::kAny, "", 0.0}, &s.rest);
      });
  describe_actions(
      f, "limits", *this, &has_list[1], &limits,
      [&](JointLimit<P>& l, const CoordinateUnits& units, bool angular) {
        f.list({"range", units.value, Rule::kAny, "lowest, highest"}, l.range.data(), 2);
        f.check(l.range[0] < l.range[1], "range", "gives the lowest value, then the highest");
        f.number({"stiffness", units.stiffness, Rule::kPositive}, &l.stiffness);
        f.number({"damping", angular ? dimension::kTime : dimension::kContactDamping,
                  Rule::kNonNegative, "", 0.0},
                 &l.damping);
      });
  describe_actions(f, "friction", *this, &has_list[2], &frictions,
                   [&](JointFriction<P>& friction, const CoordinateUnits&, bool angular) {
                     f.number({"load", dimension::kForce, Rule::kNonNegative}, &friction.load);
                     if (angular) {
                       f.number({"radius", dimension::kLength, Rule::kPositive}, &friction.radius);
                     } else {
                       f.check(!f.has("radius", false), "radius",
                               "belongs to a joint that turns; a slide has none");
                     }
                     f.check(f.is_map("law", true), "law",
                             "a friction law with its parameters: {law: brown_mcphee, ...}");
                     f.below("law", [&] { describe_one_of(f, {.key = "law"}, &friction.law); });
                   });
  describe_actions(
      f, "motor", *this, &has_list[3], &motors,
      [&](JointMotor<P>& m, const CoordinateUnits& units, bool) {
        f.choice({.key = "input"}, {"torque", "position", "speed"}, &m.input);
        const Dimension force_rate{units.force.m, units.force.kg, units.force.s - 1, "per second"};
        f.below("value", [&] {
          switch (m.input) {
            case MotorType::kTorque:
              return m.value.describe(f, units.force, force_rate);
            case MotorType::kPosition:
              return m.value.describe(f, units.value, units.rate);
            case MotorType::kSpeed:
              return m.value.describe(f, units.rate, units.acceleration);
          }
        });
        const bool takes_gain = m.input != MotorType::kTorque;
        const bool takes_rate = m.input == MotorType::kPosition;
        if (takes_gain) {
          f.number({"gain", takes_rate ? units.stiffness : units.viscosity, Rule::kNonNegative},
                   &m.gain);
        } else {
          f.check(!f.has("gain", value_of(m.gain) != 0), "gain",
                  "belongs to 'input: position' and 'speed'");
        }
        if (takes_rate) {
          f.number({"rate_gain", units.viscosity, Rule::kNonNegative, "", 0.0}, &m.rate_gain);
        } else {
          f.check(!f.has("rate_gain", value_of(m.rate_gain) != 0), "rate_gain",
                  takes_gain ? "belongs to 'input: position'"
                             : "belongs to 'input: position' and 'speed'");
        }
        f.number({"limit", units.force, Rule::kPositive}, &m.limit);
      });
  if (is_bushing()) {
    f.check(parent != "world", "parent",
            "a bushing joins two bodies; give the ground a body with 'fixed: true'");
    bushing.describe(f);
    return;
  }
  for (const char* key : {"stiffness", "turning_stiffness", "damping", "turning_damping"}) {
    f.check(!f.has(key, false), key,
            "belongs to 'type: bushing'; a joint's own spring is 'spring: {stiffness: ...}'");
  }
}

#define VESICA_INSTANTIATE(P)        \
  template struct BushingSprings<P>; \
  template struct Joint<P>;
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica::model
