#include "vesica/interference/closed_form/half_space_ellipsoid.h"

#include <algorithm>

namespace vesica {

// In the frame where the ellipsoid is the unit sphere, the cap has the axis p = -n_S, the plane
// lies at distance h from the centre along p, and lines along n run along m = S^-1 n / |S^-1 n|, at
// the angle beta to the axis.
PatchFigures calc_patch_figures(const Ellipsoid<double>& ellipsoid, const Pose<double>& X_WI,
                                const HalfSpace&, const Pose<double>& X_WJ) {
  PatchFigures figures;
  const Vec3d n = X_WJ.R_WB.col(2);
  const Vec3d n_E = X_WI.R_WB.transpose() * n;
  const Vec3d& r = ellipsoid.radii;
  const double abc = r.prod();
  const double w = r.cwiseProduct(n_E).norm();
  const double inverse_length = n_E.cwiseQuotient(r).norm();  // |S^-1 n|
  const double h = n.dot(X_WI.p_WB - X_WJ.p_WB) / w;
  if (h >= 1) return figures;

  // Rounding may take w |S^-1 n| below 1; the angle is then zero.
  const double cos_beta = std::min(1.0, 1 / (w * inverse_length));
  // Its sine without the cancellation of 1 - cos^2: the component of m across n_S.
  const Vec3d n_S = r.cwiseProduct(n_E) / w;
  const double sin_beta = (n_E.cwiseQuotient(r) / inverse_length).cross(n_S).norm();
  const double chord_to_length = 1 / inverse_length;
  const double shadow_scale = abc * inverse_length;

  if (h <= -1) {
    figures.shadow_area = kPi * shadow_scale;
    figures.max_depth = 2 * chord_to_length;
    return figures;
  }

  const double section_radius = std::sqrt((1 - h) * (1 + h));
  figures.has_section = true;
  figures.section_area = kPi * abc / w * square(section_radius);

  // Shadow: the section's ellipse, and where columns overhang it the part of the silhouette that
  // lies below the plane, joined where the two curves touch.
  if (h >= sin_beta) {
    figures.shadow_area = figures.section_area;
  } else if (h <= -sin_beta) {
    figures.shadow_area = kPi * shadow_scale;
  } else {
    const double phi = std::acos(std::clamp(h / sin_beta, -1.0, 1.0));
    const double psi = std::acos(std::clamp(h * cos_beta / (section_radius * sin_beta), -1.0, 1.0));
    const double silhouette = phi - std::sin(phi) * std::cos(phi);
    const double section =
        square(section_radius) * cos_beta * (kPi - psi + std::sin(psi) * std::cos(psi));
    figures.shadow_area = shadow_scale * (silhouette + section);
  }

  // Longest column: through the lowest point while that column reaches the plane; through the
  // centre once the top of that column is below the plane; otherwise it ends on the section's rim.
  const double depth = w * (1 - h);
  const double column_of_lowest = 2 / (w * square(inverse_length));
  if (depth <= column_of_lowest) {
    figures.max_depth = depth;
  } else if (-h >= cos_beta) {
    figures.max_depth = 2 * chord_to_length;
  } else {
    figures.max_depth = 2 * chord_to_length * (section_radius * sin_beta - h * cos_beta);
  }
  return figures;
}

PatchFigures calc_patch_figures(const Sphere<double>& sphere, const Pose<double>& X_WI,
                                const HalfSpace& half_space, const Pose<double>& X_WJ) {
  return calc_patch_figures(Ellipsoid<double>{Vec3d::Constant(sphere.radius)}, X_WI, half_space,
                            X_WJ);
}

}  // namespace vesica
