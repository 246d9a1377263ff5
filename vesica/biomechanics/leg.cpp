#include "vesica/biomechanics/leg.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/biomechanics/knee_parts.h"
#include "vesica/error.h"
#include "vesica/io/load_motion.h"
#include "vesica/motion/butterworth.h"

namespace vesica::biomechanics {
namespace {

std::vector<Vec3d> take_track(const MotionTrial& trial, const std::string& name) {
  const size_t index = trial.markers.find(name);
  if (index == trial.markers.markers()) {
    throw InputError(
        fmt::format("{}: there is no point '{}'; expected joint centres as 'vesica "
                    "markers' writes them: hip_r, knee_r, ankle_r",
                    trial.file, name));
  }
  std::vector<Vec3d> track = trial.markers.track(index);
  for (size_t k = 0; k < track.size(); ++k) {
    if (track[k].allFinite()) continue;
    throw InputError(fmt::format("{}: {} is missing in frame {}; cut the recording or fill the gap",
                                 trial.file, name, k + 1));
  }
  return track;
}

void filter_track(const ZeroPhaseFilter& filter, std::vector<Vec3d>* track) {
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> x;
    for (const Vec3d& p : *track) x.push_back(p[axis]);
    filter_signal(filter, x);
    for (size_t k = 0; k < x.size(); ++k) (*track)[k][axis] = x[k];
  }
}

// Columns right, forward, up in the recording's axes.
Mat3d find_axes(const LegMotion& motion, const std::string& file) {
  Vec3d above = Vec3d::Zero();
  for (size_t k = 0; k < motion.hip.size(); ++k) above += motion.hip[k] - motion.ankle[k];
  Eigen::Index axis = 0;
  above.cwiseAbs().maxCoeff(&axis);
  const Vec3d up = Vec3d::Unit(axis) * (above[axis] > 0 ? 1 : -1);
  Vec3d way = motion.hip.back() - motion.hip.front();
  way -= way.dot(up) * up;
  if (way.norm() < 0.5) {
    throw InputError(
        fmt::format("{}: the hip goes {:.2f} m only; forward is told by a walk of half "
                    "a metre",
                    file, way.norm()));
  }
  Mat3d R;
  R.col(1) = way.normalized();
  R.col(2) = up;
  R.col(0) = R.col(1).cross(R.col(2));
  return R;
}

// Forward is where the hip goes: who walks backwards would be turned round, and the knee with him.
void check_bend(const LegMotion& motion, const std::string& file) {
  double bend = 0;  // to the front, in the axes of the way
  for (size_t k = 0; k < motion.hip.size(); ++k) {
    const Vec3d thigh = motion.knee[k] - motion.hip[k], shank = motion.ankle[k] - motion.knee[k];
    bend += thigh.normalized().cross(shank.normalized()).x();
  }
  if (bend <= 0) return;
  throw InputError(
      fmt::format("{}: the knee bends forward, on the average by {:.3g} deg: a walk backwards "
                  "(forward is where "
                  "the hip goes), or points that are exchanged; give a walk forwards",
                  file, std::asin(bend / static_cast<double>(motion.hip.size())) * 180 / kPi));
}

// Axes of a bone: z along it, x as near to the right as that lets.
Mat3d make_bone_axes(const Vec3d& proximal, const Vec3d& right) {
  Mat3d R;
  R.col(2) = proximal.normalized();
  R.col(1) = R.col(2).cross(right).normalized();
  R.col(0) = R.col(1).cross(R.col(2));
  return R;
}

model::Frame<> make_frame(const Mat3d& R, const Vec3d& p) {
  model::Frame<> frame = model::Frame<>::at(p);
  const Quaternion<double> q = as_quaternion(R);
  frame.turn = model::Frame<>::Turn::kQuaternion;
  frame.quaternion = {q.w, q.x, q.y, q.z};
  return frame;
}

model::Body<> make_guide(const char* name, const std::string& file) {
  model::Body<> guide{.name = name};
  guide.prescribed = model::Prescribed<>{};
  guide.prescribed->file = file;
  return guide;
}

}  // namespace

LegMotion load_leg_motion(const std::string& path, Side side, double cutoff) {
  const MotionTrial trial = load_motion(path);
  const char* suffix = side == Side::kLeft ? "l" : "r";
  LegMotion motion;
  motion.hip = take_track(trial, fmt::format("hip_{}", suffix));
  motion.knee = take_track(trial, fmt::format("knee_{}", suffix));
  motion.ankle = take_track(trial, fmt::format("ankle_{}", suffix));
  for (double t : trial.markers.times) motion.times.push_back(t - trial.markers.times.front());
  const ZeroPhaseFilter filter = make_low_pass(cutoff, trial.markers.rate);
  const auto count = static_cast<double>(motion.times.size());
  for (size_t k = 0; k < motion.times.size(); ++k) {
    motion.thigh += (motion.hip[k] - motion.knee[k]).norm() / count;
    motion.shank += (motion.knee[k] - motion.ankle[k]).norm() / count;
  }
  const Mat3d R = find_axes(motion, path);
  const Vec3d origin = motion.ankle.front();
  for (auto* track : {&motion.hip, &motion.knee, &motion.ankle}) {
    filter_track(filter, track);
    for (Vec3d& p : *track) p = R.transpose() * (p - origin);
  }
  check_bend(motion, path);
  return motion;
}

