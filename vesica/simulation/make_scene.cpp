#include "vesica/simulation/make_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "vesica/contact/pressure_sums.h"
#include "vesica/io/csv.h"
#include "vesica/io/output_file.h"
#include "vesica/io/yaml.h"
#include "vesica/model/make_contact.h"
#include "vesica/model/seeds.h"
#include "vesica/model/uniform_mass.h"
#include "vesica/simulation/map_file.h"
#include "vesica/simulation/scene_start.h"

namespace vesica {
namespace {

// That of a solid of uniform density. The body's origin is its mass centre: shapes that have theirs
// elsewhere are refused, with where they would have to be.
template <class P>
FreeBody<P> make_uniform_body(const P& mass, const std::vector<PlacedShape<P>>& shapes,
                              const PartPlace& place) {
  const UniformMass<P> solid = calc_uniform_mass<P>(shapes, place);
  Bounds all = Bounds::nothing();
  for (const auto& placed : shapes) {
    all = all.joined_with(calc_bounds(placed.shape).moved(detail::value_of_pose(placed.X_BS)));
  }
  const Vec3d c = value_of(solid.center);
  if (c.norm() > 1e-9 * 2 * all.half().maxCoeff()) {
    place.fail(
        "",
        fmt::format("a body's origin is its mass centre, but filled evenly {} the mass centre at "
                    "[{:.9g}, {:.9g}, {:.9g}] m; move {} by the opposite (vesica mass prints "
                    "the poses), or give 'inertia' for a body that is not even",
                    shapes.size() > 1 ? "these shapes have" : "this shape has", c.x(), c.y(), c.z(),
                    shapes.size() > 1 ? "them" : "it"));
  }
  return make_free_body<P>(mass, Mat3<P>(solid.I * (mass / solid.volume)));
}

std::shared_ptr<const RecordedMotion> load_recorded_motion(const std::string& file,
                                                           const PartPlace& place) {
  const auto fail = [&](const std::string& message) { place.fail("", message); };
  const MotionTrial trial = load_csv(resolve_path(place.places.folder(), file));
  const TimeTable& series = trial.analog;
  auto recorded = std::make_shared<RecordedMotion>();
  auto column = [&](const char* name) {
    const size_t index = series.find(name);
    if (index == series.columns.size()) {
      fail(fmt::format(
          "{} has no column '{}'; it needs time, x, y, z [m] and may have qw, qx, qy, qz", file,
          name));
    }
    const std::string& unit = series.columns[index].unit;
    if (!unit.empty() && unit != "m" && unit != "1") {
      fail(fmt::format("column '{}' is in {}; positions are in m", name, unit));
    }
    auto values = series.column(index);
    for (double v : values) {
      if (!std::isfinite(v)) fail(fmt::format("column '{}' has gaps", name));
    }
    return values;
  };
  for (size_t row = 1; row < series.rows(); ++row) {
    if (series.times[row] <= series.times[row - 1]) fail("its times do not increase");
  }
  if (series.rows() < 2) fail("a recorded motion needs at least two rows");
  for (const char* name : {"x", "y", "z"})
    recorded->position.emplace_back(series.times, column(name));
  if (series.find("qw") == series.columns.size()) return recorded;
  // q and -q are one rotation: keep the sign that continues the series.
  std::vector<std::vector<double>> q;
  for (const char* name : {"qw", "qx", "qy", "qz"}) q.push_back(column(name));
  for (size_t row = 1; row < series.rows(); ++row) {
    double dot = 0;
    for (const auto& part : q) dot += part[row] * part[row - 1];
    if (dot < 0) {
      for (auto& part : q) part[row] = -part[row];
    }
  }
  for (auto& part : q) recorded->quaternion.emplace_back(series.times, part);
  return recorded;
}

template <class P>
PrescribedMotion<P> make_prescribed(const model::Prescribed<P>& given, const Pose<P>& X0,
                                    const PartPlace& place) {
  using std::sqrt;
  PrescribedMotion<P> motion;
  motion.X0 = X0;
  motion.moves = true;
  if (!given.file.empty()) {
    motion.recorded = load_recorded_motion(given.file, place.below("file"));
    return motion;
  }
  motion.v0 = given.velocity;
  motion.a0 = given.acceleration;
  motion.amplitude = given.amplitude;
  motion.axis = given.axis / P(sqrt(given.axis.squaredNorm()));
  motion.w0 = given.spin;
  motion.swing = given.swing;
  motion.frequency = given.frequency;
  motion.phase = given.phase;
  return motion;
}

// Extents of all shapes that have one.
template <class P>
void set_extents(const std::vector<PlacedShape<P>>& shapes, SceneBody<P>* body) {
  Bounds all;
  bool is_first = true;
  for (const auto& placed : shapes) {
    const Bounds box = calc_bounds(placed.shape);
    if (!box.is_finite()) continue;
    const Bounds on_body = box.moved(detail::value_of_pose(placed.X_BS));
    all = is_first ? on_body : all.joined_with(on_body);
    is_first = false;
    if (shapes.size() == 1) body->size = 2 * box.half().maxCoeff();
  }
  if (is_first) return;
  if (shapes.size() > 1) body->size = 2 * all.half().maxCoeff();
  body->reach = all.min.cwiseAbs().cwiseMax(all.max.cwiseAbs()).norm();
}

template <class P>
SceneBody<P> make_body(const model::Body<P>& given, const std::vector<PlacedShape<P>>& shapes,
                       const PartPlace& place) {
  SceneBody<P> body;
  body.name = given.name;
  set_extents(shapes, &body);
  if (given.is_given()) {
    if (given.pose) body.prescribed.X0 = given.pose->pose();
    if (given.prescribed) {
      body.prescribed =
          make_prescribed(*given.prescribed, body.prescribed.X0, place.below("prescribed"));
    }
    return body;
  }
  body.is_free = true;
  body.has_joint = given.joint.has_value();
  if (given.velocity) body.V0 = given.velocity->velocity();
  const P mass = *given.mass;
  if (given.inertia) {
    body.inertia = make_free_body<P>(mass, given.inertia->I);
    return body;
  }
  body.inertia =
      make_uniform_body<P>(mass, shapes, place.below(given.has_shape_list ? "shapes" : "shape"));
  return body;
}

// Names to indices.
template <class P>
class BodyFinder {
 public:
  explicit BodyFinder(const Scene<P>& scene) : scene_(scene) {}

