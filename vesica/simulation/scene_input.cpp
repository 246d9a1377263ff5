#include "vesica/simulation/scene_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "vesica/contact/contact_input.h"
#include "vesica/contact/part_input.h"
#include "vesica/interference/slices/solid_moments.h"
#include "vesica/io/csv.h"
#include "vesica/io/output_file.h"
#include "vesica/simulation/joint_input.h"
#include "vesica/simulation/scene_start.h"

namespace vesica {
namespace {

constexpr double kStandardGravity = 9.80665;
// How many pairs of parts of two bodies may be near each other at once.
constexpr int kDefaultRoom = 64, kMostRoom = 100000;
const std::vector<std::string_view> kSolverNames = {
    "euler", "semi_implicit_euler", "rk3", "rk4", "rk5", "dopri5", "rodas5p", "cvode", "arkode"};

template <class P>
Mat3<P> diagonal(const P& x, const P& y, const P& z) {
  Mat3<P> m = Mat3<P>::Zero();
  m(0, 0) = x;
  m(1, 1) = y;
  m(2, 2) = z;
  return m;
}

// Inertia of a solid of uniform density about its centre, in the shape's axes.
template <class P>
Mat3<P> calc_uniform_inertia(const InputNode& node, const Shape<P>& shape, const P& mass) {
  auto from_squares = [&](const Vec3<P>& r2, double factor) {
    return diagonal<P>(mass * factor * (r2.y() + r2.z()), mass * factor * (r2.x() + r2.z()),
                       mass * factor * (r2.x() + r2.y()));
  };
  if (const auto* sphere = std::get_if<Sphere<P>>(&shape)) {
    const P i = mass * 0.4 * sphere->radius * sphere->radius;
    return diagonal<P>(i, i, i);
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid<P>>(&shape)) {
    return from_squares(ellipsoid->radii.cwiseProduct(ellipsoid->radii), 0.2);
  }
  if (const auto* box = std::get_if<Box<P>>(&shape)) {
    return from_squares(box->size.cwiseProduct(box->size), 1.0 / 12);
  }
  const auto* mesh = std::get_if<MeshShape>(&shape);
  const auto* solid = std::get_if<SolidShape>(&shape);
  if (mesh || solid) {
    const TriangleMesh::Solid moments =
        mesh ? mesh->mesh->solid() : calc_solid_moments(*solid->solid);
    const Vec3d c = moments.centroid;
    const double size = mesh ? mesh->mesh->size() : 2 * solid->solid->bounds.half().maxCoeff();
    if (c.norm() > 1e-9 * size) {
      node.fail(fmt::format(
          "the body origin is the mass centre, but this solid has its centroid at [{:.9g}, {:.9g}, "
          "{:.9g}] m; give the shape the pose {{position: [{:.9g}, {:.9g}, {:.9g}]}} and the body "
          "an "
          "inertia, or centre the solid",
          c.x(), c.y(), c.z(), -c.x(), -c.y(), -c.z()));
    }
    const Mat3d J = inertia_of(moments.M).matrix() / moments.volume;
    return J.template cast<P>() * mass;
  }
  node.fail("a half_space has no inertia; give the body 'inertia', or fix it: 'fixed: true'");
}

// `carried`: by a joint, where a point mass will do.
template <class P>
Mat3<P> read_inertia(const InputNode& node, bool carried) {
  Mat3<P> I;
  if (node.size() == 3 && node.at(size_t{0}).is_scalar()) {
    const Vec3<P> d = node.vector_of<P>(dimension::kInertia);
    I = diagonal<P>(d.x(), d.y(), d.z());
  } else {
    node.expect_list(3);
    for (size_t r = 0; r < 3; ++r) {
      I.row(static_cast<Eigen::Index>(r)) =
          node.at(r).vector_of<P>(dimension::kInertia).transpose();
    }
  }
  auto at = [&](int r, int c) { return value_of(I(r, c)); };
  const double trace = at(0, 0) + at(1, 1) + at(2, 2);
  for (int r = 0; r < 3; ++r) {
    const int s = (r + 1) % 3, t = (r + 2) % 3;
    if (std::abs(at(r, s) - at(s, r)) > 1e-9 * trace) node.fail("an inertia tensor is symmetric");
    if (!(at(r, r) > 0) && !(carried && at(r, r) == 0)) {
      node.fail("moments of inertia are greater than zero");
    }
    if (at(r, r) > (at(s, s) + at(t, t)) * (1 + 1e-9)) {
      node.fail("a moment of inertia cannot exceed the sum of the other two");
    }
  }
  return I;
}

std::shared_ptr<const RecordedMotion> load_recorded_motion(const InputNode& node,
                                                           const std::string& folder) {
  const MotionTrial trial = load_csv(resolve_path(folder, node.text()));
  const TimeTable& series = trial.analog;
  auto recorded = std::make_shared<RecordedMotion>();
  auto column = [&](const char* name) {
    const size_t index = series.find(name);
    if (index == series.columns.size()) {
      node.fail(fmt::format(
          "{} has no column '{}'; it needs time, x, y, z [m] and may have qw, qx, qy, qz",
          node.text(), name));
    }
    const std::string& unit = series.columns[index].unit;
    if (!unit.empty() && unit != "m" && unit != "1") {
      node.fail(fmt::format("column '{}' is in {}; positions are in m", name, unit));
    }
    auto values = series.column(index);
    for (double v : values) {
      if (!std::isfinite(v)) node.fail(fmt::format("column '{}' has gaps", name));
    }
    return values;
  };
  for (size_t row = 1; row < series.rows(); ++row) {
    if (series.times[row] <= series.times[row - 1]) node.fail("its times do not increase");
  }
  if (series.rows() < 2) node.fail("a recorded motion needs at least two rows");
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
PrescribedMotion<P> read_prescribed(const InputNode& node, const Pose<P>& X0,
                                    const std::string& folder) {
  node.allow({"velocity", "acceleration", "amplitude", "axis", "spin", "swing", "frequency",
              "phase", "file"});
  PrescribedMotion<P> motion;
  motion.X0 = X0;
  motion.moves = true;
  if (const auto file = node.find("file")) {
    if (node.entries().size() > 1) file->fail("a recorded motion excludes the other keys");
    motion.recorded = load_recorded_motion(*file, folder);
    return motion;
  }
  if (const auto v = node.find("velocity")) motion.v0 = v->vector_of<P>(dimension::kSpeed);
  if (const auto a = node.find("acceleration"))
    motion.a0 = a->vector_of<P>(dimension::kAcceleration);
  if (const auto a = node.find("amplitude")) motion.amplitude = a->vector_of<P>(dimension::kLength);
  if (const auto axis = node.find("axis")) {
    using std::sqrt;
    const Vec3<P> e = axis->vector_of<P>(dimension::kNumber);
    if (value_of(e).norm() == 0) axis->fail("an axis cannot be zero");
    motion.axis = e / P(sqrt(e.squaredNorm()));
  }
  if (const auto spin = node.find("spin")) motion.w0 = spin->scalar<P>(dimension::kSpin);
  if (const auto swing = node.find("swing")) motion.swing = swing->scalar<P>(dimension::kAngle);
  const bool oscillates = node.find("amplitude") || node.find("swing");
  if (oscillates) {
    motion.frequency = node.at("frequency").positive_scalar<P>(dimension::kFrequency);
    if (const auto phase = node.find("phase")) motion.phase = phase->scalar<P>(dimension::kAngle);
  } else if (const auto f = node.find("frequency")) {
    f->fail("goes with 'amplitude' or 'swing'");
  }
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
SceneBody<P> read_body(const std::string& name, const InputNode& node, const std::string& folder,
                       std::vector<PlacedShape<P>>* shapes, OrientedPose<P>* start) {
  node.allow(
      {"fixed", "prescribed", "mass", "inertia", "shape", "shapes", "pose", "velocity", "joint"});
  SceneBody<P> body;
  body.name = name;
  *shapes = read_shapes<P>(node, folder);
  set_extents(*shapes, &body);
  if (const auto pose = node.find("pose")) *start = read_oriented_pose<P>(*pose);

  const auto prescribed = node.find("prescribed");
  const auto fixed = node.find("fixed");
  if (prescribed || (fixed && fixed->flag())) {
    if (prescribed && fixed) node.fail("give either 'fixed' or 'prescribed', not both");
    for (const char* key : {"mass", "inertia", "velocity", "joint"}) {
      if (const auto child = node.find(key)) {
        child->fail("belongs to a free body; this one's motion is given");
      }
    }
    body.prescribed.X0 = start->pose();
    if (prescribed) body.prescribed = read_prescribed<P>(*prescribed, start->pose(), folder);
    return body;
  }

  body.is_free = true;
  body.has_joint = node.find("joint").has_value();
  if (body.has_joint) {
    for (const char* key : {"pose", "velocity"}) {
      if (const auto child = node.find(key)) {
        child->fail("follows from the joint; give its 'start' and 'rate'");
      }
    }
  }
  if (const auto velocity = node.find("velocity")) body.V0 = read_velocity<P>(*velocity);
  const P mass = node.at("mass").positive_scalar<P>(dimension::kMass);
  if (const auto inertia = node.find("inertia")) {
    body.inertia = make_free_body<P>(mass, read_inertia<P>(*inertia, body.has_joint));
    return body;
  }
  if (shapes->empty()) node.fail("a free body needs 'inertia', or a shape to compute it from");
  if (shapes->size() > 1) node.fail("a free body of several shapes needs 'inertia'");
  const PlacedShape<P>& placed = shapes->front();
  for (int k = 0; k < 3; ++k) {
    if (value_of(placed.X_BS.p_WB[k]) != 0) {
      node.fail("its shape sits off the mass centre: give 'inertia' as well");
    }
  }
  const InputNode shape = node.find("shape") ? node.at("shape") : node.at("shapes");
  const Mat3<P> I = calc_uniform_inertia<P>(shape, placed.shape, mass);
  body.inertia = make_free_body<P>(mass, placed.X_BS.R_WB * I * placed.X_BS.R_WB.transpose());
  return body;
}

void check_name(const std::string& name, const InputNode& node) {
  if (name == "world") node.fail("'world' is the ground that joints hang on; use another name");
  const bool is_plain =
      std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
  if (name.empty() || !is_plain) {
    node.fail("a name is a line of text: it heads columns of the recording");
  }
}

template <class P>
int body_index(const Scene<P>& scene, const InputNode& node) {
  const std::string name = node.text();
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].name == name) return static_cast<int>(b);
  }
  std::vector<std::string_view> names;
  for (const auto& body : scene.bodies) names.push_back(body.name);
  node.choice(names);
  return -1;
}

template <class P>
int body_or_world(const Scene<P>& scene, const InputNode& node) {
  return node.text() == "world" ? -1 : body_index(scene, node);
}

// The last body of the scene, with its joint: in the tree, and with its start.
template <class P>
void add_to_tree(const InputNode& node, const OrientedPose<P>& start, const std::string& folder,
                 Scene<P>* scene) {
  const SceneBody<P>& body = scene->bodies.back();
  const int index = static_cast<int>(scene->bodies.size()) - 1;
  if (!body.is_free) {
    scene->tree.add_given_body();
    return;
  }
  if (!body.has_joint) {
    scene->tree.add_body(body.inertia, Joint<P>{});
    const auto& p = start.position;
    const auto& q = start.orientation;
    const auto& V = body.V0;
    scene->q0.insert(scene->q0.end(), {p.x(), p.y(), p.z(), q.w, q.x, q.y, q.z});
    scene->u0.insert(scene->u0.end(),
                     {V.v_WB.x(), V.v_WB.y(), V.v_WB.z(), V.w_WB.x(), V.w_WB.y(), V.w_WB.z()});
    return;
  }
  const auto find_parent = [&](const InputNode& parent) {
    const int found = body_or_world(*scene, parent);
    if (found == index) parent.fail("a body cannot hang on itself");
    return found;
  };
  const JointInput<P> input = read_joint<P>(node.at("joint"), index, find_parent, folder);
  scene->tree.add_body(body.inertia, input.joint);
  scene->q0.insert(scene->q0.end(), input.q0.begin(), input.q0.end());
  scene->u0.insert(scene->u0.end(), input.u0.begin(), input.u0.end());
  scene->joint_forces.insert(scene->joint_forces.end(), input.forces.begin(), input.forces.end());
  if (input.bushing) scene->bushings.push_back(*input.bushing);
}

template <class P>
Spring<P> read_spring(const InputNode& node, const Scene<P>& scene) {
  node.allow({"type", "between", "points", "stiffness", "damping", "length"});
  Spring<P> spring;
  const InputNode between = node.at("between");
  between.expect_list(2);
  spring.body_i = body_index(scene, between.at(size_t{0}));
  spring.body_j = body_index(scene, between.at(1));
  if (spring.body_i == spring.body_j) between.fail("a spring joins two bodies");
  if (const auto points = node.find("points")) {
    points->expect_list(2);
    spring.p_I = points->at(size_t{0}).vector_of<P>(dimension::kLength);
    spring.p_J = points->at(1).vector_of<P>(dimension::kLength);
  }
  spring.stiffness = node.at("stiffness").non_negative_scalar<P>(dimension::kStiffness);
  spring.damping = P(0);
  if (const auto d = node.find("damping")) {
    spring.damping = d->non_negative_scalar<P>(dimension::kViscosity);
  }
  spring.length = node.at("length").non_negative_scalar<P>(dimension::kLength);
  return spring;
}

template <class P>
PointForce<P> read_point_force(const InputNode& node, const Scene<P>& scene) {
  node.allow({"type", "body", "point", "force", "axes", "from", "until", "ramp"});
  PointForce<P> load;
  load.body = body_index(scene, node.at("body"));
  if (!scene.bodies[static_cast<size_t>(load.body)].is_free) {
    node.at("body").fail("this body's motion is given: a force on it changes nothing");
  }
  if (const auto point = node.find("point")) load.p_B = point->vector_of<P>(dimension::kLength);
  load.force = node.at("force").vector_of<P>(dimension::kForce);
  if (const auto axes = node.find("axes")) load.follows = axes->choice({"world", "body"}) == 1;
  if (const auto from = node.find("from")) load.from = from->non_negative(dimension::kTime);
  if (const auto until = node.find("until")) {
    load.until = until->positive(dimension::kTime);
    if (load.until <= load.from) until->fail("must be later than 'from'");
  }
  if (const auto ramp = node.find("ramp")) load.ramp = ramp->non_negative(dimension::kTime);
  return load;
}

}  // namespace

