#include "vesica/interference/mesh/half_space_mesh.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/geometry/sample_meshes.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"
#include "vesica/math/jet.h"

namespace vesica::half_space_mesh_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// ---- Reference: quadruple precision, tetrahedra from an inner point clipped at the plane, in the
// world frame. Shares no formula with the code under test.

__extension__ typedef __float128 Quad;
struct QuadPoint {
  Quad x[4];  // world coordinates, then height over the plane
};

struct QuadMoments {
  Quad volume = 0, first[3] = {}, second[3][3] = {};  // about the reference point
};

void add_tetrahedron(const QuadPoint (&p)[4], const QuadPoint& about, QuadMoments* m) {
  Quad e[3][3];
  for (int k = 0; k < 3; ++k) {
    for (int c = 0; c < 3; ++c) e[k][c] = p[k + 1].x[c] - p[0].x[c];
  }
  const Quad det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                   e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                   e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  const Quad V = det / 6;
  m->volume += V;
  for (int i = 0; i < 3; ++i) {
    Quad sum_i = 0;
    for (const auto& q : p) sum_i += q.x[i] - about.x[i];
    m->first[i] += V * sum_i / 4;
    for (int j = 0; j < 3; ++j) {
      Quad sum_j = 0, products = 0;
      for (const auto& q : p) {
        sum_j += q.x[j] - about.x[j];
        products += (q.x[i] - about.x[i]) * (q.x[j] - about.x[j]);
      }
      m->second[i][j] += V * (products + sum_i * sum_j) / 20;
    }
  }
}

QuadPoint between(const QuadPoint& a, const QuadPoint& b) {
  QuadPoint r;
  const Quad t = a.x[3] / (a.x[3] - b.x[3]);
  for (int c = 0; c < 3; ++c) r.x[c] = a.x[c] + t * (b.x[c] - a.x[c]);
  r.x[3] = 0;
  return r;
}

// Sorted by height the tetrahedron has 1, 2 or 3 corners below; the permutation's sign keeps the
// orientation.
void add_clipped(QuadPoint a, QuadPoint b, QuadPoint c, QuadPoint d, const QuadPoint& about,
                 QuadMoments* m) {
  QuadPoint p[4] = {a, b, c, d};
  bool odd = false;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j + 1 < 4 - i; ++j) {
      if (p[j].x[3] > p[j + 1].x[3]) {
        std::swap(p[j], p[j + 1]);
        odd = !odd;
      }
    }
  }
  if (odd) std::swap(p[0], p[1]);  // either order of two that are on one side, or handled below
  const auto below = [&](int k) { return p[k].x[3] < 0; };
  const int count = below(0) + below(1) + below(2) + below(3);
  const auto add = [&](const QuadPoint& q, const QuadPoint& r, const QuadPoint& s,
                       const QuadPoint& t) {
    add_tetrahedron({q, r, s, t}, about, m);
  };
  if (count == 4) add(p[0], p[1], p[2], p[3]);
  if (count == 1) {
    // p[0] and p[1] may have been exchanged: find the wet one, keep the orientation.
    if (below(0)) {
      add(p[0], between(p[0], p[1]), between(p[0], p[2]), between(p[0], p[3]));
    } else {
      add(between(p[1], p[0]), p[1], between(p[1], p[2]), between(p[1], p[3]));
    }
  }
  if (count == 3) {
    const QuadPoint x = between(p[0], p[3]), y = between(p[1], p[3]), z = between(p[2], p[3]);
    add(p[0], p[1], p[2], z);
    add(p[0], p[1], z, y);
    add(p[0], y, z, x);
  }
  if (count == 2) {
    // Edge (0, 1) wet, edge (2, 3) dry: a wedge between triangles (0, 02, 03) and (1, 12, 13).
    const QuadPoint a2 = between(p[0], p[2]), a3 = between(p[0], p[3]);
    const QuadPoint b2 = between(p[1], p[2]), b3 = between(p[1], p[3]);
    add(p[0], p[1], b2, b3);
    add(p[0], b3, b2, a2);
    add(p[0], b3, a2, a3);
  }
}

struct Reference {
  double volume;
  Vec3d first;  // about the lowest vertex
  Mat3d M;      // about the centroid
  Vec3d lowest_W;
  double depth;
};