  int find(const std::string& name, const PartPlace& place) const {
    std::vector<std::string_view> names;
    for (size_t b = 0; b < scene_.bodies.size(); ++b) {
      if (scene_.bodies[b].name == name) return static_cast<int>(b);
      names.push_back(scene_.bodies[b].name);
    }
    place.fail("", say_unknown(name, names));
  }
  int find_or_world(const std::string& name, const PartPlace& place) const {
    return name == "world" ? -1 : find(name, place);
  }
  std::pair<int, int> find_two(const std::vector<std::string>& between, const PartPlace& place,
                               bool may_be_world = false) const {
    const auto at = [&](size_t k) {
      const PartPlace here = place.below("between").below(k);
      return may_be_world ? find_or_world(between[k], here) : find(between[k], here);
    };
    return {at(0), at(1)};
  }

 private:
  const Scene<P>& scene_;
};

std::shared_ptr<const CubicSpline> load_series(const std::string& file, const std::string& column,
                                               const PartPlace& place) {
  const MotionTrial trial = load_csv(resolve_path(place.places.folder(), file));
  const TimeTable& series = trial.analog;
  const size_t index = series.find(column);
  if (index == series.columns.size()) {
    place.fail("column", fmt::format("{} has no column of this name", file));
  }
  const auto values = series.column(index);
  if (values.size() < 2) place.fail("file", "a recorded series needs at least two rows");
  for (double v : values) {
    if (!std::isfinite(v)) place.fail("column", "the column has gaps");
  }
  try {
    return std::make_shared<CubicSpline>(series.times, values);
  } catch (const InputError& error) {
    place.fail("file", error.what());
  }
}

template <class P>
Signal<P> make_signal(const model::Signal<P>& given, const PartPlace& place) {
  Signal<P> signal;
  if (!given.file.empty()) {
    signal.recorded = load_series(given.file, given.column, place);
    return signal;
  }
  signal.offset = given.offset;
  signal.rate = given.rate;
  signal.amplitude = given.amplitude;
  signal.frequency = given.frequency;
  signal.phase = given.phase;
  signal.step = given.step;
  signal.step_from = given.from;
  signal.step_until = given.until;
  return signal;
}

template <class P>
void set_springs(const model::BushingSprings<P>& springs, Bushing<P>* bushing) {
  bushing->stiffness = springs.stiffness;
  bushing->turning_stiffness = springs.turning_stiffness;
  bushing->damping = springs.damping;
  bushing->turning_damping = springs.turning_damping;
}

template <class P>
void add_joint_forces(const model::Joint<P>& given, int body, const PartPlace& place,
                      Scene<P>* scene) {
  const auto names = coordinate_names(given.joint_type());
  const auto add = [&](const std::string& coordinate, JointAction<P> action) {
    const auto found = std::find(names.begin(), names.end(), coordinate);
    const auto speed = found == names.end() ? 0 : found - names.begin();
    scene->joint_forces.push_back({body, static_cast<int>(speed), std::move(action)});
  };
  for (const auto& s : given.springs) {
    add(s.coordinate, JointSpring<P>{s.stiffness, s.damping, s.rest});
  }
  for (const auto& l : given.limits) {
    add(l.coordinate, JointLimit<P>{l.range[0], l.range[1], l.stiffness, l.damping});
  }
  for (const auto& f : given.frictions) {
    add(f.coordinate, JointFriction<P>{f.law, f.load, f.radius});
  }
  for (size_t k = 0; k < given.motors.size(); ++k) {
    const auto& m = given.motors[k];
    const PartPlace motor = given.motors.size() > 1 || given.has_list[3]
                                ? place.below("motor").below(k)
                                : place.below("motor");
    add(m.coordinate, JointMotor<P>{m.input, make_signal(m.value, motor.below("value")), m.gain,
                                    m.rate_gain, m.limit.value_or(P(0.0))});
  }
}

// Coordinates and speeds at the start.
template <class P>
void add_start(const model::Joint<P>& given, Scene<P>* scene) {
  if (!given.driven.empty()) return;
  const JointType type = given.joint_type();
  std::vector<P> q(static_cast<size_t>(coordinate_count(type)), P(0.0));
  std::vector<P> u(static_cast<size_t>(speed_count(type)), P(0.0));
  const int place = quaternion_place(type);
  if (place >= 0) {
    const auto first = static_cast<size_t>(place);
    const model::Frame<P> X = given.start_pose.value_or(model::Frame<P>{});
    const model::Velocity<P> V = given.start_velocity.value_or(model::Velocity<P>{});
    const Quaternion<P> o = X.orientation();
    const P parts[] = {o.w, o.x, o.y, o.z};
    std::copy(parts, parts + 4, q.begin() + place);
    for (size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      if (first > 0) {
        q[k] = X.position[axis];
        u[k] = V.linear[axis];
      }
      u[first + k] = V.angular[axis];
    }
  } else {
    std::copy(given.start.begin(), given.start.end(), q.begin());
    std::copy(given.rate.begin(), given.rate.end(), u.begin());
  }
  scene->q0.insert(scene->q0.end(), q.begin(), q.end());
  scene->u0.insert(scene->u0.end(), u.begin(), u.end());
}

template <class P>
void add_joint(const model::Joint<P>& given, const PartPlace& place, Scene<P>* scene) {
  using std::sqrt;
  const int body = static_cast<int>(scene->bodies.size()) - 1;
  Joint<P> joint;
  joint.type = given.joint_type();
  joint.parent = BodyFinder<P>(*scene).find_or_world(given.parent, place.below("parent"));
  if (joint.parent == body) place.fail("parent", "a body cannot hang on itself");
  if (given.in_parent) joint.X_PF = given.in_parent->pose();
  if (given.in_body) joint.X_BM = given.in_body->pose();
  Vec3<P>* axes[] = {&joint.axis, &joint.axis2};
  for (size_t k = 0; k < given.axes.size(); ++k) {
    *axes[k] = given.axes[k] / P(sqrt(given.axes[k].squaredNorm()));
  }
  for (size_t k = 0; k < given.driven.size(); ++k) {
    const PartPlace drive =
        given.driven.size() > 1 ? place.below("driven").below(k) : place.below("driven");
    joint.drive.push_back(make_signal(given.driven[k], drive));
  }
  scene->tree.add_body(scene->bodies.back().inertia, joint);
  add_start(given, scene);
  add_joint_forces(given, body, place, scene);
  if (!given.is_bushing()) return;
  Bushing<P> bushing;
  bushing.body_i = body;
  bushing.body_j = joint.parent;
  bushing.X_IF = joint.X_BM;
  bushing.X_JF = joint.X_PF;
  set_springs(given.bushing, &bushing);
  scene->bushings.push_back(bushing);
}

// The last body of the scene: in the tree, and with its start.
template <class P>
void add_to_tree(const model::Body<P>& given, const PartPlace& place, Scene<P>* scene) {
  const SceneBody<P>& body = scene->bodies.back();
  if (!body.is_free) {
    scene->tree.add_given_body();
  } else if (given.joint) {
    add_joint(*given.joint, place.below("joint"), scene);
  } else {
    scene->tree.add_body(body.inertia, Joint<P>{});
    const model::Frame<P> start = given.pose.value_or(model::Frame<P>{});
    const Vec3<P>& p = start.position;
    const Quaternion<P> q = start.orientation();
    const auto& V = body.V0;
    scene->q0.insert(scene->q0.end(), {p.x(), p.y(), p.z(), q.w, q.x, q.y, q.z});
    scene->u0.insert(scene->u0.end(),
                     {V.v_WB.x(), V.v_WB.y(), V.v_WB.z(), V.w_WB.x(), V.w_WB.y(), V.w_WB.z()});
  }
}

// The shapes of one of the two bodies that take part in a contact.
template <class P>
std::vector<PlacedShape<P>> choose_shapes(const ModelOf<P>& model, const model::Contact<P>& given,
                                          size_t side, const PartPlace& place,
                                          const std::vector<std::vector<PlacedShape<P>>>& shapes) {
  const auto body = std::find_if(model.bodies.begin(), model.bodies.end(),
                                 [&](const auto& b) { return b.name == given.between[side]; });
  const auto& all = shapes[static_cast<size_t>(body - model.bodies.begin())];
  if (given.shapes.empty()) return all;
  std::vector<std::string_view> names;
  for (size_t k = 0; k < all.size(); ++k) {
    const std::string& name = body->shapes[k].name;
    if (name == given.shapes[side]) return {all[k]};
    if (!name.empty()) names.push_back(name);
  }
  const PartPlace at = place.below("shapes").below(side);
  if (names.empty()) {
    at.fail("", fmt::format("no shape of '{}' has a name; give the shape that is meant 'name: {}'",
                            body->name, given.shapes[side]));
  }
  at.fail("", say_unknown(given.shapes[side], names));
}

template <class P>
void add_surfaces(const std::vector<PlacedShape<P>>& shapes, SceneBody<P>* body) {
  for (const auto& placed : shapes) {
    ContactSurface surface{.X_BS = detail::value_of_pose(placed.X_BS)};
    if (const auto* sphere = std::get_if<Sphere<P>>(&placed.shape)) {
      surface.radii = Vec3d::Constant(value_of(sphere->radius));
    } else if (const auto* ellipsoid = std::get_if<Ellipsoid<P>>(&placed.shape)) {
      surface.radii = value_of(ellipsoid->radii);
    } else if (!std::holds_alternative<HalfSpace>(placed.shape)) {
      continue;
    }
    body->surfaces.push_back(surface);
  }
}

// Whether two contacts would press on the same pair of shapes.
template <class P>
bool press_twice(const model::Contact<P>& a, const model::Contact<P>& b) {
  for (const size_t turn : {0u, 1u}) {
    bool same = true;
    for (size_t side = 0; side < 2; ++side) {
      const size_t other = side ^ turn;
      same = same && a.between[side] == b.between[other] &&
             (a.shapes.empty() || b.shapes.empty() || a.shapes[side] == b.shapes[other]);
    }
    if (same) return true;
  }
  return false;
}

template <class P>
void add_contact(const ModelOf<P>& model, size_t index, const PartPlace& place,
                 const std::vector<std::vector<PlacedShape<P>>>& shapes, Scene<P>* scene) {
  const model::Contact<P>& given = model.contacts[index];
  for (size_t k = 0; k < index; ++k) {
    if (!press_twice(given, model.contacts[k])) continue;
    place.fail(given.shapes.empty() ? "between" : "shapes",
               "these two are in contact already; one contact presses for both");
  }
  SceneContact<P> contact;
  std::tie(contact.body_i, contact.body_j) = BodyFinder<P>(*scene).find_two(given.between, place);
  const std::vector<PlacedShape<P>> i = choose_shapes(model, given, 0, place, shapes);
  const std::vector<PlacedShape<P>> j = choose_shapes(model, given, 1, place, shapes);
  if (i.empty() || j.empty()) place.fail("between", "both bodies need a shape to touch");
  contact.name =
      given.name.empty() ? fmt::format("{}-{}", given.between[0], given.between[1]) : given.name;
  for (const auto& other : scene->contacts) {
    if (other.name != contact.name) continue;
    place.fail("between", fmt::format("another contact is called '{}' too, which heads columns of "
                                      "the recording; give it a name of its own, or rename a body",
                                      contact.name));
  }
  MadeContact<P> made = make_contact(given, i, j, place.places, place.path);
  contact.contact = std::move(made.contact);
  contact.parts = std::move(made.parts);
  for (const auto& [body, own] : {std::pair{contact.body_i, &i}, std::pair{contact.body_j, &j}}) {
    SceneBody<P> extents;
    set_extents(*own, &extents);
    if (extents.size > 0) {
      contact.size = contact.size > 0 ? std::min(contact.size, extents.size) : extents.size;
    }
    add_surfaces(*own, &scene->bodies[static_cast<size_t>(body)]);
  }
  scene->contacts.push_back(std::move(contact));
}

template <class P>
void add_force(const model::Spring<P>& given, const PartPlace& place, Scene<P>* scene) {
  Spring<P> spring;
  std::tie(spring.body_i, spring.body_j) = BodyFinder<P>(*scene).find_two(given.between, place);
  spring.p_I = given.points[0];
  spring.p_J = given.points[1];
  spring.stiffness = given.stiffness;
  spring.damping = given.damping;
  spring.length = given.length;
  scene->springs.push_back(spring);
}
template <class P>
void add_force(const model::PointForce<P>& given, const PartPlace& place, Scene<P>* scene) {
  PointForce<P> load;
  load.body = BodyFinder<P>(*scene).find(given.body, place.below("body"));
  if (!scene->bodies[static_cast<size_t>(load.body)].is_free) {
    place.fail("body", "this body's motion is given: a force on it changes nothing");
  }
  load.p_B = given.point;
  load.force = given.force;
  load.follows = given.in_body_axes;
  load.from = given.from;
  if (given.until) load.until = *given.until;
  load.ramp = given.ramp;
  scene->forces.push_back(load);
}
template <class P>
void add_force(const model::Bushing<P>& given, const PartPlace& place, Scene<P>* scene) {
  Bushing<P> bushing;
  std::tie(bushing.body_i, bushing.body_j) = BodyFinder<P>(*scene).find_two(given.between, place);
  bushing.X_IF = given.frames[0].pose();
  bushing.X_JF = given.frames[1].pose();
  set_springs(given.springs, &bushing);
  scene->bushings.push_back(bushing);
}

template <class P>
using ShapesOfBodies = std::vector<std::vector<PlacedShape<P>>>;

// A cylinder that a line wraps over: as a solid it would be flat pieces. Null: it is none.
template <class P>
const model::BodyShape<P>* find_wrapped_cylinder(const model::LineWrap<P>& given,
                                                 const model::Body<P>& body) {
  const model::BodyShape<P>* shape = given.own_shape ? &*given.own_shape : nullptr;
  for (const auto& other : body.shapes) {
    if (!given.own_shape && !given.shape.empty() && other.name == given.shape) shape = &other;
  }
  const bool is_cylinder =
      shape != nullptr && std::holds_alternative<model::Cylinder>(shape->shape);
  return is_cylinder ? shape : nullptr;
}

// The shape that a line wraps over.
template <class P>
PlacedShape<P> find_wrapped_shape(const ModelOf<P>& model, const model::LineWrap<P>& given,
                                  const model::Body<P>& body, const PartPlace& place,
                                  const std::vector<PlacedShape<P>>& shapes) {
  if (given.own_shape) {
    return make_shape(*given.own_shape, *model.places, place.below("shape").path);
  }
  std::vector<std::string_view> names;
  for (size_t k = 0; k < shapes.size(); ++k) {
    const std::string& name = body.shapes[k].name;
    if (name == given.shape) return shapes[k];
    if (!name.empty()) names.push_back(name);
  }
  if (names.empty()) {
    place.fail("shape", fmt::format("no shape of '{}' has a name; give the shape that is meant "
                                    "'name: {}', or give a sphere, an ellipsoid or a cylinder here",
                                    body.name, given.shape));
  }
  place.fail("shape", say_unknown(given.shape, names));
}

template <class P>
LineWrap<P> make_line_wrap(const ModelOf<P>& model, const model::LineWrap<P>& given,
                           const PartPlace& place, const ShapesOfBodies<P>& shapes,
                           const Scene<P>& scene) {
  LineWrap<P> wrap;
  wrap.segment = given.segment;
  wrap.body = BodyFinder<P>(scene).find(given.body, place.below("body"));
  const auto body = static_cast<size_t>(wrap.body);
  if (const auto* placed = find_wrapped_cylinder(given, model.bodies[body])) {
    if (given.guide) {
      place.fail("guide", "over a cylinder a line takes the shorter way; leave the guide out");
    }
    const auto& cylinder = std::get<model::Cylinder>(placed->shape);
    wrap.radii = Vec3<P>(P(cylinder.radius), P(cylinder.radius), P(0.5 * cylinder.length));
    wrap.is_cylinder = true;
    if (placed->pose) wrap.X_BS = placed->pose->pose();
    return wrap;
  }
  const PlacedShape<P> shape =
      find_wrapped_shape(model, given, model.bodies[body], place, shapes[body]);
  wrap.X_BS = shape.X_BS;
  if (const auto* sphere = std::get_if<Sphere<P>>(&shape.shape)) {
    wrap.radii = Vec3<P>(sphere->radius, sphere->radius, sphere->radius);
    wrap.is_sphere = true;
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid<P>>(&shape.shape)) {
    wrap.radii = ellipsoid->radii;
  } else {
    place.fail("shape",
               "a line wraps over a sphere, an ellipsoid or a cylinder; other shapes it passes by "
               "via points");
  }
  if (given.guide) {
    const Pose<double> X = detail::value_of_pose(wrap.X_BS);
    wrap.guide = X.R_WB.transpose() * (*given.guide - X.p_WB);
    const double out = wrap.guide->cwiseQuotient(value_of(wrap.radii)).norm();
    if (!(out > 1)) {
      place.fail("guide",
                 fmt::format("lies inside the surface, at {:.3g} of the way from its centre: a "
                             "string is laid over the side of a point that lies beside it",
                             out));
    }
  }
  return wrap;
}

template <class P>
LinePath<P> make_line_path(const ModelOf<P>& model, const model::Line<P>& given,
                           const PartPlace& place, const ShapesOfBodies<P>& shapes,
                           const Scene<P>& scene) {
  LinePath<P> path;
  bool moves = false;
  for (size_t k = 0; k < given.points.size(); ++k) {
    const PartPlace at = place.below("points").below(k);
    LinePoint<P> point;
    point.body = BodyFinder<P>(scene).find(given.points[k].body, at.below("body"));
    point.p_B = given.points[k].position;
    path.points.push_back(point);
    moves = moves || point.body != path.points.front().body;
  }
  for (size_t k = 0; k < given.wraps.size(); ++k) {
    const PartPlace at = place.below("wraps").below(k);
    path.wraps.push_back(make_line_wrap(model, given.wraps[k], at, shapes, scene));
    moves = moves || path.wraps.back().body != path.points.front().body;
    // Points inside at the start are a mistake of the file.
    LineState<P> start;
    LinePath<P> segment;
    const auto first = static_cast<size_t>(path.wraps.back().segment);
    segment.points = {path.points[first], path.points[first + 1]};
    segment.wraps = {path.wraps.back()};
    segment.wraps[0].segment = 0;
    try {
      calc_line_state(segment, calc_start_motions(scene), &start);
    } catch (const RunError& error) {
      at.fail("", error.what());
    }
  }
  if (!moves) place.fail("points", "all points are on one body: its line does nothing");
  return path;
}

template <class P>
void add_line(const model::Ligament<P>& given, LinePath<P> path, const PartPlace&,
              Scene<P>* scene) {
  LineElement<P> line;
  line.name = given.line.name;
  line.path = std::move(path);
  LigamentLaw<P> law;
  law.toe_strain = given.toe_strain;
  law.damping = given.damping;
  if (given.slack_length) {
    law.slack_length = *given.slack_length;
  } else if (given.reference_strain) {
    LineState<P> start;
    calc_line_state(line.path, calc_start_motions(*scene), &start);
    law.slack_length = start.length / (1.0 + *given.reference_strain);
  } else {
    law.slack_length = *given.stiffness / (4.0 * *given.toe_stiffness * given.toe_strain);
  }
  law.stiffness =
      given.stiffness ? *given.stiffness : P(*given.stiffness_per_strain / law.slack_length);
  // A ligament breaks at a strain of a tenth or two.
  constexpr double kOtherUnit = 5;
  LineState<P> now;
  calc_line_state(line.path, calc_start_motions(*scene), &now);
  const double length = value_of(now.length), slack = value_of(law.slack_length);
  if (length > kOtherUnit * slack || slack > kOtherUnit * length) {
    scene->notes.push_back(
        fmt::format("the ligament '{}' is {:.3g} m long where the scene begins, and slack below "
                    "{:.3g} m: is one of them in another unit?",
                    line.name, length, slack));
  }
  line.action = law;
  scene->lines.push_back(std::move(line));
}
template <class P>
void add_line(const model::Actuator<P>& given, LinePath<P> path, const PartPlace& place,
              Scene<P>* scene) {
  LineElement<P> line;
  line.name = given.line.name;
  line.path = std::move(path);
  const PartPlace input = place.below(given.follows_length ? "length" : "tension");
  line.action = LineActuator<P>{make_signal(given.input, input), given.follows_length,
                                given.stiffness, given.damping};
  scene->lines.push_back(std::move(line));
}

template <class P>
void add_measure(const model::GroodSuntay<P>& given, const PartPlace& place, Scene<P>* scene) {
  GroodSuntay<P> measure;
  measure.name = given.name;
  std::tie(measure.body_u, measure.body_l) = BodyFinder<P>(*scene).find_two(given.between, place);
  measure.X_UF = given.frames[0].pose();
  measure.X_LF = given.frames[1].pose();
  measure.is_left = given.is_left;
  scene->measures.push_back(std::move(measure));
}

// Columns of a recording are found by their names: lines, measures, bodies and contacts differ.
template <class P>
void check_column_names(const PartPlace& root, const Scene<P>& scene) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const char* what) {
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      root.fail("", fmt::format("the {} '{}' has the name of something else that heads columns of "
                                "the recording; rename it",
                                what, name));
    }
    names.push_back(name);
  };
  for (const auto& body : scene.bodies) add(body.name, "body");
  for (const auto& contact : scene.contacts) add(contact.name, "contact");
  for (const auto& line : scene.lines) add(line.name, "line");
  for (const auto& measure : scene.measures) add(measure.name, "measure");
}

