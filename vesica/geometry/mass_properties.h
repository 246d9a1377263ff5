// Mass, centre and inertia of a solid from its volume.
#pragma once

#include <span>

#include "vesica/geometry/polyhedral_solid.h"
#include "vesica/math/pose.h"

namespace vesica {

struct MassProperties {
  double mass = 0;                                    // kg
  Vec3d center = Vec3d::Zero();                       // mass centre, in the solid's frame
  Symmetric3<double> I = Symmetric3<double>::zero();  // about the mass centre, solid's axes, kg m^2
};

// A body of one density [kg/m^3] that fills these moments (volume, centroid, second moment about
// it): I = density (tr(M) 1 - M). Throws InputError unless volume and density are positive and
// finite.
MassProperties calc_mass_properties(const TriangleMesh::Solid& moments, double density);
// Cells must not overlap (make_disjoint). Exact: sums over faces.
MassProperties calc_mass_properties(const PolyhedralSolid& solid, double density);

// Several parts that move as one, each with its own density if need be.
MassProperties join_parts(std::span<const MassProperties> parts);
// The same body scaled to another mass, its shape unchanged.
MassProperties scale_to_mass(const MassProperties& body, double mass);
// Seen from a frame F in which the solid has the pose X_FS.
MassProperties move_part(const MassProperties& part, const Pose<double>& X_FS);

// Axes along which I is diagonal: right-handed, moments ascending.
struct PrincipalAxes {
  Mat3d R_SP = Mat3d::Identity();  // columns: the axes in the solid's frame
  Vec3d moments = Vec3d::Zero();
};
PrincipalAxes calc_principal_axes(const Symmetric3<double>& I);

}  // namespace vesica
