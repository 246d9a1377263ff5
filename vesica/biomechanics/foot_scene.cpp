#include "vesica/biomechanics/foot_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/io/output_file.h"
#include "vesica/model/model_file.h"

namespace vesica {
namespace {

constexpr double kInstep = 0.05;  // m of foot above its ellipsoids

model::Frame<> make_foot_frame(const Mat3d& R, const Vec3d& p) {
  model::Frame<> frame = model::Frame<>::at(p);
  const Quaternion<double> q = as_quaternion(R);
  frame.turn = model::Frame<>::Turn::kQuaternion;
  frame.quaternion = {q.w, q.x, q.y, q.z};
  return frame;
}

// Holds the ellipsoids of a segment.
struct SegmentBox {
  Vec3d low = Vec3d::Constant(kInfinity), high = Vec3d::Constant(-kInfinity);

  SegmentBox(const FootModel& foot, int segment) {
    for (const FootEllipsoid& e : foot.ellipsoids) {
      if (e.segment != segment) continue;
      const Mat3d R = as_rotation_123(e.angles);
      const Vec3d half = (R * e.radii.asDiagonal()).rowwise().norm();
      low = low.cwiseMin(e.position - half);
      high = high.cwiseMax(e.position + half);
    }
    if (low.x() > high.x()) {  // it carries none
      low = Vec3d::Constant(-0.02);
      high = Vec3d::Constant(0.02);
    }
    if (segment == 0) high.z() += kInstep;
  }
  Vec3d center() const { return 0.5 * (low + high); }
  // Of an even ellipsoid that fills the box.
  Vec3d inertia(double mass) const {
    const Vec3d s = (0.5 * (high - low)).cwiseAbs2();
    return mass / 5 * Vec3d(s.y() + s.z(), s.z() + s.x(), s.x() + s.y());
  }
};

model::Body<> make_segment(const FootModel& foot, int segment, const std::string& name,
                           double mass) {
  const SegmentBox box(foot, segment);
  model::Body<> body{.name = name, .mass = mass};
  body.inertia = model::Inertia<>::diagonal(box.inertia(mass));
  for (const FootEllipsoid& e : foot.ellipsoids) {
    if (e.segment != segment) continue;
    model::BodyShape<> shape;
    shape.shape = Ellipsoid<double>{e.radii};
    shape.pose = make_foot_frame(as_rotation_123(e.angles), e.position - box.center());
    shape.name = e.name;
    body.shapes.push_back(shape);
  }
  body.has_shape_list = true;
  return body;
}

void set_start(const FootModel& foot, const FootFrame& frame, model::Body<>* body) {
  const Motion<double>& m = frame.foot;
  const Vec3d arm = m.X_WB.R_WB * calc_mass_center(foot, 0);
  body->pose = make_foot_frame(m.X_WB.R_WB, m.X_WB.p_WB + arm);
  model::Velocity<> velocity;
  velocity.linear = m.V_WB.v_WB + m.V_WB.w_WB.cross(arm);
  velocity.angular = m.V_WB.w_WB;
  body->velocity = velocity;
}

model::Body<> make_jointed(const FootModel& foot, size_t k, double mass) {
  const FootJoint& joint = foot.joints[k];
  const int segment = static_cast<int>(k) + 1;
  model::Body<> body = make_segment(foot, segment, joint.name, mass);
  model::Joint<> hinge;
  hinge.type = "revolute";
  hinge.parent = joint.parent == 0 ? "foot" : foot.joints[joint.parent - 1].name;
  hinge.axes = {Vec3d::UnitX()};
  hinge.in_parent =
      make_foot_frame(joint.X_PF.R_WB, joint.X_PF.p_WB - calc_mass_center(foot, joint.parent));
  hinge.in_body = model::Frame<>::at(-calc_mass_center(foot, segment));
  model::Signal<> angle;
  angle.column = joint.name;
  hinge.driven = {angle};
  body.joint = hinge;
  return body;
}

// Between bodies a and b, at their origins.
model::Force<> make_springs(const std::string& a, const std::string& b, const Vec3d& stiffness,
                            const Vec3d& damping, double turning_stiffness,
                            double turning_damping) {
  model::Bushing<> springs;
  springs.between = {a, b};
  springs.springs.stiffness = stiffness;
  springs.springs.damping = damping;
  springs.springs.turning_stiffness = Vec3d::Constant(turning_stiffness);
  springs.springs.turning_damping = Vec3d::Constant(turning_damping);
  return {springs};
}

std::string name_point_file(const FootSceneOptions& options) {
  return "point_" + options.motion_file;
}

void add_drive(const FootSceneOptions& options, Model* m) {
  const FootDrive& drive = options.drive;
  const auto add_body = [&](const char* name, const std::string& path) {
    model::Body<> body{.name = name};
    body.prescribed = model::Prescribed<>{};
    body.prescribed->file = path;
    m->bodies.push_back(body);
  };
  add_body("shank", options.motion_file);
  if (drive.is_isotropic()) {
    m->forces.push_back(make_springs("foot", "shank", drive.stiffness, drive.damping,
                                     drive.turning_stiffness, drive.turning_damping));
    return;
  }
  // Springs of a bushing turn with the body that carries it: those along the world's axes hang on a
  // point that moves with the shank and does not turn.
  add_body("shank_point", name_point_file(options));
  m->forces.push_back(make_springs("foot", "shank_point", drive.stiffness, drive.damping, 0, 0));
  m->forces.push_back(make_springs("foot", "shank", Vec3d::Zero(), Vec3d::Zero(),
                                   drive.turning_stiffness, drive.turning_damping));
}

// How far the shank is from the foot so that springs and dampers hold the load: k s + d s' = f, and
// likewise the moment. From frame to frame by the exact solution for the mean load between them.
class ShankOffset {
 public:
  explicit ShankOffset(const FootSceneOptions& options) : o_(options) {}
  Pose<double> move(const Pose<double>& at, const CarriedLoad& load, double dt) {
    const Vec3d weight(0, 0, o_.mass * kStandardGravity);
    const Vec3d force = (weight - load.force).cwiseQuotient(o_.drive.stiffness);
    const Vec3d moment = (at.p_WB.cross(load.force) - load.moment) / o_.drive.turning_stiffness;
    if (dt > 0) {
      const Vec3d decay = (-dt * o_.drive.stiffness.cwiseQuotient(o_.drive.damping)).array().exp();
      const double turning = std::exp(-dt * o_.drive.turning_stiffness / o_.drive.turning_damping);
      const Vec3d to = 0.5 * (force + last_force_), turned = 0.5 * (moment + last_moment_);
      shift_ = to + decay.cwiseProduct(shift_ - to);
      turn_ = turned + turning * (turn_ - turned);
    } else {
      shift_ = force;
      turn_ = moment;
    }
    last_force_ = force;
    last_moment_ = moment;
    return {as_rotation(quaternion_from_rotation_vector(turn_)) * at.R_WB, at.p_WB + shift_};
  }

