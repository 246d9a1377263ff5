#include "vesica/interference/closed_form/sphere_sphere.h"

#include <algorithm>

namespace vesica {

PatchFigures calc_patch_figures(const Sphere<double>& sphere_i, const Pose<double>& X_WI,
                                const Sphere<double>& sphere_j, const Pose<double>& X_WJ) {
  PatchFigures figures;
  const double R_i = sphere_i.radius, R_j = sphere_j.radius;
  const double smaller = std::min(R_i, R_j);
  const double x = (X_WI.p_WB - X_WJ.p_WB).norm();
  const double delta = R_i + R_j - x;
  if (delta <= 0) return figures;
  const double full_shadow = kPi * square(smaller);
  if (x <= std::abs(R_i - R_j)) {
    figures.shadow_area = full_shadow;
    figures.max_depth = 2 * smaller;
    return figures;
  }
  const double depth_i = delta * (R_j + x - R_i) / (2 * x);
  const double depth_j = delta * (R_i + x - R_j) / (2 * x);
  figures.has_section = true;
  figures.section_area = kPi * depth_i * (2 * R_i - depth_i);
  // Where the smaller sphere is in beyond its equator, the equator is its shadow.
  const double smaller_depth = R_i < R_j ? depth_i : depth_j;
  figures.shadow_area = smaller_depth > smaller ? full_shadow : figures.section_area;
  figures.max_depth = delta;
  return figures;
}

}  // namespace vesica
