#include "vesica/geometry/mass_properties.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "vesica/error.h"
#include "vesica/math/linear_algebra.h"

namespace vesica {

namespace {

// What a point mass at r adds: m (r^2 1 - r r^T).
Symmetric3<double> calc_point_inertia(double mass, const Vec3d& r) {
  return inertia_of(Symmetric3<double>::outer(r)) * mass;
}

void check_positive(double x, const char* what, const char* unit) {
  if (x > 0 && std::isfinite(x)) return;
  throw InputError(
      fmt::format("{} of a solid is {} {}: expected a positive number", what, x, unit));
}

}  // namespace

MassProperties calc_mass_properties(const TriangleMesh::Solid& moments, double density) {
  check_positive(density, "density", "kg/m^3");
  check_positive(moments.volume, "volume", "m^3");
  return {density * moments.volume, moments.centroid, inertia_of(moments.M) * density};
}

MassProperties calc_mass_properties(const PolyhedralSolid& solid, double density) {
  std::vector<MassProperties> parts;
  for (const auto& cell : solid.cells()) {
    parts.push_back(calc_mass_properties(cell.solid(), density));
  }
  return join_parts(parts);
}

MassProperties join_parts(std::span<const MassProperties> parts) {
  MassProperties whole;
  for (const auto& part : parts) {
    whole.mass += part.mass;
    whole.center += part.mass * part.center;
  }
  check_positive(whole.mass, "mass", "kg");
  whole.center /= whole.mass;
  for (const auto& part : parts) {
    whole.I = whole.I + part.I + calc_point_inertia(part.mass, part.center - whole.center);
  }
  return whole;
}

MassProperties scale_to_mass(const MassProperties& body, double mass) {
  check_positive(mass, "mass", "kg");
  check_positive(body.mass, "mass", "kg");
  return {mass, body.center, body.I * (mass / body.mass)};
}

MassProperties move_part(const MassProperties& part, const Pose<double>& X_FS) {
  return {part.mass, X_FS * part.center, part.I.rotated(X_FS.R_WB)};
}

PrincipalAxes calc_principal_axes(const Symmetric3<double>& I) {
  const SymmetricEigen eigen = calc_eigen<3>(I.matrix());
  PrincipalAxes axes{eigen.vectors, eigen.values};
  if (axes.R_SP.determinant() < 0) axes.R_SP.col(2) *= -1;
  return axes;
}

}  // namespace vesica
