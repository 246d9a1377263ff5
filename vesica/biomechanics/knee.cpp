#include "vesica/biomechanics/knee.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/error.h"

namespace vesica::biomechanics {
namespace {

// Of a published table: mm, N/mm^2, N/mm.
KneeLigament make_ligament(const char* name, const Vec3d& femur, const Vec3d& tibia, double K1,
                           double K2) {
  constexpr double kToeStrain = 0.03;
  return {name, femur * 1e-3, tibia * 1e-3, K2 * 1e3, K2 / (4 * K1 * kToeStrain) * 1e-3};
}

// A left knee is a right one in the mirror of the sagittal plane.
Vec3d on_side(const Vec3d& p, Side side) {
  return side == Side::kLeft ? Vec3d(-p.x(), p.y(), p.z()) : p;
}

model::BodyShape<> make_condyle(const char* name, const Condyle& condyle, Side side) {
  model::BodyShape<> shape;
  const Vec3d& r = condyle.radii;
  if (r.x() == r.y() && r.y() == r.z()) {
    shape.shape = Sphere<double>{r.x()};
  } else {
    shape.shape = Ellipsoid<double>{r};
  }
  shape.pose = model::Frame<>::at(on_side(condyle.center, side));
  shape.name = name;
  return shape;
}

model::BodyShape<> make_plateau(const char* name, const Plateau& plateau, Side side) {
  model::BodyShape<> shape;
  shape.shape = HalfSpace{};
  const Vec3d n = on_side(plateau.normal, side).normalized();
  const Vec3d axis = Vec3d::UnitZ().cross(n);
  model::Frame<> frame = model::Frame<>::at(on_side(plateau.point, side));
  if (axis.norm() > 0) frame = frame.turned(axis, std::atan2(axis.norm(), n.z()));
  shape.pose = frame;
  shape.name = name;
  return shape;
}

// For pictures: bones do not touch.
model::BodyShape<> make_bone(double radius, double length, const Vec3d& center) {
  model::BodyShape<> shape;
  shape.shape = model::Cylinder{.radius = radius, .length = length};
  shape.pose = model::Frame<>::at(center);
  shape.name = "bone";
  return shape;
}

model::Body<> make_femur(const KneeOptions& o) {
  model::Body<> femur{.name = "femur", .fixed = true};
  femur.shapes = {make_condyle("medial", o.condyles[0], o.side),
                  make_condyle("lateral", o.condyles[1], o.side),
                  make_bone(0.014, 0.30, {0, 0, 0.185})};
  return femur;
}

// Where the femur's condyles turn.
Vec3d calc_flexion_center(const KneeOptions& o) {
  const Vec3d middle = 0.5 * (o.condyles[0].center + o.condyles[1].center);
  return on_side(middle, o.side);
}

// As at zero flexion, turned about the middle of the condyles: statics find the rest.
model::Frame<> make_start(const KneeOptions& o) {
  const Vec3d center = calc_flexion_center(o), arm = on_side(o.start, o.side) - center;
  if (o.flexion == 0) return model::Frame<>::at(center + arm);
  const Mat3d R = as_rotation(quaternion_from_rotation_vector(Vec3d(-o.flexion, 0, 0)));
  return model::Frame<>::at(center + R * arm).turned(-Vec3d::UnitX(), o.flexion);
}

model::Body<> make_tibia(const KneeOptions& o) {
  model::Body<> tibia{.name = "tibia", .mass = o.shank_mass};
  const double m = o.shank_mass, r2 = o.shank_radius * o.shank_radius;
  const double across = m * (3 * r2 + o.shank_length * o.shank_length) / 12;
  tibia.inertia = model::Inertia<>::diagonal({across, across, 0.5 * m * r2});
  tibia.shapes = {make_plateau("medial", o.plateaus[0], o.side),
                  make_plateau("lateral", o.plateaus[1], o.side),
                  make_bone(0.012, 0.36, {0, 0, -0.005})};
  tibia.pose = make_start(o);
  return tibia;
}

model::Contact<> make_compartment(const char* name, const KneeOptions& o) {
  model::Contact<> contact{.between = {"femur", "tibia"}, .name = name, .shapes = {name, name}};
  contact.normal = VolumetricNormal<double>{o.contact_stiffness, o.contact_damping};
  return contact;
}

model::Force<> make_line(const KneeLigament& given, const KneeOptions& o) {
  model::Ligament<> ligament;
  ligament.line.name = given.name;
  ligament.line.points = {{"femur", on_side(given.femur, o.side)},
                          {"tibia", on_side(given.tibia, o.side)}};
  ligament.stiffness = given.stiffness;
  ligament.slack_length = given.slack_length;
  ligament.toe_strain = o.toe_strain;
  ligament.damping = o.ligament_damping;
  return {ligament};
}

// Backwards on the shank's mass centre: rises and falls as a cosine, so that its mean is half.
model::Force<> make_push(const KneeOptions& o) {
  model::PointForce<> push;
  push.body = "tibia";
  push.force = Vec3d(0, -2 * o.impulse / o.pulse, 0);
  push.in_body_axes = true;
  push.until = o.pulse;
  push.ramp = o.pulse / 2;
  return {push};
}

// Origins: midway between the lowest points of the condyles, and the point of the plateaus that
// lies there when the knee is straight.
model::Measure<> make_measure(const KneeOptions& o) {
  model::GroodSuntay<> measure{.name = "knee", .between = {"femur", "tibia"}};
  Vec3d low = Vec3d::Zero(), plateau = Vec3d::Zero();
  for (size_t k = 0; k < 2; ++k) {
    low += 0.5 * (o.condyles[k].center - Vec3d(0, 0, o.condyles[k].radii.z()));
    plateau += 0.5 * o.plateaus[k].point;
  }
  measure.frames = {model::Frame<>::at(on_side(low, o.side)),
                    model::Frame<>::at(on_side(plateau, o.side))};
  measure.is_left = o.side == Side::kLeft;
  return {measure};
}

void check(const KneeOptions& o) {
  const auto refuse = [](bool wrong, const char* message) {
    if (wrong) throw InputError(fmt::format("knee: {}", message));
  };
  refuse(o.ligaments.empty(), "without ligaments nothing holds the shank");
  refuse(!(o.shank_mass > 0) || !(o.shank_radius > 0) || !(o.shank_length > 0),
         "mass, radius and length of the shank are greater than zero");
  refuse(!(o.pulse > 0) || !(o.impulse >= 0),
         "a pulse lasts longer than zero, its impulse is none");
  for (const Condyle& c : o.condyles) {
    refuse(!(c.radii.minCoeff() > 0), "radii of condyles are greater than zero");
  }
  for (const Plateau& p : o.plateaus) {
    refuse(!(p.normal.norm() > 0), "the normal of a plateau cannot be zero");
  }
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
  check(options);
  Model m;
  m.title = "A knee swings under gravity";
  m.gravity = Vec3d(0, -model::kStandardGravity, 0);
  m.bodies = {make_femur(options), make_tibia(options)};
  m.contacts = {make_compartment("medial", options), make_compartment("lateral", options)};
  for (const KneeLigament& ligament : options.ligaments) {
    m.forces.push_back(make_line(ligament, options));
  }
  if (options.impulse > 0) m.forces.push_back(make_push(options));
  m.measures = {make_measure(options)};
  m.equilibrium = model::Equilibrium{.held = {{"knee.flexion", options.flexion}}};
  m.run.duration = options.duration;
  m.run.solver = Solver::kCvode;
  m.run.tolerance = options.tolerance;
  return m;
}

}  // namespace vesica::biomechanics
