#include "vesica/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/interference/method_row.h"
#include "vesica/model/describe_parts.h"
#include "vesica/multibody/grood_suntay.h"

namespace vesica::model {
namespace {

template <class P>
bool is_zero(const Vec3<P>& v) {
  return value_of(v).norm() == 0;
}

template <class P>
void check_inertia(Fields<P>& f, const Mat3<P>& I, bool carried) {
  if (!f.has_values()) return;
  auto at = [&](int r, int c) { return value_of(I(r, c)); };
  const double trace = at(0, 0) + at(1, 1) + at(2, 2);
  for (int r = 0; r < 3; ++r) {
    const int s = (r + 1) % 3, t = (r + 2) % 3;
    f.check(!(std::abs(at(r, s) - at(s, r)) > 1e-9 * trace), "inertia",
            "an inertia tensor is symmetric");
    f.check(at(r, r) > 0 || (carried && at(r, r) == 0), "inertia",
            "moments of inertia are greater than zero");
    f.check(!(at(r, r) > (at(s, s) + at(t, t)) * (1 + 1e-9)), "inertia",
            "a moment of inertia cannot exceed the sum of the other two");
  }
}

template <class P>
void describe_title(Fields<P>& f, std::string* title, std::string* description) {
  int version = 1;
  f.integer({.key = "vesica"}, 1, 1, &version);
  if (f.has("title", !title->empty())) f.text({.key = "title"}, title);
  if (f.has("description", !description->empty())) {
    f.text({.key = "description", .unless = 0.0}, description);  // of any kind: it is for people
  }
}

}  // namespace

template <class P>
Quaternion<P> Frame<P>::orientation() const {
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (turn != Turn::kAxisAngle) return {quaternion[0], quaternion[1], quaternion[2], quaternion[3]};
  const P half = angle * P(0.5);
  const Vec3<P> e = axis / P(sqrt(axis.squaredNorm()));
  const P s = sin(half);
  return {cos(half), s * e.x(), s * e.y(), s * e.z()};
}

template <class P>
void Frame<P>::describe(Fields<P>& f) {
  f.vector({"position", dimension::kLength, Rule::kAny, "of its origin", 0.0}, &position);
  // Set in code without saying how it turns.
  const bool is_open = turn == Turn::kNone;
  bool is_turned = value_of(quaternion[0]) != 1;
  for (size_t k = 1; k < 4; ++k) is_turned = is_turned || value_of(quaternion[k]) != 0;
  const bool by_axis = turn == Turn::kAxisAngle || (is_open && value_of(angle) != 0);
  const bool is_quaternion =
      f.has("quaternion", turn == Turn::kQuaternion || (is_open && is_turned));
  const bool has_axis = f.has("axis", by_axis);
  const bool has_angle = f.has("angle", by_axis);
  f.check(!(is_quaternion && (has_axis || has_angle)), "",
          "give either 'quaternion' or 'axis' with 'angle', not both");
  turn = Turn::kNone;
  if (has_axis || has_angle) {
    turn = Turn::kAxisAngle;
    f.vector({.key = "axis", .meaning = "of any length"}, &axis);
    f.check(!is_zero(axis), "axis", "an axis cannot be zero");
    f.number({"angle", dimension::kAngle}, &angle);
  } else if (is_quaternion) {
    turn = Turn::kQuaternion;
    f.list({.key = "quaternion", .meaning = "w, x, y, z"}, quaternion.data(), 4);
    if (!f.has_values()) return;
    double q[4], sum = 0;
    for (size_t k = 0; k < 4; ++k) {
      q[k] = value_of(quaternion[k]);
      sum += q[k] * q[k];
    }
    // Unit length is asked for, not repaired in silence; this much is rounding in a text file.
    constexpr double kUnitTolerance = 1e-6;
    const double norm = std::sqrt(sum);
    f.check(norm != 0, "quaternion",
            "a quaternion [w, x, y, z] cannot be zero; no rotation is [1, 0, 0, 0]");
    if (std::abs(norm - 1) > kUnitTolerance) {
      f.fail("quaternion",
             fmt::format("a quaternion [w, x, y, z] has length 1, this one {:.6g}; scaled to unit "
                         "length it is [{:.9g}, {:.9g}, {:.9g}, {:.9g}]",
                         norm, q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm));
    }
  }
}

template <class P>
void Velocity<P>::describe(Fields<P>& f) {
  f.vector({"linear", dimension::kSpeed, Rule::kAny, "of the origin", 0.0}, &linear);
  f.vector({"angular", dimension::kSpin, Rule::kAny, "in world axes", 0.0}, &angular);
}

template <class P>
void Signal<P>::describe(Fields<P>& f, const Dimension& value, const Dimension& rate_of_value) {
  const auto is_set = [](const P& x) { return value_of(x) != 0; };
  const bool oscillates = is_set(amplitude) || is_set(frequency) || is_set(phase);
  const bool steps = is_set(step) || from != 0 || until != 0;
  is_function = f.is_map("", is_function || !file.empty() || is_set(rate) || oscillates || steps);
  if (!is_function) {
    f.number({.key = {}, .dimension = value}, &offset);
    return;
  }
  if (f.has("file", !file.empty())) {
    const std::pair<const char*, bool> others[] = {{"offset", is_set(offset)},
                                                   {"rate", is_set(rate)},
                                                   {"amplitude", is_set(amplitude)},
                                                   {"frequency", is_set(frequency)},
                                                   {"phase", is_set(phase)},
                                                   {"step", is_set(step)},
                                                   {"from", from != 0},
                                                   {"until", until != 0}};
    for (const auto& [key, now] : others) {
      f.check(!f.has(key, now), "file", "a recorded series takes 'column' and nothing else");
    }
    f.text({.key = "file", .meaning = "a table with a column time"}, &file);
    f.check(!file.empty(), "file", "expected the name of a file");
    f.text({.key = "column"}, &column);
    return;
  }
  f.number({"offset", value, Rule::kAny, "", 0.0}, &offset);
  f.number({"rate", rate_of_value, Rule::kAny, "", 0.0}, &rate);
  if (f.has("amplitude", oscillates)) {
    f.number({"amplitude", value}, &amplitude);
    f.number({"frequency", dimension::kFrequency, Rule::kPositive}, &frequency);
    f.number({"phase", dimension::kAngle, Rule::kAny, "", 0.0}, &phase);
  } else {
    f.check(!f.has("frequency", false), "frequency", "goes with 'amplitude'");
    f.check(!f.has("phase", false), "phase", "goes with 'amplitude'");
  }
  if (f.has("step", steps)) {
    f.number({"step", value}, &step);
    f.plain_number({"from", dimension::kTime, Rule::kNonNegative}, &from);
    f.plain_number({"until", dimension::kTime, Rule::kPositive}, &until);
    f.check(until > from, "until", "must be later than 'from'");
  } else {
    f.check(!f.has("from", false), "from", "goes with 'step' and 'until'");
    f.check(!f.has("until", false), "until", "goes with 'step' and 'from'");
  }
}

template <class P>
void Prescribed<P>::describe(Fields<P>& f) {
  if (f.has("file", !file.empty())) {
    for (const char* key :
         {"velocity", "acceleration", "amplitude", "axis", "spin", "swing", "frequency", "phase"}) {
      f.check(!f.has(key, false), "file", "a recorded motion excludes the other keys");
    }
    f.text({.key = "file", .meaning = "a table: time, x, y, z, qw, qx, qy, qz"}, &file);
    f.check(!file.empty(), "file", "expected the name of a file");
    return;
  }
  f.vector({"velocity", dimension::kSpeed, Rule::kAny, "", 0.0}, &velocity);
  f.vector({"acceleration", dimension::kAcceleration, Rule::kAny, "", 0.0}, &acceleration);
  const bool now = value_of(frequency) > 0;
  const bool has_amplitude = f.has("amplitude", now || !is_zero(amplitude));
  const bool has_swing = f.has("swing", now || value_of(swing) != 0);
  if (has_amplitude) f.vector({"amplitude", dimension::kLength}, &amplitude);
  if (f.has("axis", true)) {
    f.vector({.key = "axis", .meaning = "of turning"}, &axis);
    f.check(!is_zero(axis), "axis", "an axis cannot be zero");
  }
  f.number({"spin", dimension::kSpin, Rule::kAny, "", 0.0}, &spin);
  if (has_swing) f.number({"swing", dimension::kAngle}, &swing);
  if (has_amplitude || has_swing) {
    f.number({"frequency", dimension::kFrequency, Rule::kPositive}, &frequency);
    f.number({"phase", dimension::kAngle, Rule::kAny, "", 0.0}, &phase);
  } else {
    for (const char* key : {"frequency", "phase"}) {
      f.check(!f.has(key, false), key, "goes with 'amplitude' or 'swing'");
    }
  }
}

template <class P>
void Inertia<P>::describe(Fields<P>& f) {
  const bool has_products = !value_of(Vec3<P>(I(0, 1), I(0, 2), I(1, 2))).isZero(0) ||
                            !value_of(Vec3<P>(I(1, 0), I(2, 0), I(2, 1))).isZero(0);
  is_diagonal = !f.is_list("0", !is_diagonal || has_products);
  if (is_diagonal) {
    Vec3<P> d = I.diagonal();
    f.vector({{}, dimension::kInertia}, &d);
    I = d.asDiagonal();
    return;
  }
  size_t count = 3;
  f.items("", &count, [&](size_t k) {
    if (k >= 3) return;
    const auto row = static_cast<Eigen::Index>(k);
    Vec3<P> r = I.row(row);
    f.vector({{}, dimension::kInertia}, &r);
    I.row(row) = r.transpose();
  });
  if (count != 3) f.fail("", fmt::format("expected a list of 3, found {}", count));
}

template <class P>
void Body<P>::describe(Fields<P>& f) {
  f.check(!(f.has("prescribed", prescribed.has_value()) && f.has("fixed", fixed)), "",
          "give either 'fixed' or 'prescribed', not both");
  f.flag({.key = "fixed", .meaning = "does not move", .unless = 0.0}, &fixed);
  f.optional_below("prescribed", &prescribed);

  const bool has_one = f.has("shape", shapes.size() == 1 && !has_shape_list);
  const bool has_list = f.has("shapes", shapes.size() > 1 || has_shape_list);
  f.check(!(has_one && has_list), "shapes", "give either 'shape' or 'shapes', not both");
  has_shape_list = has_list;
  if (has_one) {
    shapes.resize(1);
    f.below("shape", [&] { shapes[0].describe(f); });
  } else if (has_list) {
    f.list_below("shapes", &shapes);
    f.check(!shapes.empty(), "shapes", "a list of shapes has at least one");
  }
  f.optional_below("pose", &pose);

  const bool has_joint = f.has("joint", joint.has_value());
  if (is_given()) {
    const std::pair<const char*, bool> keys[] = {{"mass", mass.has_value()},
                                                 {"inertia", inertia.has_value()},
                                                 {"velocity", velocity.has_value()},
                                                 {"joint", joint.has_value()}};
    for (const auto& [key, now] : keys) {
      f.check(!f.has(key, now), key, "belongs to a free body; this one's motion is given");
    }
    return;
  }
  f.check(!has_joint || !f.has("pose", pose.has_value()), "pose",
          "follows from the joint; give its 'start' and 'rate'");
  f.check(!has_joint || !f.has("velocity", velocity.has_value()), "velocity",
          "follows from the joint; give its 'start' and 'rate'");
  f.optional_below("velocity", &velocity);
  if (!f.has("mass", mass.has_value())) f.fail("", "the key 'mass' is missing");
  f.number({"mass", dimension::kMass, Rule::kPositive}, &mass);
  f.optional_below("inertia", &inertia);
  if (inertia) check_inertia(f, inertia->I, has_joint);
  f.check(inertia || !shapes.empty(), "",
          "a free body needs 'inertia', or a shape to compute it from");
  f.optional_below("joint", &joint);
}

void Interference::describe(Fields<double>& f) {
  static const Words kMethods = [] {
    Words words = {"auto"};
    words.insert(words.end(), kMethodNames.begin(), kMethodNames.end());
    return words;
  }();
  if (f.has("method", method != "auto")) {
    const auto found = std::find(kMethods.begin(), kMethods.end(), method);
    if (found == kMethods.end()) {
      f.fail("method",
             fmt::format("'{}' is not known; known here: {}", method, fmt::join(kMethods, ", ")));
    }
    size_t index = found == kMethods.end() ? 0 : static_cast<size_t>(found - kMethods.begin());
    f.word({.key = "method"}, kMethods, &index);
    method = kMethods[index];
  }
  f.number({"voxel_size", dimension::kLength, Rule::kPositive, "of the method voxels"},
           &voxel_size);
  f.check(
      method != "voxels" || voxel_size, "",
      "the method voxels needs a voxel_size: (df/k)^(1/3) for a force df that does not matter "
      "and the stiffness k of the volumetric law, which 'vesica suggest' computes as voxel_edge "
      "(Gonthier 4.5)");
  f.check(method == "voxels" || !voxel_size, "voxel_size", "goes with 'method: voxels' only");
  f.number({"tolerance", dimension::kNumber, Rule::kPositive, "relative, of the volume"},
           &tolerance);
  f.check(!tolerance || !(*tolerance > 0.1), "tolerance", "relative, of the volume: below 0.1");
  f.choice({.key = "normal"}, {"area_vector", "eigenvector", "plane", "conservative"}, &normal);
  f.choice({.key = "inertia"}, {"exact", "oblique"}, &inertia);
}

template <class P>
void FrictionStates<P>::describe(Fields<P>& f, bool has_twist) {
  f.vector({"z", dimension::kLength, Rule::kAny, "bending of the bristles", 0.0}, &z);
  f.number({"s_dw", dimension::kNumber, Rule::kNonNegative, "how much of the bond has formed", 0.0},
           &s_dw);
  f.check(!(value_of(s_dw) > 1), "s_dw", "lies between 0 (just slid) and 1 (stuck for long)");
  if (has_twist) f.number({"r_theta", dimension::kLength, Rule::kAny, "twist", 0.0}, &r_theta);
}

template <class P>
void Contact<P>::describe_laws(Fields<P>& f) {
  f.choice({.key = "preset"}, {"exact", "gonthier2007", "brown2017"}, &preset);
  f.choice({.key = "rolling_tensor"}, {"J_t", "J_v", "J_s"}, &rolling_tensor);
  f.choice({.key = "apply_at"}, {"surface", "centroid"}, &apply_at);
  f.choice({.key = "coupling"}, {"full", "none"}, &coupling);
  if (f.has("relaxation", relaxation_time.has_value())) {
    if (!relaxation_time) relaxation_time.emplace(P(0.0));
    f.below("relaxation", [&] {
      f.number({"time", dimension::kTime, Rule::kPositive}, &*relaxation_time);
    });
  }
  f.plain([&](Fields<double>& plain) { plain.optional_below("interference", &interference); });
  f.below("normal", [&] { describe_one_of(f, {.key = "law"}, &normal); });
  if (f.has("friction", !std::holds_alternative<NoFriction<P>>(friction))) {
    f.below("friction", [&] { describe_one_of(f, {.key = "law"}, &friction); });
  }
  if (!f.has("states", states.has_value())) return states.reset();
  if (!states) states.emplace();
  const int count = std::visit(
      [](const auto& law) { return kStateCount<std::decay_t<decltype(law)>>; }, friction);
  f.check(count > 0, "states", "this friction law has no states");
  f.below("states",
          [&] { states->describe(f, std::holds_alternative<VolumetricBristle<P>>(friction)); });
}

template <class P>
void Contact<P>::describe(Fields<P>& f) {
  describe_between(f, "a body cannot touch itself", &between);
  if (f.has("name", !name.empty())) {
    f.text({.key = "name", .meaning = "heads columns of the recording"}, &name);
    if (f.has_values()) check_name(f, "name", name);
  }
  if (f.has("shapes", !shapes.empty())) {
    f.texts({.key = "shapes", .meaning = "their shapes that touch, by name"}, &shapes);
    f.check(shapes.size() == 2, "shapes", "expected two names: of a shape of each body");
  }
  f.choice({.key = "cells", .unless = 0.0}, {"together", "separate"}, &separate_cells);
  if (f.has("max_pairs", max_pairs.has_value())) {
    if (!max_pairs) max_pairs = 1;
    constexpr int kMostRoom = 100000;
    f.integer({.key = "max_pairs"}, 1, kMostRoom, &*max_pairs);
  }
  describe_laws(f);
}

template <class P>
void Spring<P>::describe(Fields<P>& f) {
  describe_between(f, "a spring joins two bodies", &between);
  describe_two(f, "points", [&](size_t k) { f.vector({{}, dimension::kLength}, &points[k]); });
  f.number({"stiffness", dimension::kStiffness, Rule::kNonNegative}, &stiffness);
  f.number({"damping", dimension::kViscosity, Rule::kNonNegative, "", 0.0}, &damping);
  f.number({"length", dimension::kLength, Rule::kNonNegative}, &length);
}

template <class P>
void PointForce<P>::describe(Fields<P>& f) {
  if (f.has("name", !name.empty())) {
    f.text({.key = "name", .meaning = "by which paths find it"}, &name);
    if (f.has_values()) check_name(f, "name", name);
  }
  f.text({.key = "body"}, &body);
  f.vector({"point", dimension::kLength, Rule::kAny, "", 0.0}, &point);
  f.vector({"force", dimension::kForce}, &force);
  f.choice({.key = "axes", .unless = 0.0}, {"world", "body"}, &in_body_axes);
  f.plain([&](Fields<double>& plain) {
    plain.number({"from", dimension::kTime, Rule::kNonNegative, "", 0.0}, &from);
    plain.number({"until", dimension::kTime, Rule::kPositive}, &until);
    plain.check(!until || *until > from, "until", "must be later than 'from'");
    plain.number({"ramp", dimension::kTime, Rule::kNonNegative, "", 0.0}, &ramp);
    plain.check(!until || !(2 * ramp > (*until - from) * (1 + 1e-12)), "ramp",
                "rises after 'from' and falls before 'until': at most half of the time between");
  });
}

template <class P>
void Bushing<P>::describe(Fields<P>& f) {
  describe_between(f, "a bushing joins two bodies", &between);
  describe_two(f, "frames", [&](size_t k) { frames[k].describe(f); });
  springs.describe(f);
}

template <class P>
void Loop<P>::describe(Fields<P>& f) {
  f.choice({.key = "type"}, {"point", "hinge", "weld", "rod"}, &type);
  describe_between(f, "a loop is closed between two bodies", &between);
  describe_two(f, "frames", [&](size_t k) { frames[k].describe(f); });
  if (type == LoopType::kRod) {
    f.number({"length", dimension::kLength, Rule::kPositive}, &length);
  } else {
    f.check(!f.has("length", value_of(length) != 0), "length", "belongs to 'type: rod'");
  }
  f.plain_number({"rate", dimension::kFrequency, Rule::kPositive, "", 50.0}, &rate);
}

void Held::describe(Fields<double>& f) {
  f.text({.key = "measure", .meaning = "of 'measures', as its column is called"}, &measure);
  const std::string_view part = std::string_view(measure).substr(measure.rfind('.') + 1);
  const auto known = std::find(kGroodSuntayNames.begin(), kGroodSuntayNames.end(), part);
  const auto index = known - kGroodSuntayNames.begin();
  const bool moves = index >= 3 && index < 6;  // a name that is not known is told later
  f.number({"value", moves ? dimension::kLength : dimension::kAngle}, &value);
}

void Equilibrium::describe(Fields<double>& f) {
  if (f.has("locked", !locked.empty())) f.texts({.key = "locked"}, &locked);
  if (f.has("held", !held.empty())) f.list_below("held", &held);
}

template <class P>
void Controller<P>::describe(Fields<P>& f) {
  using namespace dimension;
  size_t type = 0;
  f.word({.key = "type"}, {"accommodation"}, &type);
  f.text({.key = "body"}, &body);
  f.vector({"point", kLength, Rule::kAny, "", 0.0}, &point);
  f.text({.key = "contact"}, &contact);
  size_t count = 3;
  f.items("velocity", &count, [&](size_t k) {
    if (k < 3) velocity[k].describe(f, kSpeed, kAcceleration);
  });
  if (count != 3 && f.has_values()) {
    f.fail("velocity", fmt::format("expected a list of 3, found {}", count));
  }
  f.number({"gain", kMobility, Rule::kNonNegative}, &gain);
  f.number({"dead_band", kForce, Rule::kNonNegative}, &dead_band);
  turns = f.has("turning_gain", turns || value_of(turning_gain) > 0);
  if (turns) {
    f.number({"turning_gain", kTurningMobility, Rule::kNonNegative}, &turning_gain);
    f.number({"turning_dead_band", kTorque, Rule::kNonNegative}, &turning_dead_band);
  } else {
    f.check(!f.has("turning_dead_band", false), "turning_dead_band", "goes with 'turning_gain'");
  }
  f.number({"k_p", kSquaredRate, Rule::kNonNegative}, &k_p);
  f.number({"k_v", kFrequency, Rule::kNonNegative}, &k_v);
}

}  // namespace vesica::model

