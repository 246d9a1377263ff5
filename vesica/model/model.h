// A scene as plain data: bodies with their shapes, joints, contacts, laws, forces, signals, and how
// it is run. What a file says, and what code builds; nothing in it is computed.
//
//   Model m;
//   m.bodies.push_back({.name = "ground", .fixed = true, .shapes = {{HalfSpace{}}}});
//   m.bodies.push_back({.name = "ball", .mass = 0.5, .shapes = {{Sphere<double>{0.05}}},
//                       .pose = model::Frame<>::at({0, 0, 0.3})});
//   m.contacts.push_back({.between = {"ball", "ground"},
//                         .normal = VolumetricNormal<double>{2e8, 0.3}});
//   m.run.duration = 1;
//   const RunResult result = simulate(m);                      // simulation/simulate_model.h
//
// read_model (model_file.h) makes one of a file, write_model a file of it. Every number has a path,
// the one it has in a file: bodies.ball.mass, contacts.0.normal.stiffness,
// bodies.ball.pose.position.2. make_scene (simulation/make_scene.h) turns a model into equations;
// paths given to it as seeds name the numbers that carry derivatives.
//
// P: the scalar of all numbers by which a motion can be differentiated. Users have double; a model
// on dual numbers is made of a plain one by with_seeds (seeds.h). docs/formats/scene.md says what
// every field means.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "vesica/contact/contact.h"
#include "vesica/math/fields.h"
#include "vesica/math/gravity.h"
#include "vesica/model/lines.h"
#include "vesica/model/places.h"
#include "vesica/model/run.h"
#include "vesica/model/shapes.h"
#include "vesica/multibody/joint.h"
#include "vesica/multibody/joint_forces.h"
#include "vesica/multibody/loops.h"

namespace vesica {
namespace model {

// Of the body's origin, in world axes.
template <class P = double>
struct Velocity {
  Vec3<P> linear = Vec3<P>::Zero(), angular = Vec3<P>::Zero();

  void describe(Fields<P>& f);
  SpatialVelocity<P> velocity() const {
    SpatialVelocity<P> V;
    V.v_WB = linear;
    V.w_WB = angular;
    return V;
  }
};

// A number over time (multibody/signal.h): a function, or a column of a recorded series.
template <class P = double>
struct Signal {
  P offset{0.0}, rate{0.0}, amplitude{0.0}, frequency{0.0}, phase{0.0}, step{0.0};
  double from = 0, until = 0;  // of the step
  std::string file{}, column{};
  bool is_function = false;  // written as a mapping though it is a number

  // `value` and the dimension of its rate.
  void describe(Fields<P>& f, const Dimension& value, const Dimension& rate);
};

// The motion of a body that is given (multibody/prescribed_motion.h).
template <class P = double>
struct Prescribed {
  Vec3<P> velocity = Vec3<P>::Zero(), acceleration = Vec3<P>::Zero();
  Vec3<P> amplitude = Vec3<P>::Zero(), axis = Vec3<P>::UnitZ();
  P spin{0.0}, swing{0.0}, frequency{0.0}, phase{0.0};
  std::string file{};  // recorded, in place of the others

  void describe(Fields<P>& f);
};

// About the mass centre, which is the body's origin, in body axes.
template <class P = double>
struct Inertia {
  Mat3<P> I = Mat3<P>::Zero();
  bool is_diagonal = true;