std::string_view solver_name(Solver solver) { return kSolverNames[static_cast<size_t>(solver)]; }

bool is_scene(const InputFile& file) { return file.root().find("duration").has_value(); }

template <class P>
Scene<P> read_scene(const InputFile& file) {
  const InputNode root = file.root();
  root.allow({"vesica", "title", "description", "gravity", "bodies", "contacts", "forces", "loops",
              "controllers", "equilibrium", "duration", "solver", "output"});
  root.at("vesica").integer(1, 1);
  Scene<P> scene;
  if (const auto title = root.find("title")) scene.title = title->text();
  scene.gravity = Vec3<P>(P(0), P(0), P(-kStandardGravity));
  if (const auto g = root.find("gravity"))
    scene.gravity = g->vector_of<P>(dimension::kAcceleration);

  std::vector<std::vector<PlacedShape<P>>> shapes;
  for (const auto& [name, node] : root.at("bodies").entries()) {
    check_name(name, node);
    shapes.emplace_back();
    OrientedPose<P> start;
    scene.bodies.push_back(read_body<P>(name, node, file.folder(), &shapes.back(), &start));
    add_to_tree(node, start, file.folder(), &scene);
  }
  if (scene.tree.nu() == 0) {
    root.at("bodies").fail("nothing can move: every body is fixed, prescribed, welded or driven");
  }

  if (const auto contacts = root.find("contacts")) {
    for (const InputNode& node : contacts->items()) {
      std::vector<std::string_view> keys = contact_keys();
      keys.insert(keys.end(), {"between", "cells", "max_pairs"});
      node.allow(keys);
      const InputNode between = node.at("between");
      between.expect_list(2);
      SceneContact<P> contact;
      contact.body_i = body_index(scene, between.at(size_t{0}));
      contact.body_j = body_index(scene, between.at(1));
      if (contact.body_i == contact.body_j) between.fail("a body cannot touch itself");
      for (const auto& other : scene.contacts) {
        if (std::minmax(other.body_i, other.body_j) ==
            std::minmax(contact.body_i, contact.body_j)) {
          between.fail("these two are in contact already; one contact presses for both");
        }
      }
      auto i = shapes[static_cast<size_t>(contact.body_i)];
      auto j = shapes[static_cast<size_t>(contact.body_j)];
      if (i.empty() || j.empty()) between.fail("both bodies need a shape to touch");
      const auto cells = node.find("cells");
      if (cells && cells->choice({"together", "separate"}) == 1) {
        i = separate_cells(node, i);
        j = separate_cells(node, j);
        if (i.size() * j.size() == 1) cells->fail("neither body has more than one cell");
      }
      int room = i.size() * j.size() > 1 ? kDefaultRoom : kOnePair;
      if (const auto most = node.find("max_pairs")) {
        if (room == kOnePair) most->fail("is for bodies of several shapes or separate cells");
        room = most->integer(1, kMostRoom);
      }
      contact.name = fmt::format("{}-{}", between.at(size_t{0}).text(), between.at(1).text());
      ContactInput<P> input = read_contact<P>(node, i, j, room);
      contact.contact = std::move(input.contact);
      contact.parts = std::move(input.parts);
      scene.contacts.push_back(std::move(contact));
    }
  }
  if (const auto forces = root.find("forces")) {
    for (const InputNode& node : forces->items()) {
      switch (node.at("type").choice({"spring", "force", "bushing"})) {
        case 0:
          scene.springs.push_back(read_spring(node, scene));
          break;
        case 1:
          scene.forces.push_back(read_point_force(node, scene));
          break;
        default:
          scene.bushings.push_back(
              read_bushing<P>(node, [&](const InputNode& n) { return body_index(scene, n); }));
      }
    }
  }
  if (const auto loops = root.find("loops")) {
    for (const InputNode& node : loops->items()) {
      scene.loops.push_back(
          read_loop<P>(node, [&](const InputNode& n) { return body_or_world(scene, n); }));
    }
  }
  if (const auto controllers = root.find("controllers")) {
    for (const InputNode& node : controllers->items()) {
      node.at("type").choice({"accommodation"});
      scene.controllers.push_back(read_accommodation<P>(
          node, scene, [&](const InputNode& n) { return body_index(scene, n); }, file.folder()));
    }
  }
  if (scene.tree.has_joints() || !scene.loops.empty()) prepare_start(root, &scene);
  if (const auto node = root.find("equilibrium")) start_at_rest(*node, &scene);
  return scene;
}