template <class P>
void add_loop(const model::Loop<P>& given, const PartPlace& place, Scene<P>* scene) {
  Loop<P> loop;
  loop.type = given.type;
  std::tie(loop.body_i, loop.body_j) =
      BodyFinder<P>(*scene).find_two(given.between, place, /*may_be_world=*/true);
  loop.X_IF = given.frames[0].pose();
  loop.X_JF = given.frames[1].pose();
  loop.length = given.length;
  loop.rate = given.rate;
  scene->loops.push_back(loop);
}

template <class P>
void add_controller(const model::Controller<P>& given, const PartPlace& place, Scene<P>* scene) {
  Accommodation<P> c;
  c.body = BodyFinder<P>(*scene).find(given.body, place.below("body"));
  c.p_BT = given.point;
  std::vector<std::string_view> names;
  for (const auto& k : scene->contacts) names.push_back(k.name);
  const auto found = std::find(names.begin(), names.end(), given.contact);
  if (found == names.end()) place.fail("contact", say_unknown(given.contact, names));
  c.contact = static_cast<int>(found - names.begin());
  const auto& felt = scene->contacts[static_cast<size_t>(c.contact)];
  if (felt.parts) {
    place.fail("contact", "is between bodies of several parts; the tip feels one contact");
  }
  c.body_is_i = felt.body_i == c.body;
  if (!c.body_is_i && felt.body_j != c.body) {
    place.fail("contact", "the tip has no part in this contact");
  }
  for (size_t k = 0; k < 3; ++k) {
    c.velocity.push_back(make_signal(given.velocity[k], place.below("velocity").below(k)));
  }
  c.velocity.resize(6);  // the tip keeps its orientation but for what the moment asks
  c.gain = given.gain;
  c.dead_band = given.dead_band;
  c.turning_gain = given.turning_gain;
  c.turning_dead_band = given.turning_dead_band;
  c.k_p = given.k_p;
  c.k_v = given.k_v;
  for (int b = c.body; b >= 0; b = scene->tree.body(b).joint.parent) {
    const auto& link = scene->tree.body(b);
    if (link.joint.type == JointType::kGiven) break;
    if (link.nu > 1) place.fail("body", "hangs on a joint with more than one coordinate");
    if (link.nu == 0) continue;
    c.speeds.insert(c.speeds.begin(), link.u_start);
    c.coordinates.insert(c.coordinates.begin(), link.q_start);
  }
  if (c.speeds.size() != 6) {
    place.fail("body",
               fmt::format("hangs on {} joints; the controller needs exactly 6", c.speeds.size()));
  }
  scene->controllers.push_back(std::move(c));
}

