// What every model of a knee is made of: shapes, contacts, lines, the measure. Internal to
// biomechanics/.
#pragma once

#include "vesica/biomechanics/knee.h"

namespace vesica::biomechanics::detail {

// A left knee is a right one in the mirror of the sagittal plane.
inline Vec3d on_side(const Vec3d& p, Side side) {
  return side == Side::kLeft ? Vec3d(-p.x(), p.y(), p.z()) : p;
}

// Throws InputError where the options make no knee.
void check_options(const KneeOptions& options);

// What of the knee a reader of its scene should know: side, ligaments, axes.
std::string describe_knee(const KneeOptions& options);

// Condyles and a bone. `origin`: of the body in the femur's frame, where its mass centre is.
std::vector<model::BodyShape<>> make_femur_shapes(const KneeOptions& options, const Vec3d& origin);
std::vector<model::BodyShape<>> make_tibia_shapes(const KneeOptions& options);
model::Inertia<> make_cylinder_inertia(double mass, double radius, double length);

// Contacts, ligaments and the measure, between "femur" and "tibia".
void add_joint(const KneeOptions& options, const Vec3d& femur_origin, Model* model);

// Where the condyles turn: the middle of their centres.
Vec3d calc_flexion_center(const KneeOptions& options);

}  // namespace vesica::biomechanics::detail