namespace {

// More steps than a machine does: a million steps a second are three hours for the first.
constexpr double kMostSteps = 1e10;
constexpr double kMostCheckpoints = 1e5;

void check_count(const InputNode& node, double duration, double length, double most,
                 const char* what) {
  if (duration / length <= most) return;
  node.fail(fmt::format(
      "{:.3g} s take {:.2g} {} of {:.3g} s, more than {:.0e}; choose longer ones, or a shorter "
      "duration",
      duration, duration / length, what, length, most));
}

// A number: every so many seconds; a list: at these times.
std::vector<double> read_checkpoints(const InputNode& node, double duration) {
  std::vector<double> times;
  if (node.is_list()) {
    for (const InputNode& item : node.items()) {
      const double t = item.positive(dimension::kTime);
      if (!times.empty() && t <= times.back()) item.fail("times must increase");
      times.push_back(t);
    }
  } else {
    const double interval = node.positive(dimension::kTime);
    check_count(node, duration, interval, kMostCheckpoints, "checkpoints");
    for (int k = 1; k * interval < duration; ++k) times.push_back(k * interval);
  }
  std::erase_if(times, [&](double t) { return !(t < duration); });
  return times;
}

}  // namespace

RunOptions read_run_options(const InputFile& file) {
  const InputNode root = file.root();
  RunOptions options;
  options.duration = root.at("duration").positive(dimension::kTime);
  if (const auto solver = root.find("solver")) {
    solver->allow({"method", "step", "events", "tolerance", "max_step", "ledger"});
    if (const auto method = solver->find("method")) {
      options.solver = static_cast<Solver>(method->choice(kSolverNames));
    }
    const auto step = solver->find("step"), tolerance = solver->find("tolerance");
    const auto max_step = solver->find("max_step"), events = solver->find("events");
    if (is_fixed_step(options.solver)) {
      options.step = solver->at("step").positive(dimension::kTime);
      check_count(*step, options.duration, options.step, kMostSteps, "steps");
      if (tolerance) tolerance->fail("belongs to the adaptive methods; this one has a fixed step");
      if (max_step) max_step->fail("belongs to the adaptive methods; this one has a fixed step");
      if (events) options.locates_events = events->choice({"at_steps", "located"}) == 1;
    } else {
      if (step) step->fail("belongs to the fixed-step methods; adaptive ones take 'tolerance'");
      if (events) events->fail("belongs to the fixed-step methods; adaptive ones locate events");
      if (tolerance) options.tolerance = tolerance->positive(dimension::kNumber);
      if (max_step) {
        options.max_step = max_step->positive(dimension::kTime);
        check_count(*max_step, options.duration, options.max_step, kMostSteps, "steps");
      }
    }
    if (const auto ledger = solver->find("ledger")) options.ledger = ledger->flag();
  }
  if (const auto output = root.find("output")) {
    output->allow({"interval", "checkpoints"});
    if (const auto interval = output->find("interval")) {
      options.interval = interval->non_negative(dimension::kTime);
      if (options.interval > 0) {
        check_count(*interval, options.duration, options.interval, kMostSteps, "rows");
      }
    }
    if (const auto checkpoints = output->find("checkpoints")) {
      options.checkpoints = read_checkpoints(*checkpoints, options.duration);
    }
  }
  return options;
}

template Scene<double> read_scene(const InputFile&);
template Scene<Dual<4>> read_scene(const InputFile&);
template Scene<Dual<12>> read_scene(const InputFile&);

}  // namespace vesica
