#include "vesica/interference/pair.h"

#include <algorithm>

namespace vesica {
namespace {

template <class OnHalfSpace>
PatchFigures figures(const OnHalfSpace& p, const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  return calc_patch_figures(p.i, X_WI, HalfSpace{}, X_WJ);
}
PatchFigures figures(const SphereOnSphere<double>& p, const Pose<double>& X_WI,
                     const Pose<double>& X_WJ) {
  return calc_patch_figures(p.i, X_WI, p.j, X_WJ);
}
PatchFigures figures(const PointPair<double>& p, const Pose<double>& X_WI,
                     const Pose<double>& X_WJ) {
  PatchFigures f;
  f.max_depth = std::max(0.0, -calc_overlap(p, X_WI, X_WJ).distance);
  return f;
}

double size(const SphereOnHalfSpace<double>& p) { return 2 * p.i.radius; }
double size(const EllipsoidOnHalfSpace<double>& p) { return 2 * p.i.radii.maxCoeff(); }
double size(const BoxOnHalfSpace<double>& p) { return p.i.size.maxCoeff(); }
double size(const MeshOnHalfSpace& p) { return p.i.mesh->size(); }
double size(const SphereOnSphere<double>& p) { return 2 * std::max(p.i.radius, p.j.radius); }
PatchFigures figures(const PolyhedronOnPolyhedron& p, const Pose<double>& X_WI,
                     const Pose<double>& X_WJ) {
  return calc_patch_figures(*p.i, X_WI, *p.j, X_WJ, along_columns(p).normal);
}
PatchFigures figures(const SolidOnSolid& p, const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  const auto o = calc_overlap(along_columns(p), X_WI, X_WJ);
  if (!(o.volume > 0)) return {};
  return calc_patch_figures(*p.i, X_WI, *p.j, X_WJ, o.n_W, o.p_WC);
}
PatchFigures figures(const VoxelizedSolids& p, const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  const auto o = calc_overlap(p, X_WI, X_WJ);
  if (!(o.volume > 0)) return {};
  return calc_patch_figures(*p.i, X_WI, *p.j, X_WJ, o.n_W, o.p_WC);
}
double size(const PolyhedronOnPolyhedron& p) {
  return 2 * std::min(p.i->ball_radius(), p.j->ball_radius());
}
double size(const SolidOnSolid& p) { return p.size; }
double size(const PointPair<double>& p) {
  if (const auto* e = std::get_if<Ellipsoid<double>>(&p.i)) return 2 * e->radii.maxCoeff();
  return 2 * std::get<Sphere<double>>(p.i).radius;
}

}  // namespace

PatchFigures calc_patch_figures(const ShapePair<double>& pair, const Pose<double>& X_WI,
                                const Pose<double>& X_WJ) {
  return std::visit(
      [&](const auto& p) { return pair.turned ? figures(p, X_WJ, X_WI) : figures(p, X_WI, X_WJ); },
      pair.shapes);
}

double calc_method_error(const ShapePair<double>& pair, const Pose<double>& X_WI,
                         const Pose<double>& X_WJ) {
  const Pose<double>& X_I = pair.turned ? X_WJ : X_WI;
  const Pose<double>& X_J = pair.turned ? X_WI : X_WJ;
  if (const auto* p = std::get_if<VoxelizedSolids>(&pair.shapes)) {
    return calc_voxel_moments(*p->i, X_I, *p->j, X_J, p->voxel_size).error_estimate;
  }
  const auto* p = std::get_if<SolidOnSolid>(&pair.shapes);
  if (!p) return 0;
  double error = 0, volume = 0;
  for (const SignedCell& a : *p->i) {
    for (const SignedCell& b : *p->j) {
      const CellMoments m =
          detail::calc_cell_pair(a.cell, X_I, b.cell, X_J, p->options.slices, false).moments;
      error += m.error_estimate * m.volume;
      volume += a.sign * b.sign * m.volume;
    }
  }
  return volume > 0 ? error / volume : 0;
}

double calc_size(const ShapePair<double>& pair) {
  return std::visit([](const auto& p) { return size(p); }, pair.shapes);
}

}  // namespace vesica
