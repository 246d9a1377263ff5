// The patch of a contact as a region of its plane with the depth f(s), for integrals over it: any
// function of place and depth, not only the moments that an Overlap has.
//
// A patch is the image s = s_0 + U x + V y of the unit disc, which is the section of the contact
// plane, and of what overhangs it.
//   ellipsoid (or sphere) on a half-space: with the centre at height h above the plane, the map S
//   of the unit sphere, m = S^-1 n, L = 1/|m| and directions e_1, e_2 across m, a column of the
//   ellipsoid at y_1 S e_1 + y_2 S e_2 from the centre reaches from h + b.y - g to h + b.y + g,
//   g = L sqrt(1 - y^2), b_k = n.S e_k. The section |h + b.y| < g is an ellipse (centre
//   -h b/(L^2 + b^2)); beyond it, where h + b.y < -g, the column lies wholly below the plane.
//   sphere with sphere: the disc of the circle where they meet, both halves of the lens together.
// Polyhedra, meshes and solids have no such image: their patch is a set of columns that is found in
// plain numbers (column_field.h); the chain rule gives them derivatives.
//
// Quadrature: polar about a centre in the disc, Gauss-Legendre along the rays, the trapezoid rule
// round them (spectral, the integrand is periodic), Gauss-Legendre between the two tangents where
// only a part overhangs. Nodes are constants in the disc: derivatives go through the map alone. A
// friction law that turns over a small slip is resolved by centring on the point that does not slip
// and cutting the rays at multiples of the distance over which the law turns.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <variant>

#include "vesica/error.h"
#include "vesica/interference/pair.h"
#include "vesica/interference/patch/column_field.h"
#include "vesica/math/gauss_legendre.h"

namespace vesica {

// What a patch integral is cut into. Levels double the nodes until a result settles.
struct PatchRule {
  int level = 0;
  double x = 0, y = 0;  // the polar centre, in the disc
  // Along every ray: cut where the slip is 1, 3, 9 and 30 times the speed over which friction
  // turns; its place is speed/(turning |U cos + V sin|). 0: no cuts.
  double cut = 0;
  // Toward the rim like a square: for integrands that are a broken power of the depth there.
  bool graded = false;
  Vec3d still_W = Vec3d::Zero();  // of columns: the point that does not slip
};
inline constexpr int kPatchLevels = 6;

// Up to this many points are handed over at once.
inline constexpr int kPatchChunk = kMaxGaussOrder;
template <class T>
struct PatchPoints {
  int count = 0;
  std::array<Vec3<T>, kPatchChunk> p_W;
  std::array<T, kPatchChunk> depth, area;
};

template <class T>
struct EllipsoidPatch {
  Vec3<T> origin, U, V;      // of the section's unit disc
  Vec3<T> y0_W, ey1, ey2;    // s = y0_W + ey1 y_1 + ey2 y_2, of the shadow's unit disc
  T h, b1, b2, L;            // column: h + b.y -+ L sqrt(1 - y^2)
  T x0, y0, xx, xy, yx, yy;  // y = (x0, y0) + (xx, yx) x + (xy, yy) y
  T jacobian;                // area per dx dy
  bool section = true;       // false: wholly below the plane, the disc is that of the shadow
  bool overhangs = false;

  T depth(const T& y1, const T& y2) const {
    using std::sqrt;
    const T r2 = y1 * y1 + y2 * y2;
    const T g = r2 < T(1) ? T(L * sqrt(T(1) - r2)) : T(0);
    const T middle = h + b1 * y1 + b2 * y2;
    if (middle <= -g) return T(2) * g;
    return middle < g ? T(g - middle) : T(0);
  }
};

template <class T>
struct LensPatch {
  Vec3<T> origin, U, V;
  T a2;          // U.U
  T R2_i, R2_j;  // squared radii
  T x;           // distance of the centres
  T ring2;       // squared radius of the shadow over a2, above 1 where the lens overhangs
  T jacobian;