Reference calc_reference(const std::vector<Vec3d>& vertices, const test::Triangles& triangles,
                         const Vec3d& inner, const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  const auto to_world = [&](const Vec3d& p) {
    QuadPoint q;
    q.x[3] = 0;
    for (int i = 0; i < 3; ++i) {
      q.x[i] = X_WI.p_WB[i];
      for (int j = 0; j < 3; ++j) q.x[i] += Quad(X_WI.R_WB(i, j)) * p[j];
      q.x[3] += Quad(X_WJ.R_WB(i, 2)) * (q.x[i] - X_WJ.p_WB[i]);
    }
    return q;
  };
  std::vector<QuadPoint> p;
  for (const Vec3d& v : vertices) p.push_back(to_world(v));
  const QuadPoint centre = to_world(inner);
  const QuadPoint lowest = *std::min_element(
      p.begin(), p.end(), [](const auto& a, const auto& b) { return a.x[3] < b.x[3]; });
  QuadMoments m;
  for (const auto& [i, j, k] : triangles) add_clipped(centre, p[i], p[j], p[k], lowest, &m);
  Reference r;
  r.volume = double(m.volume);
  r.depth = -double(lowest.x[3]);
  for (int i = 0; i < 3; ++i) {
    r.first[i] = double(m.first[i]);
    r.lowest_W[i] = double(lowest.x[i]);
    for (int j = 0; j < 3; ++j) {
      r.M(i, j) = double(m.second[i][j] - m.first[i] * m.first[j] / m.volume);
    }
  }
  return r;
}

// Largest error as a fraction of what is allowed.
double excess_of(const Overlap<double>& o, const Reference& r, double size) {
  const double allowed = 1e-10 + 10 * kEps * size / r.depth;
  const Vec3d first = o.volume * (o.p_WC - r.lowest_W);
  return std::max({std::abs(o.volume - r.volume) / r.volume,
                   (first - r.first).norm() / r.first.norm(),
                   (o.M_W.matrix() - r.M).norm() / r.M.norm(),
                   std::abs(-o.distance - r.depth) / r.depth}) /
         allowed;
}

Pose<double> random_pose(std::mt19937_64& random, double scale) {
  return {test::random_rotation(random), test::random_vector(random, scale)};
}

// Moves i along the plane's normal so that its lowest point is `depth` below the plane.
template <class S>
void press(const S& shape, double depth, const Pose<double>& X_WJ, Pose<double>* X_WI) {
  for (int k = 0; k < 2; ++k) {  // twice: the first move rounds
    const auto o = calc_overlap(shape, *X_WI, HalfSpace{}, X_WJ);
    X_WI->p_WB -= (o.distance + depth) * o.n_W;
  }
}

TEST(HalfSpaceMesh, RandomHullsMatchQuadruplePrecisionAtAllDepthsAndAspects) {
  std::mt19937_64 random(11);
  double worst = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Vec3d stretch(1, test::random_log_between(random, 1e-3, 1),
                        test::random_log_between(random, 1e-3, 1));
    const auto shape = test::as_shape(test::make_random_hull(random, 30, stretch));
    const TriangleMesh& mesh = *shape.mesh;
    Pose<double> X_WI = random_pose(random, 1);
    const Pose<double> X_WJ = random_pose(random, 1);
    press(shape, mesh.size() * test::random_log_between(random, 1e-6, 1.2), X_WJ, &X_WI);
    const auto r =
        calc_reference(mesh.vertices(), mesh.triangles(), mesh.solid().centroid, X_WI, X_WJ);
    const double excess = excess_of(calc_overlap(shape, X_WI, HalfSpace{}, X_WJ), r, mesh.size());
    worst = std::max(worst, excess);
    EXPECT_LT(excess, 1) << "trial " << trial << " depth/size " << r.depth / mesh.size();
  }
  EXPECT_LT(worst, 0.6);  // measured 0.20
}

TEST(HalfSpaceMesh, BoxesMatchQuadruplePrecisionAtAllDepthsAndAspects) {
  std::mt19937_64 random(12);
  double worst = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Box<double> box{Vec3d(1, test::random_log_between(random, 1e-3, 1),
                                test::random_log_between(random, 1e-3, 1))};
    Pose<double> X_WI = random_pose(random, 1);
    Pose<double> X_WJ = random_pose(random, 1);
    // Also flat on a face and on an edge, exactly or nearly.
    if (trial % 4 == 1) X_WI.R_WB = X_WJ.R_WB = Mat3d::Identity();
    if (trial % 4 == 2) {
      X_WJ.R_WB = Mat3d::Identity();
      X_WI.R_WB = as_rotation(quaternion_from_rotation_vector(
          test::random_vector(random, test::random_log_between(random, 1e-12, 1e-2))));
    }
    press(box, box.size.norm() * test::random_log_between(random, 1e-6, 1.2), X_WJ, &X_WI);
    const auto r = calc_reference(test::box_corners(box.size), test::box_triangles(), Vec3d::Zero(),
                                  X_WI, X_WJ);
    const double excess = excess_of(calc_overlap(box, X_WI, HalfSpace{}, X_WJ), r, box.size.norm());
    worst = std::max(worst, excess);
    EXPECT_LT(excess, 1) << "trial " << trial << " depth " << r.depth << " size "
                         << box.size.transpose();
  }
  EXPECT_LT(worst, 0.6);  // measured 0.36
}

