#include "vesica/simulation/joint_input.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/contact/contact_input.h"
#include "vesica/contact/law_input.h"
#include "vesica/io/csv.h"
#include "vesica/io/output_file.h"

namespace vesica {
namespace {

// Dimensions that a coordinate brings with it.
struct CoordinateUnits {
  Dimension value, rate, acceleration, force, stiffness, viscosity;
};
CoordinateUnits units_of(bool angular) {
  using namespace dimension;
  if (angular) {
    return {kAngle, kSpin, kAngularAcceleration, kTorque, kTurningStiffness, kTurningViscosity};
  }
  return {kLength, kSpeed, kAcceleration, kForce, kStiffness, kViscosity};
}

template <class P>
Vec3<P> read_axis(const InputNode& node) {
  using std::sqrt;
  const Vec3<P> axis = node.vector_of<P>(dimension::kNumber);
  if (value_of(axis).norm() == 0) node.fail("an axis cannot be zero");
  return axis / P(sqrt(axis.squaredNorm()));
}

std::shared_ptr<const CubicSpline> load_series(const InputNode& node, const std::string& folder) {
  const InputNode file = node.at("file"), column = node.at("column");
  const MotionTrial trial = load_csv(resolve_path(folder, file.text()));
  const TimeTable& series = trial.analog;
  const size_t index = series.find(column.text());
  if (index == series.columns.size()) {
    column.fail(fmt::format("{} has no column of this name", file.text()));
  }
  const auto values = series.column(index);
  if (values.size() < 2) file.fail("a recorded series needs at least two rows");
  for (double v : values) {
    if (!std::isfinite(v)) column.fail("the column has gaps");
  }
  try {
    return std::make_shared<CubicSpline>(series.times, values);
  } catch (const InputError& error) {
    file.fail(error.what());
  }
}

// `value` and its time derivative's dimension.
template <class P>
Signal<P> read_signal(const InputNode& node, const Dimension& value, const Dimension& rate,
                      const std::string& folder) {
  Signal<P> signal;
  if (!node.is_map()) {
    signal.offset = node.scalar<P>(value);
    return signal;
  }
  node.allow({"offset", "rate", "amplitude", "frequency", "phase", "step", "from", "until", "file",
              "column"});
  if (const auto file = node.find("file")) {
    if (node.entries().size() > 2) file->fail("a recorded series takes 'column' and nothing else");
    signal.recorded = load_series(node, folder);
    return signal;
  }
  if (const auto x = node.find("offset")) signal.offset = x->scalar<P>(value);
  if (const auto x = node.find("rate")) signal.rate = x->scalar<P>(rate);
  if (const auto x = node.find("amplitude")) {
    signal.amplitude = x->scalar<P>(value);
    signal.frequency = node.at("frequency").positive_scalar<P>(dimension::kFrequency);
    if (const auto phase = node.find("phase")) signal.phase = phase->scalar<P>(dimension::kAngle);
  } else if (const auto f = node.find("frequency")) {
    f->fail("goes with 'amplitude'");
  }
  if (const auto x = node.find("step")) {
    signal.step = x->scalar<P>(value);
    signal.step_from = node.at("from").non_negative(dimension::kTime);
    signal.step_until = node.at("until").positive(dimension::kTime);
    if (signal.step_until <= signal.step_from) node.at("until").fail("must be later than 'from'");
  } else if (const auto from = node.find("from")) {
    from->fail("goes with 'step' and 'until'");
  }
  return signal;
}

template <class P>
JointSpring<P> read_joint_spring(const InputNode& node, const CoordinateUnits& units) {
  node.allow({"coordinate", "stiffness", "damping", "rest"});
  JointSpring<P> spring;
  if (const auto x = node.find("stiffness")) {
    spring.stiffness = x->non_negative_scalar<P>(units.stiffness);
  }
  if (const auto x = node.find("damping")) {
    spring.damping = x->non_negative_scalar<P>(units.viscosity);
  }
  if (const auto x = node.find("rest")) spring.rest = x->scalar<P>(units.value);
  return spring;
}

template <class P>
JointLimit<P> read_joint_limit(const InputNode& node, const CoordinateUnits& units, bool angular) {
  node.allow({"coordinate", "range", "stiffness", "damping"});
  JointLimit<P> limit;
  const InputNode range = node.at("range");
  range.expect_list(2);
  limit.low = range.at(size_t{0}).scalar<P>(units.value);
  limit.high = range.at(1).scalar<P>(units.value);
  if (!(limit.low < limit.high)) range.fail("gives the lowest value, then the highest");
  limit.stiffness = node.at("stiffness").positive_scalar<P>(units.stiffness);
  if (const auto x = node.find("damping")) {
    limit.damping =
        x->non_negative_scalar<P>(angular ? dimension::kTime : dimension::kContactDamping);
  }
  return limit;
}

template <class P>
JointFriction<P> read_joint_friction(const InputNode& node, bool angular) {
  node.allow({"coordinate", "law", "load", "radius"});
  JointFriction<P> friction;
  friction.load = node.at("load").non_negative_scalar<P>(dimension::kForce);
  if (angular) {
    friction.radius = node.at("radius").positive_scalar<P>(dimension::kLength);
  } else if (const auto radius = node.find("radius")) {
    radius->fail("belongs to a joint that turns; a slide has none");
  }
  const InputNode law = node.at("law");
  if (!law.is_map()) law.fail("a friction law with its parameters: {law: brown_mcphee, ...}");
  friction.law = read_law<VelocityLaw<P>>(law);
  return friction;
}

template <class P>
JointMotor<P> read_joint_motor(const InputNode& node, const CoordinateUnits& units,
                               const std::string& folder) {
  node.allow({"coordinate", "input", "value", "gain", "rate_gain", "limit"});
  JointMotor<P> motor;
  motor.type = static_cast<MotorType>(node.at("input").choice({"torque", "position", "speed"}));
  const InputNode value = node.at("value");
  const Dimension force_rate{units.force.m, units.force.kg, units.force.s - 1, "per second"};
  switch (motor.type) {
    case MotorType::kTorque:
      motor.input = read_signal<P>(value, units.force, force_rate, folder);
      for (const char* key : {"gain", "rate_gain"}) {
        if (const auto x = node.find(key)) x->fail("belongs to 'input: position' and 'speed'");
      }
      break;
    case MotorType::kPosition:
      motor.input = read_signal<P>(value, units.value, units.rate, folder);
      motor.gain = node.at("gain").non_negative_scalar<P>(units.stiffness);
      if (const auto x = node.find("rate_gain")) {
        motor.rate_gain = x->non_negative_scalar<P>(units.viscosity);
      }
      break;
    case MotorType::kSpeed:
      motor.input = read_signal<P>(value, units.rate, units.acceleration, folder);
      motor.gain = node.at("gain").non_negative_scalar<P>(units.viscosity);
      if (const auto x = node.find("rate_gain")) x->fail("belongs to 'input: position'");
      break;
  }
  if (const auto x = node.find("limit")) motor.limit = x->positive_scalar<P>(units.force);
  return motor;
}

// One map, or a list of them.
std::vector<InputNode> items_of(const InputNode& node) {
  return node.is_list() ? node.items() : std::vector<InputNode>{node};
}

template <class P>
void read_joint_forces(const InputNode& node, int body, const std::string& folder,
                       JointInput<P>* input) {
  const JointType type = input->joint.type;
  const auto names = coordinate_names(type);
  for (const char* key : {"spring", "limits", "friction", "motor"}) {
    const auto child = node.find(key);
    if (!child) continue;
    if (names.empty()) child->fail("needs a joint with angles or distances as coordinates");
    if (input->joint.is_driven()) child->fail("does nothing here: the joint is driven");
    for (const InputNode& item : items_of(*child)) {
      int speed = 0;
      if (const auto coordinate = item.find("coordinate")) {
        speed = static_cast<int>(coordinate->choice(names));
      } else if (names.size() > 1) {
        item.fail(fmt::format("give 'coordinate': {}", fmt::join(names, ", ")));
      }
      const bool angular = speed_is_angular(type, speed);
      const CoordinateUnits units = units_of(angular);
      JointForce<P> force{body, speed, {}};
      switch (key[0]) {
        case 's':
          force.action = read_joint_spring<P>(item, units);
          break;
        case 'l':
          force.action = read_joint_limit<P>(item, units, angular);
          break;
        case 'f':
          force.action = read_joint_friction<P>(item, angular);
          break;
        default:
          force.action = read_joint_motor<P>(item, units, folder);
      }
      input->forces.push_back(force);
    }
  }
}

// Coordinates and speeds at the start.
template <class P>
void read_start(const InputNode& node, JointInput<P>* input) {
  const JointType type = input->joint.type;
  const auto start = node.find("start"), rate = node.find("rate");
  if (input->joint.is_driven()) {
    for (const auto& child : {start, rate}) {
      if (child) child->fail("does nothing here: the joint is driven");
    }
    return;
  }
  input->q0.assign(static_cast<size_t>(coordinate_count(type)), P(0));
  input->u0.assign(static_cast<size_t>(speed_count(type)), P(0));
  const int place = quaternion_place(type);
  if (place >= 0) {
    OrientedPose<P> X;
    if (start) X = read_oriented_pose<P>(*start);
    const P q[] = {X.orientation.w, X.orientation.x, X.orientation.y, X.orientation.z};
    std::copy(q, q + 4, input->q0.begin() + place);
    SpatialVelocity<P> V;
    if (rate) V = read_velocity<P>(*rate);
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<size_t>(k);
      if (type == JointType::kFree) {
        input->q0[at] = X.position[k];
        input->u0[at] = V.v_WB[k];
        input->u0[3 + at] = V.w_WB[k];
      } else {
        if (value_of(X.position[k]) != 0 || value_of(V.v_WB[k]) != 0) {
          (start ? *start : *rate).fail("a spherical joint turns; it has no position");
        }
        input->u0[at] = V.w_WB[k];
      }
    }
    return;
  }
  const size_t count = input->q0.size();
  for (size_t k = 0; k < count; ++k) {
    const CoordinateUnits units = units_of(speed_is_angular(type, static_cast<int>(k)));
    auto part = [&](const InputNode& child) {
      if (count == 1) return child;
      child.expect_list(count);
      return child.at(k);
    };
    if (start) input->q0[k] = part(*start).template scalar<P>(units.value);
    if (rate) input->u0[k] = part(*rate).template scalar<P>(units.rate);
  }
}

template <class P>
void read_bushing_springs(const InputNode& node, Bushing<P>* bushing) {
  auto vector = [&](const char* key, const Dimension& d, Vec3<P>* v) {
    const auto child = node.find(key);
    if (!child) return;
    if (child->is_scalar()) {
      const P x = child->non_negative_scalar<P>(d);
      *v = Vec3<P>(x, x, x);
      return;
    }
    *v = child->vector_of<P>(d);
    for (size_t k = 0; k < 3; ++k) child->at(k).non_negative(d);
  };
  node.at("stiffness");
  vector("stiffness", dimension::kStiffness, &bushing->stiffness);
  vector("turning_stiffness", dimension::kTurningStiffness, &bushing->turning_stiffness);
  vector("damping", dimension::kViscosity, &bushing->damping);
  vector("turning_damping", dimension::kTurningViscosity, &bushing->turning_damping);
}

}  // namespace