namespace vesica {

template <class P>
void ModelOf<P>::describe(Fields<P>& f) {
  model::describe_title(f, &title, &description);
  if (f.has("gravity", true)) f.vector({"gravity", dimension::kAcceleration}, &gravity);
  std::vector<std::string> names;
  for (const auto& body : bodies) names.push_back(body.name);
  f.entries("bodies", &names, [&](size_t k) {
    if (bodies.size() < names.size()) bodies.resize(names.size());
    bodies[k].name = names[k];
    model::check_name(f, "", names[k]);
    bodies[k].describe(f);
  });
  const auto list = [&](const char* key, auto* items) {
    if (f.has(key, !items->empty())) f.list_below(key, items);
  };
  list("contacts", &contacts);
  list("forces", &forces);
  list("measures", &measures);
  list("loops", &loops);
  list("controllers", &controllers);
  f.plain([&](Fields<double>& plain) { plain.optional_below("equilibrium", &equilibrium); });
  f.plain([&](Fields<double>& plain) { run.describe(plain); });
}

template <class P>
void CaseOf<P>::describe(Fields<P>& f) {
  model::describe_title(f, &title, &description);
  f.below("bodies", [&] {
    for (size_t k = 0; k < 2; ++k) {
      model::Body<P>& body = bodies[k];
      body.name = k == 0 ? "i" : "j";
      f.below(body.name, [&] {
        body.shapes.resize(1);
        f.below("shape", [&] { body.shapes[0].describe(f); });
        f.optional_below("pose", &body.pose);
        f.optional_below("velocity", &body.velocity);
      });
    }
  });
  f.below("contact", [&] {
    contact.describe_laws(f);
    f.number({"impact_speed", dimension::kSpeed, Rule::kPositive}, &impact_speed);
  });
}

#define VESICA_INSTANTIATE(P)               \
  template struct model::Frame<P>;          \
  template struct model::Velocity<P>;       \
  template struct model::Signal<P>;         \
  template struct model::Prescribed<P>;     \
  template struct model::Inertia<P>;        \
  template struct model::Body<P>;           \
  template struct model::FrictionStates<P>; \
  template struct model::Contact<P>;        \
  template struct model::Spring<P>;         \
  template struct model::PointForce<P>;     \
  template struct model::Bushing<P>;        \
  template struct model::Loop<P>;           \
  template struct model::Controller<P>;     \
  template struct ModelOf<P>;               \
  template struct CaseOf<P>;
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