TEST(HalfSpaceMesh, NonConvexMeshesMatchQuadruplePrecision) {
  std::mt19937_64 random(13);
  const std::vector<MeshShape> shapes = {test::as_shape(test::make_l_shape()),
                                         test::as_shape(test::make_torus(1, 0.4, 24, 12))};
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto& shape = shapes[trial % 2];
    const TriangleMesh& mesh = *shape.mesh;
    Pose<double> X_WI = random_pose(random, 1);
    const Pose<double> X_WJ = random_pose(random, 1);
    press(shape, mesh.size() * test::random_log_between(random, 1e-6, 1.2), X_WJ, &X_WI);
    const auto r =
        calc_reference(mesh.vertices(), mesh.triangles(), Vec3d(0.6, 0.5, 0.4), X_WI, X_WJ);
    const double excess = excess_of(calc_overlap(shape, X_WI, HalfSpace{}, X_WJ), r, mesh.size());
    worst = std::max(worst, excess);
    EXPECT_LT(excess, 1) << "trial " << trial << " depth/size " << r.depth / mesh.size();
  }
  EXPECT_LT(worst, 0.6);  // measured 0.18
}

// Many triangles, so that patches of the tree are wholly wet: a torus, two hulls and a ball with a
// cavity, beside each other; the origin as far away as `distance`.
MeshShape make_lumps(std::mt19937_64& random, double distance) {
  test::MeshParts parts;
  const Vec3d origin = distance * Vec3d(0.6, -0.8, 0.3);
  parts.add(test::make_torus(1, 0.4, 36, 18), origin);
  parts.add(test::make_random_hull(random, 120, Vec3d(1, 1, 1)), origin + Vec3d(3, 0, 0));
  parts.add(test::make_random_hull(random, 60, Vec3d(1, 0.1, 1)), origin + Vec3d(0, 3, 0));
  parts.add(test::make_ellipsoid_mesh(Vec3d(1, 0.8, 0.6), 10), origin + Vec3d(3, 3, 0));
  parts.add(test::make_ellipsoid_mesh(Vec3d(0.5, 0.6, 0.3), 8), origin + Vec3d(3.1, 3, 0.1), true);
  return test::as_shape(parts.make());
}

TEST(HalfSpaceMesh, SeveralLumpsWithHolesMatchQuadruplePrecisionWhereverTheOriginIs) {
  std::mt19937_64 random(22);
  for (const double distance : {0.0, 1e4}) {
    double worst = 0;
    for (int trial = 0; trial < 60; ++trial) {
      const MeshShape shape = make_lumps(random, distance);
      const TriangleMesh& mesh = *shape.mesh;
      Pose<double> X_WI = random_pose(random, 1);
      const Pose<double> X_WJ = random_pose(random, 1);
      press(shape, mesh.size() * test::random_log_between(random, 1e-6, 1.2), X_WJ, &X_WI);
      const auto r =
          calc_reference(mesh.vertices(), mesh.triangles(), mesh.solid().centroid, X_WI, X_WJ);
      // The pose and the vertices have the digits of the distance, not of the size.
      const double excess =
          excess_of(calc_overlap(shape, X_WI, HalfSpace{}, X_WJ), r, mesh.size() + distance);
      worst = std::max(worst, excess);
      EXPECT_LT(excess, 1) << "trial " << trial << " depth/size " << r.depth / mesh.size();
    }
    EXPECT_LT(worst, 0.9);  // measured 0.34 and 0.40; 0.62 with the rounding of sanitized builds
  }
}

// The moments of the part, whatever the frame that it came in: about the mesh's own origin.
struct PartMoments {
  double volume;
  Vec3d first;
  Mat3d second;
};
PartMoments as_moments(const detail::SubmergedPart& part) {
  const Vec3d d = part.origin, f = part.frame * part.first;
  const Mat3d cross = d * f.transpose();
  return {part.volume, f + part.volume * d,
          part.second.rotated(part.frame).matrix() + cross + cross.transpose() +
              part.volume * d * d.transpose()};
}