  static Inertia diagonal(const Vec3<P>& d) { return {d.asDiagonal()}; }
  void describe(Fields<P>& f);
};

// What acts on one coordinate of a joint (multibody/joint_forces.h). `coordinate`: its name, needed
// where the joint has several.
template <class P = double>
struct JointSpring {
  std::string coordinate{};
  P stiffness{0.0}, damping{0.0}, rest{0.0};
};
template <class P = double>
struct JointLimit {
  std::string coordinate{};
  std::array<P, 2> range{P(0.0), P(0.0)};
  P stiffness{0.0}, damping{0.0};
};
template <class P = double>
struct JointFriction {
  std::string coordinate{};
  VelocityLaw<P> law{};
  P load{0.0}, radius{1.0};
};
template <class P = double>
struct JointMotor {
  std::string coordinate{};
  MotorType input = MotorType::kTorque;
  Signal<P> value{};
  P gain{0.0}, rate_gain{0.0};
  std::optional<P> limit{};
};

// Springs in six directions (multibody/bushing.h).
template <class P = double>
struct BushingSprings {
  Vec3<P> stiffness = Vec3<P>::Zero(), turning_stiffness = Vec3<P>::Zero();
  Vec3<P> damping = Vec3<P>::Zero(), turning_damping = Vec3<P>::Zero();
  // Which of the four are one number for all directions in a file.
  std::array<bool, 4> is_uniform{};

  void describe(Fields<P>& f);
};

template <class P = double>
struct Joint {
  std::string type = "free";  // of joint_names()
  std::string parent = "world";
  std::optional<Frame<P>> in_parent{}, in_body{};
  std::vector<Vec3<P>> axes{};  // as many as the type takes
  // At the start: a number for each coordinate, or the pose of joints that have a quaternion.
  std::vector<P> start{}, rate{};
  std::optional<Frame<P>> start_pose{};
  std::optional<Velocity<P>> start_velocity{};
  std::vector<Signal<P>> driven{};  // one for each coordinate: given over time
  std::vector<JointSpring<P>> springs{};
  std::vector<JointLimit<P>> limits{};
  std::vector<JointFriction<P>> frictions{};
  std::vector<JointMotor<P>> motors{};
  BushingSprings<P> bushing{};  // of the type bushing
  // Which of springs, limits, frictions and motors are a list in a file though there is one.
  std::array<bool, 4> has_list{};

  JointType joint_type() const;
  bool is_bushing() const { return type == "bushing"; }
  void describe(Fields<P>& f);
};

template <class P = double>
struct Body {
  std::string name{};
  bool fixed = false;
  std::optional<Prescribed<P>> prescribed{};
  std::optional<P> mass{};
  std::optional<Inertia<P>> inertia{};  // of a uniform solid unless given
  std::vector<BodyShape<P>> shapes{};
  bool has_shape_list = false;  // a file calls a single one `shapes` too
  std::optional<Frame<P>> pose{};
  std::optional<Velocity<P>> velocity{};
  std::optional<Joint<P>> joint{};

  bool is_given() const { return fixed || prescribed.has_value(); }
  void describe(Fields<P>& f);
};

// How the shared volume is found, and what is left to choose.
struct Interference {
  std::string method = "auto";
  std::optional<double> tolerance{}, voxel_size{};
  std::optional<ContactNormal> normal{};
  std::optional<EllipsoidInertia> inertia{};

  void describe(Fields<double>& f);
};

// The states of a friction law before the first touchdown.
template <class P = double>
struct FrictionStates {
  Vec3<P> z = Vec3<P>::Zero();
  P s_dw{0.0}, r_theta{0.0};

  void describe(Fields<P>& f, bool has_twist);
};

enum class Preset { kExact, kGonthier2007, kBrown2017 };

template <class P = double>
struct Contact {
  std::vector<std::string> between{};  // i and j
  std::string name{};                  // "i-j" unless given
  std::vector<std::string> shapes{};   // one of i and one of j; all of both unless given
  NormalLaw<P> normal{};
  FrictionLaw<P> friction{};
  std::optional<Interference> interference{};
  std::optional<Preset> preset{};  // the keys below override it
  std::optional<RollingTensor> rolling_tensor{};
  std::optional<ApplyAt> apply_at{};
  std::optional<Coupling> coupling{};
  std::optional<P> relaxation_time{};
  std::optional<FrictionStates<P>> states{};
  bool separate_cells = false;  // each cell of a solid is a part
  std::optional<int> max_pairs{};