template <class P>
JointInput<P> read_joint(const InputNode& node, int body, const BodyFinder& find_parent,
                         const std::string& folder) {
  node.allow({"type", "parent", "in_parent", "in_body", "axis", "axes", "start", "rate", "driven",
              "spring", "limits", "friction", "motor", "stiffness", "turning_stiffness", "damping",
              "turning_damping"});
  JointInput<P> input;
  Joint<P>& joint = input.joint;
  std::vector<std::string_view> names = joint_names();
  names.emplace_back("bushing");
  const size_t name = node.at("type").choice(names);
  const bool is_bushing = name == joint_rows().size();
  joint.type = is_bushing ? JointType::kFree : joint_rows()[name].type;
  joint.parent = find_parent(node.at("parent"));
  if (const auto pose = node.find("in_parent")) joint.X_PF = read_pose<P>(*pose);
  if (const auto pose = node.find("in_body")) joint.X_BM = read_pose<P>(*pose);

  auto say_whose = [](const InputNode& child, int axes) {
    child.fail(
        fmt::format("belongs to joints of type {}", fmt::join(joint_names_with_axes(axes), ", ")));
  };
  const int axis_count = row_of(joint.type).axes;
  if (axis_count == 1) {
    joint.axis = read_axis<P>(node.at("axis"));
  } else if (const auto axis = node.find("axis")) {
    say_whose(*axis, 1);
  }
  if (axis_count == 2) {
    const InputNode axes = node.at("axes");
    axes.expect_list(2);
    joint.axis = read_axis<P>(axes.at(size_t{0}));
    joint.axis2 = read_axis<P>(axes.at(1));
    if (value_of(joint.axis).cross(value_of(joint.axis2)).norm() < 1e-6) {
      axes.fail("the two axes must not be parallel");
    }
  } else if (const auto axes = node.find("axes")) {
    say_whose(*axes, 2);
  }

  if (const auto driven = node.find("driven")) {
    const int count = speed_count(joint.type);
    if (coordinate_names(joint.type).empty()) {
      driven->fail("needs a joint with angles or distances as coordinates");
    }
    for (int k = 0; k < count; ++k) {
      const CoordinateUnits units = units_of(speed_is_angular(joint.type, k));
      if (count > 1) driven->expect_list(static_cast<size_t>(count));
      joint.drive.push_back(read_signal<P>(count > 1 ? driven->at(static_cast<size_t>(k)) : *driven,
                                           units.value, units.rate, folder));
    }
  }
  read_start(node, &input);
  read_joint_forces(node, body, folder, &input);
  if (is_bushing) {
    Bushing<P> bushing;
    bushing.body_i = body;
    bushing.body_j = joint.parent;
    if (joint.parent < 0) {
      node.at("parent").fail(
          "a bushing joins two bodies; give the ground a body with 'fixed: true'");
    }
    bushing.X_IF = joint.X_BM;
    bushing.X_JF = joint.X_PF;
    read_bushing_springs(node, &bushing);
    input.bushing = bushing;
  } else {
    for (const char* key : {"stiffness", "turning_stiffness", "damping", "turning_damping"}) {
      if (const auto child = node.find(key)) {
        child->fail(
            "belongs to 'type: bushing'; a joint's own spring is 'spring: {stiffness: ...}'");
      }
    }
  }
  return input;
}