// All but a tip is under the plane: nearly every triangle counts by the sums of a patch.
TEST(HalfSpaceMesh, SubmergedButForATipIsTheSolid) {
  std::mt19937_64 random(23);
  double worst = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const MeshShape shape = make_lumps(random, trial % 2 == 0 ? 0 : 3);
    const TriangleMesh& mesh = *shape.mesh;
    const Vec3d m = test::random_vector(random, 1).normalized();
    const Vec3d top = mesh.vertices()[mesh.find_lowest_vertex(-m)];
    const auto part = detail::calc_submerged_part(mesh, m, 1e-7 - m.dot(top), false);
    ASSERT_TRUE(part.origin_on_plane);
    const PartMoments a = as_moments(part);
    const TriangleMesh::Solid& solid = mesh.solid();
    const Vec3d c = solid.centroid;
    const Mat3d second = solid.M.matrix() + solid.volume * c * c.transpose();
    worst = std::max({worst, std::abs(a.volume / solid.volume - 1),
                      (a.first / solid.volume - c).norm() / mesh.size(),
                      (a.second - second).norm() / second.norm()});
  }
  // The tip is 1e-7 high and thinner than that times its own slopes: 1e-18 of the volume or less.
  EXPECT_LT(worst, 1e-14);  // measured 4e-15
}

// Planes through vertices and along faces, where heights are 0 to the last bit.
TEST(HalfSpaceMesh, PlanesThroughVerticesAndAlongFaces) {
  const Vec3d size(2, 1, 4);
  const auto shape = test::as_shape(test::make_grid_box(size, 16));
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      for (int step = 0; step <= 16; ++step) {
        // The plane at step/16 of the box, seen from its lower side.
        const Vec3d m = sign * Vec3d(Vec3d::Unit(axis));
        const double depth = size[axis] * step / 16, area = size.prod() / size[axis];
        const double h = sign > 0 ? -depth : size[axis] - depth;
        const auto part = detail::calc_submerged_part(*shape.mesh, m, h, true);
        EXPECT_EQ(part.is_apart, step == 0);
        if (step == 0) continue;
        const PartMoments a = as_moments(part);
        Vec3d low = Vec3d::Zero(), high = size;
        (sign > 0 ? high : low)[axis] = sign > 0 ? depth : size[axis] - depth;
        const Vec3d c = 0.5 * (low + high), d = high - low;
        Mat3d second = area * depth * c * c.transpose();
        for (int k = 0; k < 3; ++k) second(k, k) += area * depth * d[k] * d[k] / 12;
        EXPECT_NEAR(a.volume, area * depth, 1e-14);
        EXPECT_LT((a.first - area * depth * c).norm(), 1e-13);
        EXPECT_LT((a.second - second).norm(), 1e-12);
        // At the top the plane lies in the face, which is dry: the section is what is cut below it.
        EXPECT_NEAR(part.section[0], area, 1e-14);
        for (const double q : part.section) EXPECT_TRUE(std::isfinite(q));
      }
    }
  }
}

TEST(HalfSpaceMesh, BoxClosedForms) {
  const Box<double> box{Vec3d(0.4, 0.3, 0.2)};
  const Pose<double> X_WJ;
  Pose<double> X_WI;
  X_WI.p_WB.z() = 0.1 - 0.03;
  auto o = calc_overlap(box, X_WI, HalfSpace{}, X_WJ);
  EXPECT_NEAR(o.volume, 0.4 * 0.3 * 0.03, 1e-17);
  EXPECT_LT((o.p_WC - Vec3d(0, 0, -0.015)).norm(), 1e-16);
  EXPECT_NEAR(o.plane_offset, 0.015, 1e-16);
  EXPECT_NEAR(o.potential, 0.4 * 0.3 * 0.03 * 0.03 / 2, 1e-18);
  EXPECT_NEAR(o.M_W.xx, o.volume * 0.4 * 0.4 / 12, 1e-18);
  EXPECT_NEAR(o.M_W.zz, o.volume * 0.03 * 0.03 / 12, 1e-18);

  // A corner: the tetrahedron cut off has legs depth / n_k.
  const Vec3d n = Vec3d(1, 2, 2) / 3;
  X_WI.R_WB = Eigen::Quaterniond::FromTwoVectors(n, Vec3d::UnitZ()).toRotationMatrix();
  press(box, 0.01, X_WJ, &X_WI);
  o = calc_overlap(box, X_WI, HalfSpace{}, X_WJ);
  EXPECT_NEAR(o.volume, 1e-6 / (6 * n.prod()), 1e-18);
  EXPECT_NEAR(o.plane_offset, 0.01 / 4, 1e-15);

  // Wholly under: the box itself, wherever the plane is.
  X_WI.p_WB = Vec3d(1, 2, -7);
  o = calc_overlap(box, X_WI, HalfSpace{}, X_WJ);
  EXPECT_NEAR(o.volume, 0.024, 1e-16);
  EXPECT_LT((o.p_WC - X_WI.p_WB).norm(), 1e-14);
  EXPECT_NEAR(o.plane_offset, 7, 1e-13);

  // Apart: the middle of the gap.
  X_WI.R_WB = Mat3d::Identity();
  X_WI.p_WB = Vec3d(0, 0, 0.6);
  o = calc_overlap(box, X_WI, HalfSpace{}, X_WJ);
  EXPECT_EQ(o.volume, 0);
  EXPECT_NEAR(o.distance, 0.5, 1e-15);
  EXPECT_NEAR(o.p_WC.z(), 0.25, 1e-15);
  EXPECT_NEAR(o.plane_offset, -0.25, 1e-15);
}