void check_map(const MapOptions& map, const PartPlace& place, const Scene<double>& scene) {
  BodyFinder<double>(scene).find(map.body, place.below("body"));
  std::vector<std::string_view> names;
  for (const auto& c : scene.contacts) names.push_back(c.name);
  const auto found = std::find(names.begin(), names.end(), map.contact);
  if (found == names.end()) place.fail("contact", say_unknown(map.contact, names));
  const auto& c = scene.contacts[static_cast<size_t>(found - names.begin())];
  const PlacedPair<double>& shapes = c.parts ? c.parts->pairs.front() : c.contact;
  const std::string reason = explain_no_pressure(c.contact, shapes);
  if (!reason.empty()) place.fail("contact", fmt::format("'{}' {}", map.contact, reason));
}

}  // namespace

double ContactSurface::calc_depth(const Vec3d& p_B) const {
  const Vec3d x = X_BS.R_WB.transpose() * (p_B - X_BS.p_WB);
  if (radii.isZero()) return -x.z();
  const Vec3d scaled = x.cwiseQuotient(radii);
  const double f = scaled.norm();
  return f > 0 ? (1 - f) * f / scaled.cwiseQuotient(radii).norm() : radii.minCoeff();
}

double calc_depth(const std::vector<ContactSurface>& surfaces, const Vec3d& p_B) {
  double below = std::numeric_limits<double>::infinity(), inside = -below;
  for (const ContactSurface& surface : surfaces) {
    const double depth = surface.calc_depth(p_B);
    (surface.radii.isZero() ? below : inside) =
        surface.radii.isZero() ? std::min(below, depth) : std::max(inside, depth);
  }
  return std::isfinite(below) ? std::max(below, inside) : inside;
}