template <class P>
Bushing<P> read_bushing(const InputNode& node, const BodyFinder& find_body) {
  node.allow({"type", "between", "frames", "stiffness", "turning_stiffness", "damping",
              "turning_damping"});
  Bushing<P> bushing;
  const InputNode between = node.at("between");
  between.expect_list(2);
  bushing.body_i = find_body(between.at(size_t{0}));
  bushing.body_j = find_body(between.at(1));
  if (bushing.body_i == bushing.body_j) between.fail("a bushing joins two bodies");
  if (const auto frames = node.find("frames")) {
    frames->expect_list(2);
    bushing.X_IF = read_pose<P>(frames->at(size_t{0}));
    bushing.X_JF = read_pose<P>(frames->at(1));
  }
  read_bushing_springs(node, &bushing);
  return bushing;
}

template <class P>
Loop<P> read_loop(const InputNode& node, const BodyFinder& find_body) {
  node.allow({"type", "between", "frames", "length", "rate"});
  Loop<P> loop;
  loop.type = static_cast<LoopType>(node.at("type").choice({"point", "hinge", "weld", "rod"}));
  const InputNode between = node.at("between");
  between.expect_list(2);
  loop.body_i = find_body(between.at(size_t{0}));
  loop.body_j = find_body(between.at(1));
  if (loop.body_i == loop.body_j) between.fail("a loop is closed between two bodies");
  if (const auto frames = node.find("frames")) {
    frames->expect_list(2);
    loop.X_IF = read_pose<P>(frames->at(size_t{0}));
    loop.X_JF = read_pose<P>(frames->at(1));
  }
  if (loop.type == LoopType::kRod) {
    loop.length = node.at("length").positive_scalar<P>(dimension::kLength);
  } else if (const auto length = node.find("length")) {
    length->fail("belongs to 'type: rod'");
  }
  if (const auto rate = node.find("rate")) loop.rate = rate->positive(dimension::kFrequency);
  return loop;
}