  // At squared distance t a2 from the axis.
  T depth(const T& t) const {
    using std::sqrt;
    const T rho2 = t * a2;
    auto half = [&](const T& R2) { return R2 > rho2 ? T(sqrt(R2 - rho2)) : T(0); };
    const T i = half(R2_i), j = half(R2_j);
    // Along the axis from j to i: j spans -j..j, i spans x-i..x+i.
    const T high = j < x + i ? j : x + i, low = x - i > -j ? x - i : -j;
    return high > low ? T(high - low) : T(0);
  }
};

template <class P, class T>
EllipsoidPatch<T> make_patch(const Ellipsoid<P>& shape, const Pose<T>& X_WI, const Pose<T>& X_WJ) {
  using std::sqrt;
  EllipsoidPatch<T> patch;
  const Vec3<T> n = X_WJ.R_WB.col(2);
  const Vec3<T> n_I = X_WI.R_WB.transpose() * n;
  Vec3<T> m;
  for (int k = 0; k < 3; ++k) m[k] = n_I[k] / shape.radii[k];
  const T length = sqrt(m.squaredNorm());
  Vec3<T> e1, e2;
  make_basis<T>(m / length, &e1, &e2);
  auto stretched = [&](Vec3<T> e) {
    for (int k = 0; k < 3; ++k) e[k] = e[k] * shape.radii[k];
    return Vec3<T>(X_WI.R_WB * e);
  };
  const Vec3<T> Se1 = stretched(e1), Se2 = stretched(e2);
  patch.L = T(1) / length;
  patch.h = n.dot(Vec3<T>(X_WI.p_WB - X_WJ.p_WB));
  patch.b1 = n.dot(Se1);
  patch.b2 = n.dot(Se2);
  patch.y0_W = X_WI.p_WB - n * patch.h;
  patch.ey1 = Se1 - n * patch.b1;
  patch.ey2 = Se2 - n * patch.b2;

  const T beta2 = patch.b1 * patch.b1 + patch.b2 * patch.b2;
  const T w2 = patch.L * patch.L + beta2;
  const T beside = T(1) - patch.h * patch.h / w2;  // 1 - (h/w)^2
  patch.section = beside > T(0);
  patch.overhangs = patch.h < T(0) || patch.h * patch.h < beta2;
  T area(1);
  if (patch.section) {
    // Axes of the section along b and across it; any direction where b is zero.
    const bool round = value_of(beta2) < 1e-30 * value_of(w2);
    const T beta = round ? T(1) : T(sqrt(beta2));
    const T u1 = round ? T(1) : T(patch.b1 / beta), u2 = round ? T(0) : T(patch.b2 / beta);
    const T across = sqrt(beside), along = patch.L * across / sqrt(w2);
    patch.x0 = -patch.h * patch.b1 / w2;
    patch.y0 = -patch.h * patch.b2 / w2;
    patch.xx = along * u1;
    patch.yx = along * u2;
    patch.xy = -across * u2;
    patch.yy = across * u1;
    area = along * across;
  } else {
    patch.x0 = patch.y0 = patch.xy = patch.yx = T(0);
    patch.xx = patch.yy = T(1);
  }
  patch.origin = patch.y0_W + patch.ey1 * patch.x0 + patch.ey2 * patch.y0;
  patch.U = patch.ey1 * patch.xx + patch.ey2 * patch.yx;
  patch.V = patch.ey1 * patch.xy + patch.ey2 * patch.yy;
  patch.jacobian = area * shape.radii.x() * shape.radii.y() * shape.radii.z() * length;
  return patch;
}
template <class P, class T>
EllipsoidPatch<T> make_patch(const Sphere<P>& s, const Pose<T>& X_WI, const Pose<T>& X_WJ) {
  return make_patch(Ellipsoid<P>{Vec3<P>(s.radius, s.radius, s.radius)}, X_WI, X_WJ);
}

// `o`: the overlap of the two.
template <class P, class T>
LensPatch<T> make_patch(const Sphere<P>& i, const Pose<T>& X_WI, const Sphere<P>& j,
                        const Pose<T>& X_WJ, const Overlap<T>& o) {
  using std::sqrt;
  LensPatch<T> patch;
  patch.R2_i = square(T(i.radius));
  patch.R2_j = square(T(j.radius));
  const T x2 = (X_WI.p_WB - X_WJ.p_WB).squaredNorm();
  patch.x = value_of(x2) > 0 ? T(sqrt(x2)) : T(0);
  const T& small2 = patch.R2_i < patch.R2_j ? patch.R2_i : patch.R2_j;
  // Height of the circle's plane over the centre of j.
  const T height = (x2 + patch.R2_j - patch.R2_i) / (T(2) * (value_of(x2) > 0 ? patch.x : T(1)));
  const T circle2 = patch.R2_j - height * height;
  const bool inside = !(circle2 > T(0)) || !(value_of(x2) > 0);
  patch.a2 = inside ? small2 : circle2;
  const bool over_i = patch.R2_i < patch.R2_j && height > patch.x;
  const bool over_j = patch.R2_j < patch.R2_i && height < T(0);
  patch.ring2 = !inside && (over_i || over_j) ? T(small2 / patch.a2) : T(1);
  const T a = sqrt(patch.a2);
  Vec3<T> u, v;
  make_basis<T>(o.n_W, &u, &v);
  patch.origin = o.p_WC;
  patch.U = u * a;
  patch.V = v * a;
  patch.jacobian = patch.a2;
  return patch;
}

namespace detail {

// Where the ray from (x, y) along (c, s) leaves the unit disc.
inline double leave_disc(double x, double y, double c, double s) {
  const double b = x * c + y * s;
  return -b + std::sqrt(std::max(0.0, b * b + 1 - x * x - y * y));
}

// Nodes per panel along a ray, rays.
inline std::array<int, 2> patch_orders(int level) {
  constexpr std::array<std::array<int, 2>, kPatchLevels> kOrders = {
      {{5, 12}, {8, 24}, {12, 48}, {18, 96}, {24, 192}, {32, 384}}};
  return kOrders[static_cast<size_t>(level)];
}

// The rays of a rule: f(theta, weight). `from`, `to`: tangents that part the circle, or none.
template <class F>
void for_each_ray(const PatchRule& rule, const std::optional<std::array<double, 2>>& tangents,
                  const F& f) {
  const int rays = patch_orders(rule.level)[1];
  if (!tangents) {
    for (int k = 0; k < rays; ++k) f(2 * kPi * (k + 0.5) / rays, 2 * kPi / rays);
    return;
  }
  // Toward a tangent the overhang ends like a power 3/2: Gauss in u with theta = a + (b-a) (3u^2 -
  // 2u^3), which is flat at both ends.
  const GaussRule& gauss = gauss_legendre(std::min(kMaxGaussOrder, rays / 2));
  const double ends[3] = {(*tangents)[0], (*tangents)[1], (*tangents)[0] + 2 * kPi};
  for (int arc = 0; arc < 2; ++arc) {
    const double span = ends[arc + 1] - ends[arc];
    for (int k = 0; k < gauss.order; ++k) {
      const double u = gauss.node[static_cast<size_t>(k)];
      f(ends[arc] + span * u * u * (3 - 2 * u),
        gauss.weight[static_cast<size_t>(k)] * span * 6 * u * (1 - u));
    }
  }
}

// The pieces of the ray inside the disc: f(r, weight) with the r of the area element in it.
template <class F>
void for_each_on_ray(const PatchRule& rule, double length, double cut, const F& f) {
  const GaussRule& gauss = gauss_legendre(patch_orders(rule.level)[0]);
  double from = 0;
  auto graded_panel = [&](double to) {
    for (int k = 0; k < gauss.order; ++k) {
      const double u = gauss.node[static_cast<size_t>(k)], r = to - (to - from) * u * u;
      f(r, gauss.weight[static_cast<size_t>(k)] * 2 * u * (to - from) * r);
    }
  };
  auto panel = [&](double to) {
    for (int k = 0; k < gauss.order; ++k) {
      const double r = from + (to - from) * gauss.node[static_cast<size_t>(k)];
      f(r, gauss.weight[static_cast<size_t>(k)] * (to - from) * r);
    }
    from = to;
  };
  if (cut > 0) {
    for (const double factor : {1.0, 3.0, 9.0, 30.0}) {
      const double to = factor * cut;
      if (to > 0.9 * length) break;
      panel(to);
    }
  }
  if (rule.graded) {
    graded_panel(length);
  } else {
    panel(length);
  }
}

template <class T, class F>
class PointCollector {
 public:
  explicit PointCollector(const F& f) : f_(f) {}
  ~PointCollector() { flush(); }
  void add(const Vec3<T>& p, const T& depth, const T& area) {
    const auto k = static_cast<size_t>(points_.count++);
    points_.p_W[k] = p;
    points_.depth[k] = depth;
    points_.area[k] = area;
    if (points_.count == kPatchChunk) flush();
  }