TEST(HalfSpaceMesh, EllipsoidMeshConvergesToTheEllipsoidWithTheSecondOrder) {
  std::mt19937_64 random(14);
  const Ellipsoid<double> ellipsoid{Vec3d(0.05, 0.03, 0.02)};
  Pose<double> X_WI = random_pose(random, 0.1);
  const Pose<double> X_WJ = random_pose(random, 0.1);
  press(ellipsoid, 0.012, X_WJ, &X_WI);
  const auto exact = calc_overlap(ellipsoid, X_WI, HalfSpace{}, X_WJ);
  double last_volume = 0, last_M = 0;
  for (int n : {16, 32, 64}) {
    const auto o = calc_overlap(test::as_shape(test::make_ellipsoid_mesh(ellipsoid.radii, n)), X_WI,
                                HalfSpace{}, X_WJ);
    const double volume = std::abs(o.volume / exact.volume - 1);
    const double M = (o.M_W.matrix() - exact.M_W.matrix()).norm() / exact.M_W.matrix().norm();
    if (n > 16) {
      EXPECT_NEAR(last_volume / volume, 4, 0.4);
      EXPECT_NEAR(last_M / M, 4, 0.4);
    }
    last_volume = volume;
    last_M = M;
  }
  EXPECT_LT(last_volume, 2e-3);
}

// ---- Derivatives

std::vector<double> as_list(const Overlap<double>& o) {
  return {o.distance, o.volume,  o.p_WC.x(),     o.p_WC.y(), o.p_WC.z(), o.M_W.xx,
          o.M_W.yy,   o.M_W.zz,  o.M_W.xy,       o.M_W.xz,   o.M_W.yz,   o.n_W.x(),
          o.n_W.y(),  o.n_W.z(), o.plane_offset, o.potential};
}
template <class T>
std::vector<T> as_list(const Overlap<T>& o) {
  return {o.distance, o.volume,  o.p_WC.x(),     o.p_WC.y(), o.p_WC.z(), o.M_W.xx,
          o.M_W.yy,   o.M_W.zz,  o.M_W.xy,       o.M_W.xz,   o.M_W.yz,   o.n_W.x(),
          o.n_W.y(),  o.n_W.z(), o.plane_offset, o.potential};
}

Pose<double> moved(const Pose<double>& X, int direction, double step) {
  Pose<double> Y = X;
  if (direction < 3) {
    Y.p_WB[direction] += step;
  } else {
    Y.R_WB =
        as_rotation(quaternion_from_rotation_vector(step * Vec3d(Vec3d::Unit(direction - 3)))) *
        X.R_WB;
  }
  return Y;
}

// Entry by entry against central differences, relative to the largest derivative of that output.
template <class S, class S12>
void expect_derivatives(const S& shape, const S12& shape_dual, const Pose<double>& X_WI,
                        const Pose<double>& X_WJ) {
  for (const bool of_j : {false, true}) {
    const Motion<Dual<12>> seeded = seed_motion({of_j ? X_WJ : X_WI, {}});
    const auto other = cast_pose<Dual<12>>(of_j ? X_WI : X_WJ);
    const auto dual = as_list(of_j ? calc_overlap(shape_dual, other, HalfSpace{}, seeded.X_WB)
                                   : calc_overlap(shape_dual, seeded.X_WB, HalfSpace{}, other));
    const auto fixed = as_list(of_j ? calc_overlap(shape, X_WI, HalfSpace{}, seeded.X_WB)
                                    : calc_overlap(shape, seeded.X_WB, HalfSpace{}, X_WJ));
    const auto plain = as_list(calc_overlap(shape, X_WI, HalfSpace{}, X_WJ));
    const double step = 1e-6;
    std::vector<double> largest(plain.size(), 0.0);
    std::vector<std::vector<double>> difference(6);
    for (int d = 0; d < 6; ++d) {
      const auto at = [&](double s) {
        return as_list(of_j ? calc_overlap(shape, X_WI, HalfSpace{}, moved(X_WJ, d, s))
                            : calc_overlap(shape, moved(X_WI, d, s), HalfSpace{}, X_WJ));
      };
      const auto p1 = at(step), m1 = at(-step), p2 = at(2 * step), m2 = at(-2 * step);
      for (std::size_t k = 0; k < plain.size(); ++k) {
        difference[d].push_back((8 * (p1[k] - m1[k]) - (p2[k] - m2[k])) / (12 * step));
        largest[k] = std::max(largest[k], std::abs(difference[d][k]));
      }
    }
    for (std::size_t k = 0; k < plain.size(); ++k) {
      EXPECT_EQ(dual[k].a, plain[k]);
      EXPECT_EQ(fixed[k].a, plain[k]);
      for (int d = 0; d < 12; ++d) EXPECT_NEAR(fixed[k].v[d], dual[k].v[d], 1e-14);
      for (int d = 0; d < 6; ++d) {
        // Rounding of the difference: 1e-16 / 1e-6 of outputs of order 1e-3 to 1.
        EXPECT_NEAR(dual[k].v[d], difference[d][k], 1e-6 * largest[k] + 1e-10)
            << "output " << k << " direction " << d << (of_j ? " of j" : " of i");
      }
    }
  }
}