template <class P>
Scene<P> build_scene(const ModelOf<P>& model) {
  const PartPlace root{*model.places, ""};
  Scene<P> scene;
  scene.title = model.title;
  scene.gravity = model.gravity;
  std::vector<std::vector<PlacedShape<P>>> shapes;
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const auto& body = model.bodies[b];
    const PartPlace place = root.below("bodies").below(body.name);
    for (size_t later = b + 1; body.joint && later < model.bodies.size(); ++later) {
      if (model.bodies[later].name != body.joint->parent) continue;
      place.fail("joint.parent", fmt::format("'{}' stands further down; a body comes after what it "
                                             "hangs on",
                                             body.joint->parent));
    }
    shapes.push_back(make_shapes(body, place.places, place.path));
    scene.bodies.push_back(make_body(body, shapes.back(), place));
    add_to_tree(body, place, &scene);
  }
  if (model.bodies.empty()) root.fail("bodies", "there are none");
  if (scene.tree.nu() == 0) {
    root.fail("bodies", "nothing can move: every body is fixed, prescribed, welded or driven");
  }
  const auto for_each = [&](const char* key, const auto& items, const auto& add) {
    for (size_t k = 0; k < items.size(); ++k) add(items[k], root.below(key).below(k));
  };
  for (size_t k = 0; k < model.contacts.size(); ++k) {
    add_contact(model, k, root.below("contacts").below(k), shapes, &scene);
  }
  for_each("forces", model.forces, [&](const auto& item, const PartPlace& place) {
    std::visit(
        [&](const auto& force) {
          if constexpr (requires { force.line; }) {
            add_line(force, make_line_path(model, force.line, place, shapes, scene), place, &scene);
          } else {
            add_force(force, place, &scene);
          }
        },
        item.force);
  });
  for_each("measures", model.measures, [&](const auto& item, const PartPlace& place) {
    std::visit([&](const auto& measure) { add_measure(measure, place, &scene); }, item.measure);
  });
  check_column_names(root, scene);
  for_each("loops", model.loops,
           [&](const auto& loop, const PartPlace& place) { add_loop(loop, place, &scene); });
  for_each("controllers", model.controllers, [&](const auto& controller, const PartPlace& place) {
    add_controller(controller, place, &scene);
  });
  if constexpr (std::is_same_v<P, double>) {
    const PartPlace maps = root.below("output").below("pressure_maps");
    for (size_t k = 0; k < model.run.maps.size(); ++k) {
      check_map(model.run.maps[k], maps.below(k), scene);
      for (size_t other = 0; other < k; ++other) {
        // A space in a name is an underscore in that of the files.
        const MapOptions &one = model.run.maps[other], &two = model.run.maps[k];
        if (make_map_file_name(one) != make_map_file_name(two)) continue;
        maps.below(k).fail(
            "", fmt::format("another map is called '{}' too, which names files; give it a 'name'",
                            one.title()));
      }
    }
  }
  return scene;
}

template <class P>
Scene<P> make_scene(const Model& model, const std::vector<std::string>& seeds) {
  Scene<P> scene = build_scene(with_seeds<P>(model, seeds));
  if (scene.tree.has_joints() || !scene.loops.empty()) prepare_start(model, &scene);
  if (model.equilibrium) start_at_rest(model, seeds, &scene);
  scene.begins_at_rest = model.equilibrium.has_value();
  return scene;
}

#define VESICA_INSTANTIATE(P)                       \
  template Scene<P> build_scene(const ModelOf<P>&); \
  template Scene<P> make_scene(const Model&, const std::vector<std::string>&)
VESICA_INSTANTIATE(double);
VESICA_INSTANTIATE(Dual<4>);
VESICA_INSTANTIATE(Dual<12>);
#undef VESICA_INSTANTIATE

}  // namespace vesica
