#include "vesica/biomechanics/knee.h"

#include "vesica/biomechanics/knee_parts.h"

namespace vesica::biomechanics {
namespace {

// Of a published table: mm, N/mm^2, N/mm.
KneeLigament make_ligament(const char* name, const Vec3d& femur, const Vec3d& tibia, double K1,
                           double K2) {
  constexpr double kToeStrain = 0.03;
  return {name, femur * 1e-3, tibia * 1e-3, K2 * 1e3, K2 / (4 * K1 * kToeStrain) * 1e-3};
}

// Backwards on the shank's mass centre: rises and falls as a cosine, so that its mean is half.
model::Force<> make_push(const KneeOptions& o) {
  model::PointForce<> push;
  push.name = "push";
  push.body = "tibia";
  push.force = Vec3d(0, -2 * o.impulse / o.pulse, 0);
  push.in_body_axes = true;
  push.until = o.pulse;
  push.ramp = o.pulse / 2;
  return {push};
}

}  // namespace

std::vector<KneeLigament> make_hefzy_ligaments() {
  return {
      make_ligament("ACL_anterior", {7.25, -15.6, 21.25}, {-7, 5, 211.25}, 22.48, 83.15),
      make_ligament("ACL_posterior", {7.25, -20.3, 19.55}, {2, 2, 212.25}, 26.27, 83.15),
      make_ligament("PCL_anterior", {-4.75, -11.2, 14.05}, {5, -30, 206.25}, 31.26, 125),
      make_ligament("PCL_posterior", {-4.75, -23.2, 15.65}, {-5, -30, 206.25}, 19.29, 60),
      make_ligament("MCL_anterior", {-34.75, -1, 26.25}, {-20, 4, 171.25}, 10, 91.25),
      make_ligament("MCL_oblique", {-34.75, -8, 22.25}, {-35, -30, 199.25}, 5, 27.86),
      make_ligament("MCL_deep", {-34.75, -5, 21.25}, {-35, 0, 199.25}, 5, 21.07),
      make_ligament("LCL", {35.25, -15, 21.25}, {45, -25, 176.25}, 10, 72.22),
      make_ligament("capsule_medial", {-24.75, -38, 6.25}, {-25, -25, 181.25}, 12, 52.59),
      make_ligament("capsule_lateral", {25.25, -35.5, 8.25}, {25, -25, 181.25}, 12, 54.62),
      make_ligament("oblique_popliteal", {25.25, -35.5, 8.25}, {-25, -25, 181.25}, 3, 21.42),
      make_ligament("arcuate_popliteal", {-24.75, -38, 6.25}, {25, -25, 181.25}, 3, 20.82),
  };
}

double calc_toe_stiffness(const KneeLigament& ligament, double toe_strain) {
  return ligament.stiffness / (4 * toe_strain * ligament.slack_length);
}

Model make_knee(const KneeOptions& options) {
  detail::check_options(options);
  Model m;
  m.title = "A knee swings under gravity";
  m.description = detail::describe_knee(options);
  m.gravity = Vec3d(0, -kStandardGravity, 0);
  const Vec3d origin = Vec3d::Zero();
  model::Body<> femur{.name = "femur", .fixed = true};
  femur.shapes = detail::make_femur_shapes(options, origin);
  model::Body<> tibia{.name = "tibia", .mass = options.shank_mass};
  tibia.inertia =
      detail::make_cylinder_inertia(options.shank_mass, options.shank_radius, options.shank_length);
  tibia.shapes = detail::make_tibia_shapes(options);
  // Statics begin with the knee straight and lead the flexion to its value, step by step: beyond
  // 45 deg no pose that one could write down is near enough.
  tibia.pose = model::Frame<>::at(detail::on_side(options.start, options.side));
  m.bodies = {femur, tibia};
  detail::add_joint(options, origin, &m);
  if (options.impulse > 0) m.forces.push_back(make_push(options));
  m.equilibrium = model::Equilibrium{.held = {{"knee.flexion", options.flexion}}};
  m.run.duration = options.duration;
  m.run.solver = Solver::kDopri5;
  m.run.tolerance = options.tolerance;
  return m;
}

}  // namespace vesica::biomechanics