TEST(HalfSpaceMesh, DerivativesMatchDifferencesForMeshesAndBoxes) {
  std::mt19937_64 random(15);
  const auto l = test::as_shape(test::make_l_shape());
  const Box<double> box{Vec3d(0.7, 1.1, 1.6)};
  const Box<Dual<12>> box_dual{box.size.cast<Dual<12>>()};
  for (double depth : {-0.3, 0.05, 0.4, 1.0, 5.0}) {
    Pose<double> X_WI = random_pose(random, 1);
    const Pose<double> X_WJ = random_pose(random, 1);
    press(l, depth, X_WJ, &X_WI);
    expect_derivatives(l, l, X_WI, X_WJ);
    press(box, depth, X_WJ, &X_WI);
    expect_derivatives(box, box_dual, X_WI, X_WJ);
  }
}

TEST(HalfSpaceMesh, CeresJetsGiveTheSameDerivatives) {
  using Jet = ceres::Jet<double, 3>;
  std::mt19937_64 random(21);
  const auto shape = test::as_shape(test::make_l_shape());
  Pose<double> X_WI = random_pose(random, 1);
  const Pose<double> X_WJ = random_pose(random, 1);
  press(shape, 0.4, X_WJ, &X_WI);
  auto X_jet = cast_pose<Jet>(X_WI);
  auto X_dual = cast_pose<Dual<3>>(X_WI);
  for (int k = 0; k < 3; ++k) X_jet.p_WB[k].v[k] = X_dual.p_WB[k].v[k] = 1;
  const auto jet = as_list(calc_overlap(shape, X_jet, HalfSpace{}, cast_pose<Jet>(X_WJ)));
  const auto dual = as_list(calc_overlap(shape, X_dual, HalfSpace{}, cast_pose<Dual<3>>(X_WJ)));
  for (std::size_t k = 0; k < jet.size(); ++k) {
    EXPECT_EQ(jet[k].a, dual[k].a);
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(jet[k].v[d], dual[k].v[d], 1e-14);
  }
}

TEST(HalfSpaceMesh, DerivativesByTheSizeOfABoxMatchDifferences) {
  std::mt19937_64 random(16);
  for (double depth : {-0.3, 0.2, 0.9, 5.0}) {
    const Vec3d size(0.7, 1.1, 1.6);
    Pose<double> X_WI = random_pose(random, 1);
    const Pose<double> X_WJ = random_pose(random, 1);
    press(Box<double>{size}, depth, X_WJ, &X_WI);
    Box<Dual<3>> dual_box;
    for (int k = 0; k < 3; ++k) dual_box.size[k] = Dual<3>::variable(size[k], k);
    const auto dual = as_list(
        calc_overlap(dual_box, cast_pose<Dual<3>>(X_WI), HalfSpace{}, cast_pose<Dual<3>>(X_WJ)));
    for (int d = 0; d < 3; ++d) {
      const auto at = [&](double s) {
        return as_list(
            calc_overlap(Box<double>{size + s * Vec3d::Unit(d)}, X_WI, HalfSpace{}, X_WJ));
      };
      const auto plus = at(1e-5), minus = at(-1e-5);
      for (std::size_t k = 0; k < dual.size(); ++k) {
        EXPECT_NEAR(dual[k].v[d], (plus[k] - minus[k]) / 2e-5, 1e-9) << k << " by size " << d;
      }
    }
  }
}

