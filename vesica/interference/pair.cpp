#include "vesica/interference/pair.h"

#include <algorithm>

namespace vesica {
namespace {

// Shapes as they are.
template <class Pair>
PatchFigures figures(const Pair& p, const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  return calc_patch_figures(p.i, X_WI, p.j, X_WJ);
}
PatchFigures figures(const PointPair<double>& p, const Pose<double>& X_WI,
                     const Pose<double>& X_WJ) {
  PatchFigures f;
  f.max_depth = std::max(0.0, -calc_overlap(p, X_WI, X_WJ).distance);
  return f;
}
PatchFigures figures(const PolyhedronOnPolyhedron& p, const Pose<double>& X_WI,
                     const Pose<double>& X_WJ) {
  return calc_patch_figures(*p.i, X_WI, *p.j, X_WJ, p.along_columns().normal);
}
PatchFigures figures_of_solids(const SolidOnSolid& p, const Overlap<double>& o,
                               const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  if (!(o.volume > 0)) return {};
  return calc_patch_figures(*p.i, X_WI, *p.j, X_WJ, o.n_W, o.p_WC);
}
PatchFigures figures(const SolidOnSolid& p, const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  return figures_of_solids(p, calc_overlap(p.along_columns(), X_WI, X_WJ), X_WI, X_WJ);
}
PatchFigures figures(const VoxelizedSolids& p, const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  return figures_of_solids(p.solids, calc_overlap(p, X_WI, X_WJ), X_WI, X_WJ);
}

}  // namespace

double SolidOnSolid::calc_error(const Pose<double>& X_WI, const Pose<double>& X_WJ) const {
  double error = 0, volume = 0;
  for (const SignedCell& a : *i) {
    for (const SignedCell& b : *j) {
      const CellMoments m =
          detail::calc_cell_pair(a.cell, X_WI, b.cell, X_WJ, options.slices, false).moments;
      error += m.error_estimate * m.volume;
      volume += a.sign * b.sign * m.volume;
    }
  }
  return volume > 0 ? error / volume : 0;
}

double VoxelizedSolids::calc_error(const Pose<double>& X_WI, const Pose<double>& X_WJ) const {
  return calc_voxel_moments(*solids.i, X_WI, *solids.j, X_WJ, voxel_size).error_estimate;
}

PatchFigures calc_patch_figures(const ShapePair<double>& pair, const Pose<double>& X_WI,
                                const Pose<double>& X_WJ) {
  return std::visit(
      [&](const auto& p) { return pair.turned ? figures(p, X_WJ, X_WI) : figures(p, X_WI, X_WJ); },
      pair.shapes);
}

double calc_method_error(const ShapePair<double>& pair, const Pose<double>& X_WI,
                         const Pose<double>& X_WJ) {
  return std::visit(
      [&](const auto& p) {
        if constexpr (requires { p.calc_error(X_WI, X_WJ); }) {
          return pair.turned ? p.calc_error(X_WJ, X_WI) : p.calc_error(X_WI, X_WJ);
        } else {
          static_assert(std::decay_t<decltype(p)>::kRow.exact);
          return 0.0;
        }
      },
      pair.shapes);
}

double calc_size(const ShapePair<double>& pair) {
  return std::visit([](const auto& p) { return p.size(); }, pair.shapes);
}

}  // namespace vesica