 private:
  const FootSceneOptions& o_;
  Vec3d shift_ = Vec3d::Zero(), turn_ = Vec3d::Zero();
  Vec3d last_force_ = Vec3d::Zero(), last_moment_ = Vec3d::Zero();
};

TimeTable make_motion(const FootModel& foot, std::span<const FootFrame> frames,
                      const FootSceneOptions& options) {
  TimeTable table;
  table.name = "foot";
  for (const char* name : {"x", "y", "z"}) table.columns.push_back({name, "m"});
  for (const char* name : {"qw", "qx", "qy", "qz"}) table.columns.push_back({name, ""});
  for (const FootJoint& joint : foot.joints) table.columns.push_back({joint.name, "rad"});
  const Vec3d center = calc_mass_center(foot, 0);
  ShankOffset offset(options);
  for (size_t f = 0; f < frames.size(); ++f) {
    const Pose<double>& X = frames[f].foot.X_WB;
    Pose<double> shank{X.R_WB, X * center};
    if (!options.carried.empty()) {
      const double dt = f > 0 ? frames[f].time - frames[f - 1].time : 0;
      shank = offset.move(shank, options.carried[f], dt);
    }
    const Quaternion<double> q = as_quaternion(shank.R_WB);
    table.times.push_back(frames[f].time - frames.front().time);
    table.values.insert(table.values.end(),
                        {shank.p_WB.x(), shank.p_WB.y(), shank.p_WB.z(), q.w, q.x, q.y, q.z});
    table.values.insert(table.values.end(), frames[f].angles.begin(), frames[f].angles.end());
  }
  return table;
}

// Positions alone: a body that does not turn.
TimeTable make_point_motion(const TimeTable& motion) {
  TimeTable table;
  table.name = motion.name;
  table.columns.assign(motion.columns.begin(), motion.columns.begin() + 3);
  table.times = motion.times;
  for (size_t r = 0; r < motion.rows(); ++r) {
    for (size_t k = 0; k < 3; ++k) table.values.push_back(motion.at(r, k));
  }
  return table;
}

void check_frames(const FootModel& foot, std::span<const FootFrame> frames,
                  const FootSceneOptions& options) {
  check(foot);
  if (frames.size() < 4) throw InputError("foot: a motion needs at least 4 frames");
  for (size_t f = 0; f < frames.size(); ++f) {
    if (frames[f].angles.size() != foot.joints.size()) {
      throw InputError("foot: a motion needs an angle for every joint");
    }
    if (f > 0 && !(frames[f].time > frames[f - 1].time)) {
      throw InputError(fmt::format("foot: times must increase; {} s follows {} s", frames[f].time,
                                   frames[f - 1].time));
    }
  }
  if (!options.carried.empty() && options.carried.size() != frames.size()) {
    throw InputError("foot: one load for every frame is needed");
  }
}

}  // namespace

Vec3d calc_mass_center(const FootModel& foot, int segment) {
  return SegmentBox(foot, segment).center();
}

FootScene make_foot_scene(const FootModel& foot, std::span<const FootFrame> frames,
                          const FootSceneOptions& options) {
  check_frames(foot, frames, options);
  FootScene scene;
  scene.files.push_back({options.motion_file, make_motion(foot, frames, options)});
  if (!options.drive.is_isotropic()) {
    scene.files.push_back({name_point_file(options), make_point_motion(scene.files[0].motion)});
  }
  Model& m = scene.model;
  m.title = options.title;
  model::Body<> ground{.name = "ground", .fixed = !options.ground_motion.has_value()};
  ground.prescribed = options.ground_motion;
  ground.shapes.resize(1);
  ground.shapes[0].shape = HalfSpace{};
  ground.shapes[0].name = "ground";
  ground.pose = options.ground;
  m.bodies.push_back(ground);
  add_drive(options, &m);
  const double moving = foot.joints.empty() ? 0 : options.moving_share * options.mass;
  model::Body<> first = make_segment(foot, 0, "foot", options.mass - moving);
  set_start(foot, frames.front(), &first);
  m.bodies.push_back(first);
  for (size_t k = 0; k < foot.joints.size(); ++k) {
    model::Body<> body = make_jointed(foot, k, moving / static_cast<double>(foot.joints.size()));
    body.joint->driven[0].file = options.motion_file;
    m.bodies.push_back(body);
  }
  for (const FootEllipsoid& e : foot.ellipsoids) {
    model::Contact<> contact;
    contact.between = {e.segment == 0 ? "foot" : foot.joints[e.segment - 1].name, "ground"};
    contact.name = e.name + "_contact";
    contact.shapes = {e.name, "ground"};
    VolumetricNormal<double> normal;
    normal.stiffness = foot.stiffness;
    normal.damping = foot.damping;
    contact.normal = normal;
    contact.friction = options.friction;
    m.contacts.push_back(contact);
  }
  const double span = scene.files[0].motion.times.back();
  m.run.duration = span;
  m.run.interval =
      options.interval > 0 ? options.interval : span / static_cast<double>(frames.size() - 1);
  m.run.tolerance = 1e-7;
  return scene;
}

std::string write_motion(const TimeTable& motion) {
  std::string text = "time";
  for (const TimeTable::Column& c : motion.columns) {
    text += "," + c.name + (c.unit.empty() ? "" : " [" + c.unit + "]");
  }
  text += "\n";
  for (size_t r = 0; r < motion.rows(); ++r) {
    text += fmt::format("{}", motion.times[r]);
    for (size_t k = 0; k < motion.columns.size(); ++k) text += fmt::format(",{}", motion.at(r, k));
    text += "\n";
  }
  return text;
}

void save_foot_scene(const FootScene& scene, const std::string& folder, const std::string& name) {
  for (const FootScene::File& file : scene.files) {
    save_text(resolve_path(folder, file.name), write_motion(file.motion));
  }
  save_text(resolve_path(folder, name), write_model(scene.model));
}

std::vector<FootFrame> mirrored(std::span<const FootFrame> frames) {
  const Mat3d mirror = Vec3d(-1, 1, 1).asDiagonal();
  std::vector<FootFrame> others(frames.begin(), frames.end());
  for (FootFrame& f : others) {
    f.foot.X_WB = {mirror * f.foot.X_WB.R_WB * mirror, mirror * f.foot.X_WB.p_WB};
    f.foot.V_WB = {-(mirror * f.foot.V_WB.w_WB), mirror * f.foot.V_WB.v_WB};
  }
  return others;
}

}  // namespace vesica