TEST(HalfSpaceMesh, RaisingTheBodyLosesTheSectionAndThePotentialsSlopeIsTheVolume) {
  std::mt19937_64 random(17);
  const std::vector<MeshShape> shapes = {
      test::as_shape(test::make_l_shape()), test::as_shape(test::make_torus(1, 0.4, 24, 12)),
      test::as_shape(test::make_random_hull(random, 60, Vec3d(1, 1, 1)))};
  for (int trial = 0; trial < 60; ++trial) {
    const auto& shape = shapes[trial % 3];
    Pose<double> X_WI = random_pose(random, 1);
    const Pose<double> X_WJ = random_pose(random, 1);
    press(shape, test::random_log_between(random, 1e-3, 2), X_WJ, &X_WI);
    const auto o =
        calc_overlap(shape, seed_motion({X_WI, {}}).X_WB, HalfSpace{}, cast_pose<Dual<12>>(X_WJ));
    const auto figures = calc_patch_figures(shape, X_WI, HalfSpace{}, X_WJ);
    const Vec3d n = X_WJ.R_WB.col(2);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(o.volume.v[k], -figures.section_area * n[k], 1e-12);
      EXPECT_NEAR(o.potential.v[k], -o.volume.a * n[k], 1e-12);
    }
  }
}

TEST(HalfSpaceMesh, AMeshOfABoxIsTheBox) {
  std::mt19937_64 random(18);
  const Box<double> box{Vec3d(0.3, 0.2, 0.1)};
  const auto mesh = test::as_shape(make_convex_hull(test::box_corners(box.size), "box"));
  for (int k = 0; k < 100; ++k) {
    Pose<double> X_WI = random_pose(random, 0.1);
    const Pose<double> X_WJ = random_pose(random, 0.1);
    press(box, test::random_between(random, -0.1, 0.4), X_WJ, &X_WI);
    const auto a = as_list(calc_overlap(box, X_WI, HalfSpace{}, X_WJ));
    const auto b = as_list(calc_overlap(mesh, X_WI, HalfSpace{}, X_WJ));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-14);
    const auto f = calc_patch_figures(box, X_WI, HalfSpace{}, X_WJ);
    const auto g = calc_patch_figures(mesh, X_WI, HalfSpace{}, X_WJ);
    EXPECT_NEAR(f.section_area, g.section_area, 1e-14);
    EXPECT_NEAR(f.shadow_area, g.shadow_area, 1e-14);
    EXPECT_NEAR(f.max_depth, g.max_depth, 1e-10);
    EXPECT_EQ(f.has_section, g.has_section);
  }
}

// ---- Depth field and figures

struct Columns {
  std::vector<double> depth;
  double cell, sum = 0, covered = 0, longest = 0;
};

template <class S>
Columns calc_columns(const S& shape, const Pose<double>& X_WI, const Pose<double>& X_WJ, int n) {
  Vec3d u, v;
  make_basis<double>(X_WJ.R_WB.col(2), &u, &v);
  const auto b = calc_shadow_bounds(shape, X_WI, HalfSpace{}, X_WJ, X_WJ.p_WB, u, v);
  const double du = (b.u_max - b.u_min) / n, dv = (b.v_max - b.v_min) / n;
  Columns c;
  sample_columns(shape, X_WI, HalfSpace{}, X_WJ, X_WJ.p_WB, u, v, b.u_min, b.v_min, du, dv, n, n,
                 &c.depth);
  c.cell = du * dv;
  for (double f : c.depth) {
    c.sum += f * c.cell;
    c.covered += f > 0 ? c.cell : 0;
    c.longest = std::max(c.longest, f);
  }
  return c;
}

TEST(HalfSpaceMesh, ColumnsAddUpToTheVolumeAndFiguresMatchThem) {
  std::mt19937_64 random(19);
  const std::vector<MeshShape> shapes = {
      test::as_shape(test::make_l_shape()), test::as_shape(test::make_torus(1, 0.4, 48, 24)),
      test::as_shape(test::make_random_hull(random, 60, Vec3d(1, 1, 1))),
      test::as_shape(test::make_random_hull(random, 9, Vec3d(1, 1, 0.2)))};
  for (int trial = 0; trial < 80; ++trial) {
    const auto& shape = shapes[trial % 4];
    Pose<double> X_WI = random_pose(random, 1);
    const Pose<double> X_WJ = random_pose(random, 1);
    press(shape, test::random_log_between(random, 0.05, 3), X_WJ, &X_WI);
    const auto o = calc_overlap(shape, X_WI, HalfSpace{}, X_WJ);
    const auto figures = calc_patch_figures(shape, X_WI, HalfSpace{}, X_WJ);
    const auto c = calc_columns(shape, X_WI, X_WJ, 700);
    const double sum = std::abs(c.sum / o.volume - 1);
    const double shadow = std::abs(c.covered / figures.shadow_area - 1);
    const double longest = figures.max_depth / c.longest - 1;
    EXPECT_LT(sum, 5e-5) << trial;  // midpoint rule on 700 x 700; measured 1e-5
    EXPECT_LT(shadow, 5e-3)
        << trial;  // cells cut by the rim: 1/700 of the width each side; measured 1.5e-3
    EXPECT_GT(longest, -2e-2)
        << trial;                       // no sampled column is longer (a lower bound if not convex)
    EXPECT_LT(longest, 1e-2) << trial;  // steepness times the cell's size; measured 3e-3
    EXPECT_LE(figures.max_depth, -o.distance * (1 + 1e-12));
  }
}