  void describe(Fields<P>& f);
  // Without `between`, `cells` and `max_pairs`: two shapes.
  void describe_laws(Fields<P>& f);
};

template <class P = double>
struct Spring {
  static constexpr std::string_view kName = "spring";
  std::vector<std::string> between{};
  std::array<Vec3<P>, 2> points{Vec3<P>::Zero(), Vec3<P>::Zero()};
  P stiffness{0.0}, damping{0.0}, length{0.0};

  void describe(Fields<P>& f);
};

template <class P = double>
struct PointForce {
  static constexpr std::string_view kName = "force";
  std::string body{};
  Vec3<P> point = Vec3<P>::Zero(), force = Vec3<P>::Zero();
  bool in_body_axes = false;
  double from = 0, ramp = 0;
  std::optional<double> until{};
  std::string name{};  // by which paths find it

  void describe(Fields<P>& f);
};

template <class P = double>
struct Bushing {
  static constexpr std::string_view kName = "bushing";
  std::vector<std::string> between{};
  std::array<Frame<P>, 2> frames{};
  BushingSprings<P> springs{};

  void describe(Fields<P>& f);
};

// Pulls along a line with a tension that is given, or to a length that is (line_element.h).
template <class P = double>
struct Actuator {
  static constexpr std::string_view kName = "actuator";
  Line<P> line{};
  bool follows_length = false;
  Signal<P> input{};  // the tension, or the length
  P stiffness{0.0}, damping{0.0};

  void describe(Fields<P>& f);
};

template <class P = double>
struct Force {
  std::variant<Spring<P>, PointForce<P>, Bushing<P>, Ligament<P>, Actuator<P>> force;
  void describe(Fields<P>& f) { describe_one_of(f, {.key = "type"}, &force); }
};

template <class P = double>
struct Loop {
  LoopType type = LoopType::kPoint;
  std::vector<std::string> between{};
  std::array<Frame<P>, 2> frames{};
  P length{0.0};     // rod
  double rate = 50;  // [1/s]

  void describe(Fields<P>& f);
};

// Force-moment accommodation (simulation/accommodation.h).
template <class P = double>
struct Controller {
  std::string body{}, contact{};
  Vec3<P> point = Vec3<P>::Zero();
  std::array<Signal<P>, 3> velocity{};
  P gain{0.0}, dead_band{0.0}, turning_gain{0.0}, turning_dead_band{0.0}, k_p{0.0}, k_v{0.0};
  bool turns = false;  // gives way to moments

  void describe(Fields<P>& f);
};

// A number of a measure, "knee.flexion", that is kept at a value.
struct Held {
  std::string measure{};
  double value = 0;

  void describe(Fields<double>& f);
};

// Starts from the pose of rest.
struct Equilibrium {
  std::vector<std::string> locked{};
  std::vector<Held> held{};

  void describe(Fields<double>& f);
};

}  // namespace model

template <class P>
struct ModelOf {
  std::string title{}, description{};
  Vec3<P> gravity = Vec3<P>(P(0.0), P(0.0), P(-kStandardGravity));
  std::vector<model::Body<P>> bodies{};
  std::vector<model::Contact<P>> contacts{};
  std::vector<model::Force<P>> forces{};
  std::vector<model::Measure<P>> measures{};
  std::vector<model::Loop<P>> loops{};
  std::vector<model::Controller<P>> controllers{};
  std::optional<model::Equilibrium> equilibrium{};
  model::Run run{};

  // Where its parts come from.
  std::shared_ptr<const Places> places = std::make_shared<Places>();
  [[noreturn]] void fail(std::string_view path, const std::string& message) const {
    places->fail(path, message);
  }

  void describe(Fields<P>& f);
};
using Model = ModelOf<double>;

// One contact at one instant: a case of `vesica probe`.
template <class P>
struct CaseOf {
  std::string title{}, description{};
  std::array<model::Body<P>, 2> bodies;  // i and j: one shape each, pose, velocity
  model::Contact<P> contact;
  std::optional<P> impact_speed{};

  std::shared_ptr<const Places> places = std::make_shared<Places>();
  void describe(Fields<P>& f);
};
using Case = CaseOf<double>;

}  // namespace vesica