template <class P>
Accommodation<P> read_accommodation(const InputNode& node, const Scene<P>& scene,
                                    const BodyFinder& find_body, const std::string& folder) {
  node.allow({"type", "body", "point", "contact", "velocity", "gain", "turning_gain", "dead_band",
              "turning_dead_band", "k_p", "k_v"});
  using namespace dimension;
  Accommodation<P> c;
  c.body = find_body(node.at("body"));
  if (const auto point = node.find("point")) c.p_BT = point->vector_of<P>(kLength);
  const InputNode contact = node.at("contact");
  std::vector<std::string_view> names;
  for (const auto& k : scene.contacts) names.push_back(k.name);
  c.contact = static_cast<int>(contact.choice(names));
  const auto& felt = scene.contacts[static_cast<size_t>(c.contact)];
  if (felt.parts) contact.fail("is between bodies of several parts; the tip feels one contact");
  c.body_is_i = felt.body_i == c.body;
  if (!c.body_is_i && felt.body_j != c.body) contact.fail("the tip has no part in this contact");
  const InputNode velocity = node.at("velocity");
  velocity.expect_list(3);
  for (size_t k = 0; k < 3; ++k) {
    c.velocity.push_back(read_signal<P>(velocity.at(k), kSpeed, kAcceleration, folder));
  }
  c.velocity.resize(6);  // the tip keeps its orientation but for what the moment asks
  c.gain = node.at("gain").non_negative_scalar<P>(kMobility);
  c.dead_band = node.at("dead_band").non_negative_scalar<P>(kForce);
  if (const auto x = node.find("turning_gain")) {
    c.turning_gain = x->non_negative_scalar<P>(kTurningMobility);
    c.turning_dead_band = node.at("turning_dead_band").non_negative_scalar<P>(kTorque);
  }
  c.k_p = node.at("k_p").non_negative_scalar<P>(kSquaredRate);
  c.k_v = node.at("k_v").non_negative_scalar<P>(kFrequency);
  for (int b = c.body; b >= 0; b = scene.tree.body(b).joint.parent) {
    const auto& link = scene.tree.body(b);
    if (link.joint.type == JointType::kGiven) break;
    if (link.nu > 1) node.at("body").fail("hangs on a joint with more than one coordinate");
    if (link.nu == 0) continue;
    c.speeds.insert(c.speeds.begin(), link.u_start);
    c.coordinates.insert(c.coordinates.begin(), link.q_start);
  }
  if (c.speeds.size() != 6) {
    node.at("body").fail(
        fmt::format("hangs on {} joints; the controller needs exactly 6", c.speeds.size()));
  }
  return c;
}

#define VESICA_INSTANTIATE(P)                                                                      \
  template JointInput<P> read_joint(const InputNode&, int, const BodyFinder&, const std::string&); \
  template Bushing<P> read_bushing(const InputNode&, const BodyFinder&);                           \
  template Loop<P> read_loop(const InputNode&, const BodyFinder&);                                 \
  template Accommodation<P> read_accommodation(const InputNode&, const Scene<P>&,                  \
                                               const BodyFinder&, const std::string&)
VESICA_INSTANTIATE(double);
VESICA_INSTANTIATE(Dual<4>);
VESICA_INSTANTIATE(Dual<12>);
#undef VESICA_INSTANTIATE

}  // namespace vesica