 private:
  void flush() {
    if (points_.count > 0) f_(points_);
    points_.count = 0;
  }
  const F& f_;
  PatchPoints<T> points_;
};

}  // namespace detail

// Hands all points of the rule over, chunk by chunk: f(const PatchPoints<T>&).
template <class T, class F>
void for_each_point(const EllipsoidPatch<T>& patch, const PatchRule& rule, const F& f) {
  using std::sqrt;
  detail::PointCollector<T, F> points(f);
  auto y_of = [&](double x, double y) {
    return std::array<T, 2>{patch.x0 + patch.xx * x + patch.xy * y,
                            patch.y0 + patch.yx * x + patch.yy * y};
  };
  // The section and the shadow touch where a silhouette point lies on the plane: h + b.y = 0 on
  // the unit circle.
  std::optional<std::array<double, 2>> tangents;
  if (patch.section && patch.overhangs) {
    const double b1 = value_of(patch.b1), b2 = value_of(patch.b2), h = value_of(patch.h);
    const double beta = std::hypot(b1, b2);
    if (std::abs(h) < beta) {
      const double middle = std::atan2(-b2, -b1), half = std::acos(h / beta);
      std::array<double, 2> angles{};
      const double det =
          value_of(patch.xx) * value_of(patch.yy) - value_of(patch.xy) * value_of(patch.yx);
      for (int k = 0; k < 2; ++k) {
        const double phi = middle + (k == 0 ? -half : half);
        const double d1 = std::cos(phi) - value_of(patch.x0),
                     d2 = std::sin(phi) - value_of(patch.y0);
        const double x = (value_of(patch.yy) * d1 - value_of(patch.xy) * d2) / det;
        const double y = (value_of(patch.xx) * d2 - value_of(patch.yx) * d1) / det;
        angles[static_cast<size_t>(k)] = std::atan2(y - rule.y, x - rule.x);
      }
      while (angles[1] < angles[0]) angles[1] += 2 * kPi;
      tangents = angles;
    }
  }
  detail::for_each_ray(rule, tangents, [&](double theta, double weight) {
    const double c = std::cos(theta), s = std::sin(theta);
    const double length = detail::leave_disc(rule.x, rule.y, c, s);
    const double speed = rule.cut > 0 ? (value_of(patch.U) * c + value_of(patch.V) * s).norm() : 1;
    detail::for_each_on_ray(rule, length, rule.cut / speed, [&](double r, double w) {
      const double x = rule.x + r * c, y = rule.y + r * s;
      const auto at = y_of(x, y);
      points.add(patch.origin + patch.U * T(x) + patch.V * T(y), patch.depth(at[0], at[1]),
                 patch.jacobian * (w * weight));
    });
    if (!patch.section || !patch.overhangs) return;
    // Beyond the section, to the rim of the shadow, where the depth goes like a square root:
    // r = r_2 - (r_2 - r_1) u^2.
    const auto out = y_of(rule.x + length * c, rule.y + length * s);
    if (!(patch.h + patch.b1 * out[0] + patch.b2 * out[1] < T(0))) return;
    const T d1 = patch.xx * c + patch.xy * s, d2 = patch.yx * c + patch.yy * s;
    const auto from = y_of(rule.x, rule.y);
    const T dd = d1 * d1 + d2 * d2, df = d1 * from[0] + d2 * from[1];
    const T rest = T(1) - from[0] * from[0] - from[1] * from[1];
    const T discriminant = df * df + dd * rest;
    if (!(discriminant > T(0))) return;
    const T rim = (sqrt(discriminant) - df) / dd;
    if (!(rim > T(length))) return;
    const GaussRule& gauss = gauss_legendre(detail::patch_orders(rule.level)[0]);
    for (int k = 0; k < gauss.order; ++k) {
      const double u = gauss.node[static_cast<size_t>(k)];
      const T r = rim - (rim - T(length)) * (u * u);
      const T y1 = from[0] + d1 * r, y2 = from[1] + d2 * r;
      points.add(Vec3<T>(patch.y0_W + patch.ey1 * y1 + patch.ey2 * y2), patch.depth(y1, y2),
                 patch.jacobian * (rim - T(length)) * r *
                     (2 * u * gauss.weight[static_cast<size_t>(k)] * weight));
    }
  });
}

template <class T, class F>
void for_each_point(const LensPatch<T>& patch, const PatchRule& rule, const F& f) {
  using std::sqrt;
  detail::PointCollector<T, F> points(f);
  detail::for_each_ray(rule, std::nullopt, [&](double theta, double weight) {
    const double c = std::cos(theta), s = std::sin(theta);
    const double length = detail::leave_disc(rule.x, rule.y, c, s);
    const double radius = std::sqrt(value_of(patch.a2));
    detail::for_each_on_ray(rule, length, rule.cut / radius, [&](double r, double w) {
      const double x = rule.x + r * c, y = rule.y + r * s;
      points.add(patch.origin + patch.U * T(x) + patch.V * T(y), patch.depth(T(x * x + y * y)),
                 patch.jacobian * (w * weight));
    });
    if (!(patch.ring2 > T(1))) return;
    const double b = rule.x * c + rule.y * s;
    const T rim = sqrt(T(b * b - rule.x * rule.x - rule.y * rule.y) + patch.ring2) - T(b);
    const GaussRule& gauss = gauss_legendre(detail::patch_orders(rule.level)[0]);
    for (int k = 0; k < gauss.order; ++k) {
      const double u = gauss.node[static_cast<size_t>(k)];
      const T r = rim - (rim - T(length)) * (u * u);
      const T x = T(rule.x) + r * c, y = T(rule.y) + r * s;
      points.add(patch.origin + patch.U * x + patch.V * y, patch.depth(x * x + y * y),
                 patch.jacobian * (rim - T(length)) * r *
                     (2 * u * gauss.weight[static_cast<size_t>(k)] * weight));
    }
  });
}

namespace detail {

// Nothing where there are no derivatives.
struct NoDerivative {};
template <class T>
struct DerivativeType {
  using type = NoDerivative;
};
template <class T>
requires kVaries<T>
struct DerivativeType<T> {
  using type = GradientOf<T>;
};
template <class T>
using DerivativeOf = typename DerivativeType<T>::type;

}  // namespace detail

// Columns of any two bodies (column_field.h). The frame of the patch has its origin at the centroid
// and turns with n, and about n with i.
template <class T>
struct ColumnPatch {
  std::shared_ptr<const ColumnField> field;
  Vec3<T> origin;
  // The level that the scratch has nodes of: it is gone through twice, as friction needs the whole
  // normal force.
  mutable int covered = -1;
  // Derivatives of the frame's twist, and of the twists of i and j against it, at the centroid.
  std::array<detail::DerivativeOf<T>, 6> of_frame, of_i, of_j;
  std::array<detail::DerivativeOf<T>, 3> of_size;
};

namespace detail {

// `o` is that of the pair as it stands, i on j.
template <class T>
void set_twists(const Pose<T>& X_WI, const Pose<T>& X_WJ, const Overlap<T>& o,
                ColumnPatch<T>* patch) {
  if constexpr (kVaries<T>) {
    using G = GradientOf<T>;
    const Vec3d p = value_of(o.p_WC), n = value_of(o.n_W);
    patch->of_i = calc_twist(X_WI, p);
    patch->of_j = calc_twist(X_WJ, p);
    const G spin = n[0] * patch->of_i[3] + n[1] * patch->of_i[4] + n[2] * patch->of_i[5];
    for (int r = 0; r < 3; ++r) {
      const int s = (r + 1) % 3, t = (r + 2) % 3;
      patch->of_frame[r] = o.p_WC[r].v;
      patch->of_frame[r + 3] = n[s] * o.n_W[t].v - n[t] * o.n_W[s].v + n[r] * spin;
    }
    for (int k = 0; k < 6; ++k) {
      patch->of_i[k] = patch->of_i[k] - patch->of_frame[k];
      patch->of_j[k] = patch->of_j[k] - patch->of_frame[k];
    }
    patch->of_size.fill(T(0.0).v);
  }
}

}  // namespace detail

template <class T, class F>
void for_each_point(const ColumnPatch<T>& patch, const PatchRule& rule, const F& f) {
  const Vec3d origin = value_of(patch.origin);
  ColumnScratch& scratch = column_scratch();
  if (patch.covered != rule.level || scratch.field != patch.field.get()) {
    patch.covered = rule.level;
    scratch.field = patch.field.get();
    scratch.nodes.clear();
    patch.field->cover({rule.level, rule.still_W - origin, rule.cut, detail::kVaries<T>},
                       &scratch.nodes);
  }
  detail::PointCollector<T, F> points(f);
  for (const ColumnNode& node : scratch.nodes) {
    if constexpr (!detail::kVaries<T>) {
      points.add(Vec3<T>(origin + node.s), node.depth, node.area);
    } else {
      using G = detail::GradientOf<T>;
      const auto& w = patch.of_frame;
      Vec3<T> p;
      for (int r = 0; r < 3; ++r) {
        const int s = (r + 1) % 3, t = (r + 2) % 3;
        const G moved = w[r] + node.s[t] * w[3 + s] - node.s[s] * w[3 + t];
        p[r] = T(origin[r] + node.s[r], moved);
      }
      G slope = node.by_size[0] * patch.of_size[0];
      slope = slope + node.by_size[1] * patch.of_size[1] + node.by_size[2] * patch.of_size[2];
      for (int k = 0; k < 6; ++k) {
        slope = slope + node.by_i[k] * patch.of_i[k] + node.by_j[k] * patch.of_j[k];
      }
      if (node.is_border) {
        points.add(p, T(node.depth), T(0.0, slope));
      } else {
        points.add(p, T(node.depth, slope), T(node.area));
      }
    }
  }
}

template <class T>
using Patch = std::variant<EllipsoidPatch<T>, LensPatch<T>, ColumnPatch<T>>;

template <class P>
bool has_patch(const ShapePair<P>& pair) {
  return row_of(pair).field;
}

namespace detail {

// In plain numbers, as the row promises: the columns of a pair.
inline auto find_columns(const PolyhedronOnPolyhedron& p, const Pose<double>& X_WI,
                         const Pose<double>& X_WJ, const Overlap<double>& o) {
  return make_column_field(*p.i, X_WI, *p.j, X_WJ, o.n_W, o.p_WC);
}
inline auto find_columns(const SolidOnSolid& p, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                         const Overlap<double>& o) {
  return make_column_field(*p.i, X_WI, *p.j, X_WJ, o.n_W, o.p_WC, o.M_W * (1 / o.volume));
}
inline auto find_columns(const MeshOnHalfSpace& p, const Pose<double>& X_WI,
                         const Pose<double>& X_WJ, const Overlap<double>& o) {
  return make_column_field(*p.i.mesh, X_WI, X_WJ, o.p_WC);
}
template <class P>
auto find_columns(const BoxOnHalfSpace<P>& p, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                  const Overlap<double>& o) {
  return make_column_field(Box<double>{value_of(p.i.size)}, X_WI, X_WJ, o.p_WC);
}

template <class Pair, class T>
Patch<T> find_patch(const Pair& p, const Pose<T>& X_WI, const Pose<T>& X_WJ, const Overlap<T>& o) {
  if constexpr (requires { make_patch(p.i, X_WI, p.j, X_WJ, o); }) {
    return make_patch(p.i, X_WI, p.j, X_WJ, o);
  } else if constexpr (requires { make_patch(p.i, X_WI, X_WJ); }) {
    return make_patch(p.i, X_WI, X_WJ);
  } else if constexpr (Pair::kRow.field) {
    Overlap<double> value{};
    value.volume = value_of(o.volume);
    value.p_WC = value_of(o.p_WC);
    value.n_W = value_of(o.n_W);
    value.M_W = value_of(o.M_W);
    ColumnPatch<T> patch;
    patch.origin = o.p_WC;
    patch.field = find_columns(p, value_of_pose(X_WI), value_of_pose(X_WJ), value);
    set_twists(X_WI, X_WJ, o, &patch);
    if constexpr (requires { p.i.size[0].v; }) {
      for (int k = 0; k < 3; ++k) patch.of_size[k] = p.i.size[k].v;
    }
    return patch;
  } else {
    throw InputError("this pair has no depth field to integrate over");
  }
}

}  // namespace detail

// The patch of a pair that has one (has_patch), and touches.
template <class P, class T>
Patch<T> make_patch(const ShapePair<P>& pair, const Pose<T>& X_WI, const Pose<T>& X_WJ,
                    const Overlap<T>& o) {
  const Pose<T>& X_i = pair.turned ? X_WJ : X_WI;
  const Pose<T>& X_j = pair.turned ? X_WI : X_WJ;
  const Overlap<T> own = pair.turned ? swapped(o) : o;
  return std::visit([&](const auto& p) -> Patch<T> { return detail::find_patch(p, X_i, X_j, own); },
                    pair.shapes);
}

// The rule for a slip field that turns at `spin` about the point p_W of no slip and a friction law
// that turns over `speed`: centred there where that is inside the section.
template <class T>
PatchRule make_patch_rule(const Patch<T>& patch, int level, const Vec3d& still_W, double spin,
                          double speed) {
  PatchRule rule;
  rule.level = level;
  if (!(std::abs(spin) > 0)) return rule;
  std::visit(
      [&](const auto& p) {
        if constexpr (requires { p.field; }) {
          rule.still_W = still_W;
          rule.cut = speed / std::abs(spin);
        } else {
          const Vec3d U = value_of(p.U), V = value_of(p.V), d = still_W - value_of(p.origin);
          const double uu = U.dot(U), vv = V.dot(V), uv = U.dot(V), det = uu * vv - uv * uv;
          const double x = (vv * U.dot(d) - uv * V.dot(d)) / det;
          const double y = (uu * V.dot(d) - uv * U.dot(d)) / det;
          if (!(x * x + y * y < 0.95)) return;
          rule.x = x;
          rule.y = y;
          rule.cut = speed / std::abs(spin);
        }
      },
      patch);
  return rule;
}

}  // namespace vesica
