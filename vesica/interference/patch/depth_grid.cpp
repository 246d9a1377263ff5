#include "vesica/interference/patch/depth_grid.h"

#include <algorithm>
#include <cmath>

namespace vesica {
namespace {

struct Chord {
  double low = 0, high = 0;
  double length() const { return std::max(0.0, high - low); }
};

struct PatchBounds {
  double u_min, u_max, v_min, v_max;
};

// The line x0 + lambda m inside the unit sphere. The discriminant a - |x0 x m|^2 does not cancel
// near the silhouette as b^2 - a (|x0|^2 - 1) would.
Chord chord_of_unit_sphere(const Vec3d& x0, const Vec3d& m) {
  const double a = m.squaredNorm();
  const double discriminant = a - x0.cross(m).squaredNorm();
  if (discriminant <= 0) return {};
  const double root = std::sqrt(discriminant);
  const double b = x0.dot(m);
  return {(-b - root) / a, (-b + root) / a};
}

// Fills the grid's frame from the bounds of the patch, then every cell from column(s).
template <class Column>
void fill(DepthGrid* grid, const PatchBounds& bounds, int cells, const Column& column) {
  const double width = bounds.u_max - bounds.u_min, height = bounds.v_max - bounds.v_min;
  const double cell = std::max({width, height, 1e-300}) / cells;
  grid->du = grid->dv = cell;
  grid->nu = static_cast<int>(std::ceil(width / cell - 1e-9)) + 2;
  grid->nv = static_cast<int>(std::ceil(height / cell - 1e-9)) + 2;
  grid->u0 = 0.5 * (bounds.u_min + bounds.u_max) - 0.5 * grid->nu * cell;
  grid->v0 = 0.5 * (bounds.v_min + bounds.v_max) - 0.5 * grid->nv * cell;
  grid->depth.resize(static_cast<size_t>(grid->nu) * grid->nv);
  column(grid);
}

template <class F>
auto by_point(const F& f) {
  return [f](DepthGrid* grid) {
    for (int kv = 0; kv < grid->nv; ++kv) {
      for (int ku = 0; ku < grid->nu; ++ku) {
        grid->depth[static_cast<size_t>(kv) * grid->nu + ku] = f(grid->point(ku, kv));
      }
    }
  };
}

// Frame on the plane of a half-space j, counted from the foot of the overlap's centroid.
DepthGrid grid_on_plane(const Overlap<double>& o, const Pose<double>& X_WJ) {
  DepthGrid grid;
  grid.origin_W = o.p_WC + o.plane_offset * o.n_W;
  grid.u_W = X_WJ.R_WB.col(0);
  grid.v_W = X_WJ.R_WB.col(1);
  grid.n_W = o.n_W;
  return grid;
}

// How far the part of the ellipsoid below the plane reaches along t (in the plane): its own support
// point where that lies below the plane, else the rim of the section.
double reach(const Vec3d& radii, const Mat3d& R, const Vec3d& p, const Vec3d& n,
             const Vec3d& origin, const Vec3d& t) {
  const Vec3d St = radii.cwiseProduct(R.transpose() * t);
  const Vec3d Sn = radii.cwiseProduct(R.transpose() * n);
  const double w = Sn.norm(), height = n.dot(p - origin);
  const double center = t.dot(p - origin);
  const double length = St.norm();
  if (height + Sn.dot(St) / length <= 0) return center + length;
  const double h = height / w;
  const Vec3d n_S = Sn / w;
  const double along = n_S.dot(St);
  const double across = std::sqrt(std::max(0.0, St.squaredNorm() - along * along));
  return center - h * along + std::sqrt(std::max(0.0, (1 - h) * (1 + h))) * across;
}

DepthGrid sample(const EllipsoidOnHalfSpace<double>& pair, const Pose<double>& X_WI,
                 const Pose<double>& X_WJ, int cells) {
  const Overlap<double> o = calc_overlap(pair, X_WI, X_WJ);
  DepthGrid grid = grid_on_plane(o, X_WJ);
  if (o.volume <= 0) return grid;
  const Vec3d& r = pair.i.radii;
  const Mat3d& R = X_WI.R_WB;
  auto reach_along = [&](const Vec3d& t) {
    return reach(r, R, X_WI.p_WB, grid.n_W, grid.origin_W, t);
  };
  const PatchBounds bounds{-reach_along(-grid.u_W), reach_along(grid.u_W), -reach_along(-grid.v_W),
                           reach_along(grid.v_W)};
  const Vec3d m = (R.transpose() * grid.n_W).cwiseQuotient(r);
  fill(&grid, bounds, cells, by_point([&](const Vec3d& s) {
    const Vec3d x0 = (R.transpose() * (s - X_WI.p_WB)).cwiseQuotient(r);
    const Chord chord = chord_of_unit_sphere(x0, m);
    return Chord{std::min(chord.low, 0.0), std::min(chord.high, 0.0)}.length();
  }));
  return grid;
}

DepthGrid sample(const SphereOnHalfSpace<double>& pair, const Pose<double>& X_WI,
                 const Pose<double>& X_WJ, int cells) {
  return sample(EllipsoidOnHalfSpace<double>{{Vec3d::Constant(pair.i.radius)}}, X_WI, X_WJ, cells);
}

DepthGrid sample(const SphereOnSphere<double>& pair, const Pose<double>& X_WI,
                 const Pose<double>& X_WJ, int cells) {
  const Overlap<double> o = calc_overlap(pair, X_WI, X_WJ);
  DepthGrid grid;
  grid.origin_W = o.p_WC;
  grid.n_W = o.n_W;
  make_basis(o.n_W, &grid.u_W, &grid.v_W);
  if (o.volume <= 0) return grid;
  const double radius = std::sqrt(calc_patch_figures(pair.i, X_WI, pair.j, X_WJ).shadow_area / kPi);
  auto chord = [&](const Vec3d& s, const Vec3d& center, double r) {
    return chord_of_unit_sphere((s - center) / r, grid.n_W / r);
  };
  fill(&grid, {-radius, radius, -radius, radius}, cells, by_point([&](const Vec3d& s) {
    const Chord i = chord(s, X_WI.p_WB, pair.i.radius);
    const Chord j = chord(s, X_WJ.p_WB, pair.j.radius);
    if (i.length() == 0 || j.length() == 0) return 0.0;
    return Chord{std::max(i.low, j.low), std::min(i.high, j.high)}.length();
  }));
  return grid;
}

template <class Polyhedron>
DepthGrid sample_polyhedron(const Polyhedron& pair, const Pose<double>& X_WI,
                            const Pose<double>& X_WJ, int cells) {
  const Overlap<double> o = calc_overlap(pair, X_WI, X_WJ);
  DepthGrid grid = grid_on_plane(o, X_WJ);
  if (o.volume <= 0) return grid;
  const ShadowBounds shadow =
      calc_shadow_bounds(pair.i, X_WI, HalfSpace{}, X_WJ, grid.origin_W, grid.u_W, grid.v_W);
  fill(&grid, {shadow.u_min, shadow.u_max, shadow.v_min, shadow.v_max}, cells, [&](DepthGrid* g) {
    sample_columns(pair.i, X_WI, HalfSpace{}, X_WJ, g->origin_W, g->u_W, g->v_W, g->u0, g->v0,
                   g->du, g->dv, g->nu, g->nv, &g->depth);
  });
  return grid;
}
DepthGrid sample(const BoxOnHalfSpace<double>& pair, const Pose<double>& X_WI,
                 const Pose<double>& X_WJ, int cells) {
  return sample_polyhedron(pair, X_WI, X_WJ, cells);
}
DepthGrid sample(const MeshOnHalfSpace& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                 int cells) {
  return sample_polyhedron(pair, X_WI, X_WJ, cells);
}
// About the contact surface's centre as far as the shared volume's ball of inertia, widened until
// no column is missed.
template <class Column>
void fill_around(const Overlap<double>& o, int cells, const Column& column, DepthGrid* grid) {
  // A uniform disc reaches twice its radius of gyration; a strip sqrt(3) times; a cone's tip more.
  double reach = 2 * std::sqrt(std::max(o.M_W.trace() / o.volume, 1e-300));
  for (int k = 0; k < 6; ++k, reach *= 1.5) {
    fill(grid, {-reach, reach, -reach, reach}, 24, column);
    double edge = 0;
    for (int v = 0; v < grid->nv; ++v) {
      for (int u = 0; u < grid->nu; ++u) {
        if (u < 2 || v < 2 || u >= grid->nu - 2 || v >= grid->nv - 2) {
          edge = std::max(edge, grid->depth[static_cast<size_t>(v) * grid->nu + u]);
        }
      }
    }
    if (edge == 0) break;
  }
  fill(grid, {-reach, reach, -reach, reach}, cells, column);
}

// Shapes that know their columns.
template <class Pair>
requires requires(Pair p, Pose<double> X, Vec3d s) { calc_column_below(p.i, X, s, s); }
DepthGrid sample(const Pair& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ, int cells) {
  const Overlap<double> o = calc_overlap(pair, X_WI, X_WJ);
  DepthGrid grid = grid_on_plane(o, X_WJ);
  if (o.volume <= 0) return grid;
  fill_around(o, cells, by_point([&](const Vec3d& s) {
                return calc_column_below(pair.i, X_WI, s, grid.n_W);
              }),
              &grid);
  return grid;
}

// Across n.
template <class Solids>
DepthGrid sample_solids(const Solids& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                        int cells) {
  const Overlap<double> o = calc_overlap(pair.along_columns(), X_WI, X_WJ);
  DepthGrid grid;
  grid.origin_W = o.p_WC + o.plane_offset * o.n_W;
  grid.n_W = o.n_W;
  make_basis(o.n_W, &grid.u_W, &grid.v_W);
  if (o.volume <= 0) return grid;
  fill_around(
      o, cells,
      [&](DepthGrid* g) {
        sample_columns(*pair.i, X_WI, *pair.j, X_WJ, g->origin_W, g->u_W, g->v_W, g->u0, g->v0,
                       g->du, g->dv, g->nu, g->nv, &g->depth);
      },
      &grid);
  return grid;
}
DepthGrid sample(const PolyhedronOnPolyhedron& pair, const Pose<double>& X_WI,
                 const Pose<double>& X_WJ, int cells) {
  return sample_solids(pair, X_WI, X_WJ, cells);
}
DepthGrid sample(const SolidOnSolid& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                 int cells) {
  return sample_solids(pair, X_WI, X_WJ, cells);
}
// Of the solids themselves: voxels are a way to count, not a shape.
DepthGrid sample(const VoxelizedSolids& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                 int cells) {
  return sample_solids(pair.solids, X_WI, X_WJ, cells);
}

// A point has no patch.
DepthGrid sample(const PointPair<double>&, const Pose<double>&, const Pose<double>&, int) {
  return {};
}

}  // namespace

DepthGrid sample_depth(const ShapePair<double>& pair, const Pose<double>& X_WI,
                       const Pose<double>& X_WJ, int cells) {
  return std::visit(
      [&](const auto& shapes) {
        if (!pair.turned) return sample(shapes, X_WI, X_WJ, cells);
        DepthGrid grid = sample(shapes, X_WJ, X_WI, cells);
        // From the other side: same plane, normal reversed, u and v exchanged to stay right-handed
        // would reorder the cells; the frame's hand is of no consequence for a map.
        grid.n_W = -grid.n_W;
        return grid;
      },
      pair.shapes);
}

}  // namespace vesica
