#include "vesica/biomechanics/knee_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "vesica/error.h"

namespace vesica::biomechanics::detail {
namespace {

model::BodyShape<> make_condyle(const char* name, const Condyle& condyle, const Vec3d& origin,
                                Side side) {
  model::BodyShape<> shape;
  const Vec3d& r = condyle.radii;
  if (r.x() == r.y() && r.y() == r.z()) {
    shape.shape = Sphere<double>{r.x()};
  } else {
    shape.shape = Ellipsoid<double>{r};
  }
  shape.pose = model::Frame<>::at(on_side(condyle.center, side) - origin);
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

model::Contact<> make_compartment(const char* name, const KneeOptions& o) {
  model::Contact<> contact{.between = {"femur", "tibia"}, .name = name, .shapes = {name, name}};
  contact.normal = VolumetricNormal<double>{o.contact_stiffness, o.contact_damping};
  return contact;
}

model::LineWrap<> make_wrap(const KneeSurface& given, const Vec3d& origin, Side side) {
  model::LineWrap<> wrap{.body = given.on_tibia ? "tibia" : "femur"};
  model::BodyShape<> shape;
  if (given.is_cylinder) {
    shape.shape = model::Cylinder{.radius = given.radii.x(), .length = 2 * given.radii.z()};
  } else if (given.radii.x() == given.radii.y() && given.radii.y() == given.radii.z()) {
    shape.shape = Sphere<double>{given.radii.x()};
  } else {
    shape.shape = Ellipsoid<double>{given.radii};
  }
  model::Frame<> frame = model::Frame<>::at(on_side(given.place.p_WB, side) -
                                            (given.on_tibia ? Vec3d(0, 0, 0) : origin));
  Mat3<double> axes = given.place.R_WB;
  if (side == Side::kLeft) {
    const Vec3d mirror(-1, 1, 1);
    axes = mirror.asDiagonal() * axes * mirror.asDiagonal();
  }
  const Quaternion<double> q = as_quaternion(axes);
  frame.turn = model::Frame<>::Turn::kQuaternion;
  frame.quaternion = {q.w, q.x, q.y, q.z};
  shape.pose = frame;
  wrap.own_shape = shape;
  return wrap;
}

model::Force<> make_line(const KneeLigament& given, const Vec3d& origin, const KneeOptions& o) {
  model::Ligament<> ligament;
  ligament.line.name = given.name;
  ligament.line.points = {{"femur", on_side(given.femur, o.side) - origin},
                          {"tibia", on_side(given.tibia, o.side)}};
  if (given.over) ligament.line.wraps = {make_wrap(*given.over, origin, o.side)};
  ligament.stiffness = given.stiffness;
  ligament.slack_length = given.slack_length;
  ligament.toe_strain = given.toe_strain.value_or(o.toe_strain);
  ligament.damping = given.damping.value_or(o.ligament_damping);
  return {ligament};
}

// Origins: midway between the lowest points of the condyles, and the middle of the plateaus.
model::Measure<> make_measure(const KneeOptions& o, const Vec3d& origin) {
  model::GroodSuntay<> measure{.name = "knee", .between = {"femur", "tibia"}};
  Vec3d low = Vec3d::Zero(), plateau = Vec3d::Zero();
  for (size_t k = 0; k < 2; ++k) {
    low += 0.5 * (o.condyles[k].center - Vec3d(0, 0, o.condyles[k].radii.z()));
    plateau += 0.5 * o.plateaus[k].point;
  }
  measure.frames = {model::Frame<>::at(on_side(low, o.side) - origin),
                    model::Frame<>::at(on_side(plateau, o.side))};
  measure.is_left = o.side == Side::kLeft;
  return {measure};
}

}  // namespace

void check_options(const KneeOptions& o) {
  const auto refuse = [](bool wrong, const char* message) {
    if (wrong) throw InputError(fmt::format("knee: {}", message));
  };
  refuse(o.ligaments.empty(), "without ligaments nothing holds the shank");
  refuse(!(o.shank_mass > 0) || !(o.shank_radius > 0) || !(o.shank_length > 0),
         "mass, radius and length of the shank are greater than zero");
  refuse(!(o.pulse > 0) || !(o.impulse >= 0),
         "a pulse lasts longer than zero, its impulse is not negative");
  refuse(!(std::abs(o.flexion) < kPi), "the flexion is an angle in rad, below pi");
  refuse(!(o.contact_stiffness > 0) || !(o.contact_damping >= 0),
         "the stiffness of contact is greater than zero, its damping not negative");
  refuse(!(o.duration > 0) || !(o.tolerance > 0), "duration and tolerance are greater than zero");
  refuse(!o.start.allFinite(), "the start is a place");
  for (const KneeLigament& l : o.ligaments) {
    refuse(!(l.stiffness > 0) || !(l.slack_length > 0),
           "stiffness and slack length of ligaments are greater than zero");
    refuse(!(l.toe_strain.value_or(o.toe_strain) > 0) ||
               !(l.damping.value_or(o.ligament_damping) >= 0),
           "the toe strain of ligaments is greater than zero, their damping not negative");
    refuse(!l.femur.allFinite() || !l.tibia.allFinite(), "attachments of ligaments are places");
  }
  for (const Condyle& c : o.condyles) {
    refuse(!(c.radii.minCoeff() > 0), "radii of condyles are greater than zero");
    refuse(!c.center.allFinite(), "centres of condyles are places");
  }
  for (const Plateau& p : o.plateaus) {
    refuse(!(p.normal.norm() > 0), "the normal of a plateau cannot be zero");
  }
}

std::string describe_knee(const KneeOptions& o) {
  // Behind the condyles and farther from their middle than they are large, seen from the side: such
  // a point turns below the plateaus.
  std::vector<std::string> exposed;
  const Vec3d middle = 0.5 * (o.condyles[0].center + o.condyles[1].center);
  const double radius = std::max(o.condyles[0].radii.z(), o.condyles[1].radii.z());
  for (const KneeLigament& l : o.ligaments) {
    const Vec3d arm = l.femur - middle;
    if (arm.y() < 0 && arm.tail<2>().norm() > radius) exposed.push_back(l.name);
  }
  const std::string caveat =
      exposed.empty()
          ? ""
          : fmt::format(
                " These begin on the femur behind its condyles and farther from their middle than "
                "they are large, so that in the bent knee their ends turn into the tibia, where no "
                "ligament is; a run warns where they pull there: {}.",
                fmt::join(exposed, ", "));
  return fmt::format(
      "A {} knee of {} ligaments. Axes of both bones: x to the subject's right, y anterior, z "
      "proximal; the tibia's origin is the shank's mass centre. docs/howto/knee.md says what to "
      "measure for your own.{}",
      o.side == Side::kLeft ? "left" : "right", o.ligaments.size(), caveat);
}

std::vector<model::BodyShape<>> make_femur_shapes(const KneeOptions& o, const Vec3d& origin) {
  return {make_condyle("medial", o.condyles[0], origin, o.side),
          make_condyle("lateral", o.condyles[1], origin, o.side),
          make_bone(0.014, 0.30, Vec3d(0, 0, 0.185) - origin)};
}

std::vector<model::BodyShape<>> make_tibia_shapes(const KneeOptions& o) {
  return {make_plateau("medial", o.plateaus[0], o.side),
          make_plateau("lateral", o.plateaus[1], o.side), make_bone(0.012, 0.36, {0, 0, -0.005})};
}

model::Inertia<> make_cylinder_inertia(double m, double radius, double length) {
  const double r2 = radius * radius, across = m * (3 * r2 + length * length) / 12;
  return model::Inertia<>::diagonal({across, across, 0.5 * m * r2});
}

void add_joint(const KneeOptions& o, const Vec3d& femur_origin, Model* model) {
  model->contacts = {make_compartment("medial", o), make_compartment("lateral", o)};
  for (const KneeLigament& ligament : o.ligaments) {
    model->forces.push_back(make_line(ligament, femur_origin, o));
  }
  model->measures = {make_measure(o, femur_origin)};
}

Vec3d calc_flexion_center(const KneeOptions& o) {
  const Vec3d middle = 0.5 * (o.condyles[0].center + o.condyles[1].center);
  return on_side(middle, o.side);
}

}  // namespace vesica::biomechanics::detail
