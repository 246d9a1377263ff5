#include "vesica/biomechanics/knee_loaded.h"

#include <cmath>

#include "vesica/biomechanics/knee_parts.h"
#include "vesica/error.h"

namespace vesica::biomechanics {
namespace {

constexpr double kThighCenter = 0.22;  // of mass, above the femur's origin [m]

// The leg in the sagittal plane: two bars between ankle and hip, which stand above each other.
struct Bars {
  Vec3d center_F, center_T;  // where they meet, in femur and tibia
  Vec3d ankle_T, hip_F;
  double thigh, shank;  // lengths

  Bars(const KneeOptions& knee, const LoadOptions& load) {
    center_F = detail::calc_flexion_center(knee);
    center_T = center_F - detail::on_side(knee.start, knee.side);
    ankle_T = Vec3d(center_T.x(), center_T.y(), load.ankle_height);
    hip_F = Vec3d(center_F.x(), center_F.y(), load.hip_height);
    thigh = hip_F.z() - center_F.z();
    shank = center_T.z() - ankle_T.z();
  }
  // How far the thigh leans back and the shank forward: thigh sin(back) = shank sin(forward).
  double lean_back(double flexion) const {
    return std::atan2(shank * std::sin(flexion), thigh + shank * std::cos(flexion));
  }
  double hip_height(double flexion) const {
    const double back = lean_back(flexion);
    return thigh * std::cos(back) + shank * std::cos(flexion - back);
  }
};

// Over the patella, as if the tibia turned about the condyles' middle.
double calc_muscle_length(const Bars& bars, const LoadOptions& load, Side side, double flexion) {
  const Mat3d R_FT = as_rotation(quaternion_from_rotation_vector(Vec3d(-flexion, 0, 0)));
  const Vec3d patella = detail::on_side(load.patella, side);
  const Vec3d end = bars.center_F + R_FT * (detail::on_side(load.tubercle, side) - bars.center_T);
  return (patella - detail::on_side(load.quadriceps, side)).norm() + (end - patella).norm();
}

model::Body<> make_pelvis(const Bars& bars, const LoadOptions& load) {
  model::Body<> pelvis{.name = "pelvis", .mass = load.carried_mass};
  pelvis.inertia = model::Inertia<>::diagonal({1, 1, 1});  // slides only
  model::Joint<> slide;
  slide.type = "prismatic";
  slide.axes = {Vec3d::UnitZ()};
  slide.start = {bars.hip_height(load.from)};
  pelvis.joint = slide;
  return pelvis;
}

model::Body<> make_thigh(const KneeOptions& knee, const Bars& bars, const LoadOptions& load,
                         const Vec3d& origin) {
  model::Body<> femur{.name = "femur", .mass = load.thigh_mass};
  femur.inertia = detail::make_cylinder_inertia(load.thigh_mass, load.thigh_radius, bars.thigh);
  femur.shapes = detail::make_femur_shapes(knee, origin);
  model::Joint<> hip;
  hip.type = "spherical";
  hip.parent = "pelvis";
  hip.in_body = model::Frame<>::at(bars.hip_F - origin);
  hip.start_pose = model::Frame<>{}.turned(Vec3d::UnitX(), bars.lean_back(load.from));
  femur.joint = hip;
  return femur;
}

model::Body<> make_shank(const KneeOptions& knee, const Bars& bars, const LoadOptions& load) {
  model::Body<> tibia{.name = "tibia", .mass = knee.shank_mass};
  tibia.inertia =
      detail::make_cylinder_inertia(knee.shank_mass, knee.shank_radius, knee.shank_length);
  tibia.shapes = detail::make_tibia_shapes(knee);
  model::Joint<> ankle;
  ankle.type = "universal";
  ankle.axes = {Vec3d::UnitX(), Vec3d::UnitY()};
  ankle.in_body = model::Frame<>::at(bars.ankle_T);
  ankle.start = {bars.lean_back(load.from) - load.from, 0};
  tibia.joint = ankle;
  return tibia;
}

model::Force<> make_quadriceps(const KneeOptions& knee, const Bars& bars, const LoadOptions& load,
                               const Vec3d& origin) {
  model::Actuator<> muscle;
  muscle.line.name = "quadriceps";
  const auto at = [&](const Vec3d& p) { return detail::on_side(p, knee.side); };
  muscle.line.points = {{"femur", at(load.quadriceps) - origin},
                        {"femur", at(load.patella) - origin},
                        {"tibia", at(load.tubercle)}};
  muscle.follows_length = true;
  muscle.stiffness = load.muscle_stiffness;
  muscle.damping = load.muscle_damping;
  const double begin = calc_muscle_length(bars, load, knee.side, load.from);
  const double change = calc_muscle_length(bars, load, knee.side, load.to) - begin;
  muscle.input.is_function = true;
  if (load.returns) {
    // Down and up again: a cosine that begins and ends at rest.
    muscle.input.offset = begin + 0.5 * change;
    muscle.input.amplitude = 0.5 * change;
    muscle.input.frequency = 0.5 / load.time;
    muscle.input.phase = -0.5 * kPi;
  } else {
    muscle.input.offset = begin;
    muscle.input.step = change;
    muscle.input.from = 0;
    muscle.input.until = load.time;
  }
  return {muscle};
}

void check_load(const LoadOptions& load) {
  const auto inside = [](double flexion) { return flexion > 0 && flexion < 2.4; };
  if (!inside(load.from) || !inside(load.to)) {
    throw InputError("knee: a loaded knee bends between 0 and 2.4 rad");
  }
  if (!(load.hip_height > load.patella.z()) || !(load.ankle_height < load.tubercle.z())) {
    throw InputError("knee: the hip is above the patella, the ankle below the tubercle");
  }
  if (!(load.time > 0) || !(load.carried_mass > 0) || !(load.thigh_mass > 0)) {
    throw InputError("knee: times and masses are greater than zero");
  }
}

Model make_loaded(const KneeOptions& knee, const LoadOptions& load) {
  detail::check_options(knee);
  check_load(load);
  const Bars bars(knee, load);
  const Vec3d origin(0, 0, kThighCenter);
  Model m;
  m.bodies = {make_pelvis(bars, load), make_thigh(knee, bars, load, origin),
              make_shank(knee, bars, load)};
  detail::add_joint(knee, origin, &m);
  m.forces.push_back(make_quadriceps(knee, bars, load, origin));
  m.equilibrium = model::Equilibrium{};
  m.run.duration = load.returns ? 2 * load.time : 1.5 * load.time;
  m.run.tolerance = knee.tolerance;
  m.run.interval = 5e-3;
  return m;
}

}  // namespace

Model make_squat(const KneeOptions& knee, const LoadOptions& load) {
  Model m = make_loaded(knee, load);
  m.title = "A squat: quadriceps let the body down and lift it again";
  m.description = detail::describe_knee(knee);
  return m;
}

Model make_step(const KneeOptions& knee, LoadOptions load) {
  std::swap(load.from, load.to);
  load.returns = false;
  Model m = make_loaded(knee, load);
  m.title = "A step: quadriceps lift the body on a bent knee";
  m.description = detail::describe_knee(knee);
  return m;
}

}  // namespace vesica::biomechanics