TEST(HalfSpaceMesh, PointsOnEdgesBelongToOneTriangle) {
  // Cell centres on the diagonals, sides and corners of the faces of an upright box.
  const Box<double> box{Vec3d(1, 1, 1)};
  Pose<double> X_WI;
  X_WI.p_WB.z() = 0.25;  // depth 0.25
  const Pose<double> X_WJ;
  for (const double shift : {0.0, 0.0625}) {
    std::vector<double> depth;
    const Vec3d v = shift == 0 ? Vec3d::UnitY() : Vec3d(-Vec3d::UnitY());  // left-handed as well
    sample_columns(box, X_WI, HalfSpace{}, X_WJ, Vec3d::Zero(), Vec3d::UnitX(), v, -1 + shift,
                   -1 + shift, 0.125, 0.125, 16, 16, &depth);
    double sum = 0;
    for (double f : depth) {
      EXPECT_TRUE(std::abs(f) < 1e-16 || std::abs(f - 0.25) < 1e-15) << f;
      sum += f;
    }
    EXPECT_NEAR(sum * 0.125 * 0.125, 0.25, 1e-14);
  }
}

TEST(HalfSpaceMesh, FullyImmersedColumnsAndBigDepths) {
  const auto l = test::as_shape(test::make_l_shape());
  Pose<double> X_WI;
  X_WI.p_WB.z() = -10;
  const auto figures = calc_patch_figures(l, X_WI, HalfSpace{}, Pose<double>{});
  EXPECT_FALSE(figures.has_section);
  EXPECT_EQ(figures.section_area, 0);
  EXPECT_NEAR(figures.shadow_area, 3, 3e-3);
  EXPECT_NEAR(figures.max_depth, 1, 1e-12);
  X_WI.p_WB.z() = 0.5;
  EXPECT_EQ(calc_patch_figures(l, X_WI, HalfSpace{}, Pose<double>{}).shadow_area, 0);
}

TEST(HalfSpaceMesh, LongestColumnOfATiltedSlabIsItsThicknessAlongTheNormal) {
  // A slab of thickness t tilted by 30 degrees, deep: no column is longer than t / cos 30.
  const Box<double> slab{Vec3d(2, 2, 0.1)};
  Pose<double> X_WI;
  X_WI.R_WB = as_rotation(quaternion_from_rotation_vector(Vec3d(kPi / 6, 0, 0)));
  const auto figures = calc_patch_figures(slab, X_WI, HalfSpace{}, Pose<double>{});
  EXPECT_NEAR(figures.max_depth, 0.1 / std::cos(kPi / 6), 1e-9);
  EXPECT_NEAR(figures.section_area, 2 * 0.1 / std::sin(kPi / 6), 1e-12);
}

// A face that lies in the plane to rounding must not throw the centroid about.
TEST(HalfSpaceMesh, CentroidStaysInTheBodyInTheFaintestTouch) {
  std::mt19937_64 random(20);
  for (int trial = 0; trial < 2000; ++trial) {
    const Mat3d R = test::random_rotation(random);
    auto corners = test::box_corners(Vec3d(1, 0.8, 0.3));
    for (Vec3d& p : corners) p = R * p;
    const auto shape = test::as_shape(make_convex_hull(corners, "box"));
    Pose<double> X_WI = random_pose(random, 0.1);
    X_WI.R_WB = R.transpose();
    press(shape, test::random_log_between(random, 1e-18, 1e-12), Pose<double>{}, &X_WI);
    const auto o = calc_overlap(shape, X_WI, HalfSpace{}, Pose<double>{});
    EXPECT_LT((o.p_WC - X_WI.p_WB).norm(), 0.8);
    EXPECT_GE(o.volume, 0);
    EXPECT_TRUE(std::isfinite(o.M_W.trace()));
  }
}

}  // namespace
}  // namespace vesica::half_space_mesh_test