std::string write_femur_csv(const KneeOptions& knee, const LegMotion& motion) {
  const Vec3d center = detail::calc_flexion_center(knee);
  std::string text = "time,x,y,z,qw,qx,qy,qz\n";
  for (size_t k = 0; k < motion.times.size(); ++k) {
    const Mat3d R = make_bone_axes(motion.hip[k] - motion.knee[k], Vec3d::UnitX());
    const Vec3d p = motion.knee[k] - R * center;
    const Quaternion<double> q = as_quaternion(R);
    text += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.12g},{:.12g},{:.12g},{:.12g}\n",
                        motion.times[k], p.x(), p.y(), p.z(), q.w, q.x, q.y, q.z);
  }
  return text;
}

std::string write_ankle_csv(const LegMotion& motion) {
  std::string text = "time,x,y,z\n";
  for (size_t k = 0; k < motion.times.size(); ++k) {
    const Vec3d& p = motion.ankle[k];
    text += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g}\n", motion.times[k], p.x(), p.y(), p.z());
  }
  return text;
}

Model make_leg(const KneeOptions& knee, const LegMotion& motion, const std::string& femur_file,
               const std::string& ankle_file, double quadriceps) {
  detail::check_options(knee);
  const Vec3d origin = Vec3d::Zero();
  const Vec3d center_T = detail::calc_flexion_center(knee) - detail::on_side(knee.start, knee.side);
  const LoadOptions load;
  Model m;
  m.title = "A leg walks: thigh and ankle as recorded, the knee by contact and ligaments";
  m.description = detail::describe_knee(knee);
  model::Body<> femur = make_guide("femur", femur_file);
  femur.shapes = detail::make_femur_shapes(knee, origin);
  const Mat3d R_WT = make_bone_axes(motion.knee[0] - motion.ankle[0], Vec3d::UnitX());
  model::Body<> tibia{.name = "tibia", .mass = knee.shank_mass};
  tibia.inertia =
      detail::make_cylinder_inertia(knee.shank_mass, knee.shank_radius, knee.shank_length);
  tibia.shapes = detail::make_tibia_shapes(knee);
  tibia.pose = make_frame(R_WT, motion.knee[0] - R_WT * center_T);
  // As its ends move at the start.
  const double dt = motion.times[1] - motion.times[0];
  const Vec3d v_knee = (motion.knee[1] - motion.knee[0]) / dt;
  const Vec3d v_ankle = (motion.ankle[1] - motion.ankle[0]) / dt;
  const Vec3d along = motion.knee[0] - motion.ankle[0];
  const Vec3d spin = along.cross(v_knee - v_ankle) / along.squaredNorm();
  tibia.velocity = model::Velocity<>{
      .linear = v_knee + spin.cross(tibia.pose->position - motion.knee[0]), .angular = spin};
  m.bodies = {femur, make_guide("ankle", ankle_file), tibia};
  detail::add_joint(knee, origin, &m);

  // Gives way to what lengths and recording do not agree on; keeps the toes forward.
  model::Bushing<> bushing;
  bushing.between = {"tibia", "ankle"};
  bushing.frames[0] = model::Frame<>::at(center_T - Vec3d(0, 0, motion.shank));
  bushing.springs.stiffness = Vec3d::Constant(1e4);
  bushing.springs.damping = Vec3d::Constant(200);
  bushing.springs.turning_stiffness = Vec3d(0, 0, 5);
  bushing.springs.turning_damping = Vec3d(0.2, 0.2, 0.2);
  m.forces.push_back({bushing});
  model::Actuator<> muscle;
  muscle.line.name = "quadriceps";
  const auto at = [&](const Vec3d& p) { return detail::on_side(p, knee.side); };
  muscle.line.points = {
      {"femur", at(load.quadriceps)}, {"femur", at(load.patella)}, {"tibia", at(load.tubercle)}};
  muscle.input.offset = quadriceps;
  m.forces.push_back({muscle});
  m.run.duration = motion.times.back();
  m.run.solver = Solver::kDopri5;
  m.run.tolerance = knee.tolerance;
  m.run.interval = 5e-3;
  return m;
}

}  // namespace vesica::biomechanics
