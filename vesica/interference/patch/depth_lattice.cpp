// The depth on a lattice that somebody else has laid over the contact plane.
#include <algorithm>
#include <cmath>

#include "vesica/interference/patch/depth_grid.h"
#include "vesica/interference/patch/patch.h"

namespace vesica {
namespace {

// What a vector in the plane has of u and v; a vector along n has nothing.
struct Reciprocal {
  Vec3d u, v;
  explicit Reciprocal(const DepthGrid& g) {
    const double uu = g.u_W.squaredNorm(), vv = g.v_W.squaredNorm(), uv = g.u_W.dot(g.v_W);
    const double det = uu * vv - uv * uv;
    u = (g.u_W * vv - g.v_W * uv) / det;
    v = (g.v_W * uu - g.u_W * uv) / det;
  }
};

void widen(PatchBox* box, double u, double half_u, double v, double half_v) {
  if (box->u_max < box->u_min) {
    *box = {u - half_u, u + half_u, v - half_v, v + half_v};
    return;
  }
  box->u_min = std::min(box->u_min, u - half_u);
  box->u_max = std::max(box->u_max, u + half_u);
  box->v_min = std::min(box->v_min, v - half_v);
  box->v_max = std::max(box->v_max, v + half_v);
}

// Of the ellipse origin + U cos + V sin.
void widen(PatchBox* box, const Reciprocal& r, const Vec3d& origin, const Vec3d& U,
           const Vec3d& V) {
  widen(box, r.u.dot(origin), std::hypot(r.u.dot(U), r.u.dot(V)), r.v.dot(origin),
        std::hypot(r.v.dot(U), r.v.dot(V)));
}

PatchBox as_box(const ShadowBounds& b) { return {b.u_min, b.u_max, b.v_min, b.v_max}; }

template <class Shape>
PatchBox find_box(const Shape& shape, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                  const DepthGrid& g) {
  const EllipsoidPatch<double> patch = make_patch(shape, X_WI, X_WJ);
  const Reciprocal r(g);
  PatchBox box;
  if (patch.section) widen(&box, r, patch.origin - g.origin_W, patch.U, patch.V);
  if (!patch.section || patch.overhangs) {
    widen(&box, r, patch.y0_W - g.origin_W, patch.ey1, patch.ey2);
  }
  return box;
}

// As far as the shared volume's ball of inertia reaches, and on until no column is left outside.
template <class Pair>
PatchBox find_box_by_search(const Pair& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                            const Overlap<double>& o, DepthGrid g);

template <class Pair>
PatchBox find_box(const Pair& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                  const Overlap<double>& o, const DepthGrid& g) {
  if constexpr (requires { make_patch(pair.i, X_WI, pair.j, X_WJ, o); }) {  // two spheres
    const LensPatch<double> patch = make_patch(pair.i, X_WI, pair.j, X_WJ, o);
    const double ring = std::sqrt(patch.ring2);
    PatchBox box;
    widen(&box, Reciprocal(g), patch.origin - g.origin_W, patch.U * ring, patch.V * ring);
    return box;
  } else if constexpr (requires { make_patch(pair.i, X_WI, X_WJ); }) {
    return find_box(pair.i, X_WI, X_WJ, g);
  } else if constexpr (requires {
                         calc_shadow_bounds(pair.i, X_WI, HalfSpace{}, X_WJ, g.origin_W, g.u_W,
                                            g.v_W);
                       }) {
    const Reciprocal r(g);
    return as_box(calc_shadow_bounds(pair.i, X_WI, HalfSpace{}, X_WJ, g.origin_W, r.u, r.v));
  } else {
    return find_box_by_search(pair, X_WI, X_WJ, o, g);
  }
}

// The line p + lambda n inside the unit sphere that S^-1 makes of an ellipsoid, below the plane.
double calc_cap_column(const Vec3d& x0, const Vec3d& m) {
  const double a = m.squaredNorm(), discriminant = a - x0.cross(m).squaredNorm();
  if (discriminant <= 0) return 0;
  const double root = std::sqrt(discriminant), b = x0.dot(m);
  return (std::min(0.0, root - b) - std::min(0.0, -b - root)) / a;
}

// depth(s) at every cell.
template <class Depth>
void for_each_cell(DepthGrid* g, const Depth& depth) {
  size_t k = 0;
  for (int b = 0; b < g->nv; ++b) {
    const Vec3d row = g->origin_W + g->v(b) * g->v_W;
    for (int a = 0; a < g->nu; ++a, ++k) g->depth[k] = depth(Vec3d(row + g->u(a) * g->u_W));
  }
}

void fill_ellipsoid(const Vec3d& radii, const Pose<double>& X_WI, DepthGrid* g) {
  const Mat3d to_unit = radii.cwiseInverse().asDiagonal() * X_WI.R_WB.transpose();
  const Vec3d m = to_unit * g->n_W, u = to_unit * g->u_W, v = to_unit * g->v_W;
  const Vec3d origin = to_unit * (g->origin_W - X_WI.p_WB);
  size_t k = 0;
  for (int b = 0; b < g->nv; ++b) {
    const Vec3d row = origin + g->v(b) * v;
    for (int a = 0; a < g->nu; ++a, ++k) {
      g->depth[k] = calc_cap_column(Vec3d(row + g->u(a) * u), m);
    }
  }
}

template <class Pair>
void fill(const Pair& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ, DepthGrid* g) {
  static_cast<void>(X_WJ);
  if constexpr (requires { pair.i.radii; }) {
    // n is that of the half-space.
    const Vec3d n = g->n_W;
    g->n_W = X_WJ.R_WB.col(2);
    fill_ellipsoid(pair.i.radii, X_WI, g);
    g->n_W = n;
  } else if constexpr (requires {
                         sample_columns(pair.i, X_WI, HalfSpace{}, X_WJ, g->origin_W, g->u_W,
                                        g->v_W, 0.0, 0.0, 0.0, 0.0, 0, 0, &g->depth);
                       }) {
    // Corners are projected, not lines drawn: it takes what coordinates are measured with.
    const Reciprocal r(*g);
    sample_columns(pair.i, X_WI, HalfSpace{}, X_WJ, g->origin_W, r.u, r.v, g->u0, g->v0, g->du,
                   g->dv, g->nu, g->nv, &g->depth);
  } else if constexpr (requires { calc_column_below(pair.i, X_WI, g->n_W, g->n_W); }) {
    const Vec3d n = X_WJ.R_WB.col(2);
    for_each_cell(g, [&](const Vec3d& s) { return calc_column_below(pair.i, X_WI, s, n); });
  } else if constexpr (requires {
                         sample_columns(*pair.i, X_WI, *pair.j, X_WJ, g->origin_W, g->u_W, g->v_W,
                                        0.0, 0.0, 0.0, 0.0, 0, 0, &g->depth);
                       }) {
    sample_columns(*pair.i, X_WI, *pair.j, X_WJ, g->origin_W, g->u_W, g->v_W, g->u0, g->v0, g->du,
                   g->dv, g->nu, g->nv, &g->depth);
    // Its columns are counted in lengths of u x v.
    const double length = g->u_W.cross(g->v_W).norm();
    for (double& d : g->depth) d *= length;
  } else if constexpr (requires { pair.solids; }) {
    fill(pair.solids, X_WI, X_WJ, g);
  } else {
    std::fill(g->depth.begin(), g->depth.end(), 0.0);  // a point has no patch
  }
}
void fill(const SphereOnHalfSpace<double>& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
          DepthGrid* g) {
  fill(EllipsoidOnHalfSpace<double>{{Vec3d::Constant(pair.i.radius)}}, X_WI, X_WJ, g);
}
void fill(const SphereOnSphere<double>& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
          DepthGrid* g) {
  const auto chord = [&](const Vec3d& s, const Vec3d& center, double r, double* low, double* high) {
    const Vec3d d = s - center;
    const double along = d.dot(g->n_W), root2 = r * r - (d - along * g->n_W).squaredNorm();
    const double root = root2 > 0 ? std::sqrt(root2) : 0;
    *low = -along - root;
    *high = -along + root;
    return root2 > 0;
  };
  for_each_cell(g, [&](const Vec3d& s) {
    double i0, i1, j0, j1;
    if (!chord(s, X_WI.p_WB, pair.i.radius, &i0, &i1) ||
        !chord(s, X_WJ.p_WB, pair.j.radius, &j0, &j1)) {
      return 0.0;
    }
    return std::max(0.0, std::min(i1, j1) - std::max(i0, j0));
  });
}

template <class Pair>
PatchBox find_box_by_search(const Pair& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                            const Overlap<double>& o, DepthGrid g) {
  if (!(o.volume > 0)) return {};
  // A uniform disc reaches twice its radius of gyration; a strip sqrt(3) times; a cone's tip more.
  double reach = 2 * std::sqrt(std::max(o.M_W.trace() / o.volume, 1e-300));
  const Reciprocal r(g);
  const Vec3d middle = o.p_WC - g.origin_W;
  PatchBox box;
  for (int k = 0; k < 6; ++k, reach *= 1.5) {
    const double u = r.u.dot(middle), v = r.v.dot(middle);
    const double half_u = reach * r.u.norm(), half_v = reach * r.v.norm();
    box = {u - half_u, u + half_u, v - half_v, v + half_v};
    g.nu = g.nv = 24;
    g.u0 = box.u_min;
    g.v0 = box.v_min;
    g.du = 2 * half_u / g.nu;
    g.dv = 2 * half_v / g.nv;
    g.depth.resize(static_cast<size_t>(g.nu) * g.nv);
    fill(pair, X_WI, X_WJ, &g);
    double edge = 0;
    for (int b = 0; b < g.nv; ++b) {
      for (int a = 0; a < g.nu; ++a) {
        if (a > 1 && b > 1 && a < g.nu - 2 && b < g.nv - 2) continue;
        edge = std::max(edge, g.depth[static_cast<size_t>(b) * g.nu + a]);
      }
    }
    if (edge == 0) break;
  }
  return box;
}

}  // namespace

PatchBox find_patch_box(const ShapePair<double>& pair, const Pose<double>& X_WI,
                        const Pose<double>& X_WJ, const Overlap<double>& o,
                        const DepthGrid& frame) {
  const Overlap<double> own = pair.turned ? swapped(o) : o;
  return std::visit(
      [&](const auto& shapes) {
        return pair.turned ? find_box(shapes, X_WJ, X_WI, own, frame)
                           : find_box(shapes, X_WI, X_WJ, own, frame);
      },
      pair.shapes);
}

void fill_depth(const ShapePair<double>& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                DepthGrid* grid) {
  grid->depth.resize(static_cast<size_t>(grid->nu) * grid->nv);
  std::visit(
      [&](const auto& shapes) {
        pair.turned ? fill(shapes, X_WJ, X_WI, grid) : fill(shapes, X_WI, X_WJ, grid);
      },
      pair.shapes);
}

}  // namespace vesica
