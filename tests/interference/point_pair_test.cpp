// Point pairs against the nearest point of the surface found by search.
#include "vesica/interference/closed_form/point_pair.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "vesica/interference/pair.h"

namespace vesica::point_pair_test {
namespace {

// The nearest of many points of a surface, refined around the best.
template <class Surface>
double search_distance(const Surface& surface, const Vec3d& p, double a0, double a1, double b0,
                       double b1) {
  double best = 1e300, a_best = 0, b_best = 0;
  for (int round = 0; round < 14; ++round) {
    const double da = (a1 - a0) / 60, db = (b1 - b0) / 60;
    for (int k = 0; k <= 60; ++k) {
      for (int l = 0; l <= 60; ++l) {
        const double a = a0 + k * da, b = b0 + l * db, d = (surface(a, b) - p).norm();
        if (d < best) {
          best = d;
          a_best = a;
          b_best = b;
        }
      }
    }
    a0 = a_best - 3 * da, a1 = a_best + 3 * da, b0 = b_best - 3 * db, b1 = b_best + 3 * db;
  }
  return best;
}

template <class Surface>
void check(const PointPair<double>& pair, double radius, const Vec3d& p_J, std::mt19937_64& random,
           const Surface& surface, const std::array<double, 4>& range) {
  const Pose<double> X_WJ{test::random_rotation(random), test::random_vector(random, 1)};
  const Pose<double> X_WI{test::random_rotation(random), X_WJ * p_J};
  const auto o = calc_overlap(pair, X_WI, X_WJ);
  const double found = search_distance(surface, p_J, range[0], range[1], range[2], range[3]);
  EXPECT_NEAR(o.distance, found - radius, 1e-6);
  EXPECT_NEAR(o.n_W.norm(), 1, 1e-12);
  EXPECT_LT((o.p_WC - (X_WI.p_WB - radius * o.n_W)).norm(), 1e-12);
  EXPECT_EQ(o.volume, 0);
  // n is the gradient of the distance.
  for (int k = 0; k < 3; ++k) {
    const double h = 1e-7;
    auto moved = X_WI, back = X_WI;
    moved.p_WB[k] += h;
    back.p_WB[k] -= h;
    EXPECT_NEAR(
        (calc_overlap(pair, moved, X_WJ).distance - calc_overlap(pair, back, X_WJ).distance) /
            (2 * h),
        o.n_W[k], 1e-6);
  }
}

TEST(PointPair, IsTheNearestPointOfTheSurface) {
  std::mt19937_64 random(421);
  const double R = 0.03;
  for (int n = 0; n < 25; ++n) {
    const double r = 0.1;
    const Vec3d out =
        Vec3d(test::random_between(random, 0.11, 0.2), 0, test::random_between(random, -1, 1));
    const Mat3d turn =
        Eigen::AngleAxisd(test::random_between(random, 0, 6), Vec3d::UnitZ()).matrix();
    auto cylinder = [&](double a, double z) { return Vec3d(r * std::cos(a), r * std::sin(a), z); };
    check({Sphere<double>{R}, CylinderSurface<double>{r, false}}, R, turn * out, random, cylinder,
          {0, 2 * kPi, -1.5, 1.5});
    const Vec3d in(test::random_between(random, 0.02, 0.09), 0, out.z());
    check({Sphere<double>{R}, CylinderSurface<double>{r, true}}, R, turn * in, random, cylinder,
          {0, 2 * kPi, -1.5, 1.5});

    // A cone, its side and its apex.
    const double half = test::random_between(random, 0.3, 1.2);
    auto cone = [&](double a, double s) {
      s = std::abs(s);
      return Vec3d(s * std::sin(half) * std::cos(a), s * std::sin(half) * std::sin(a),
                   -s * std::cos(half));
    };
    const double s = test::random_between(random, 0.1, 0.5),
                 lift = test::random_between(random, 0.01, 0.1);
    const Vec3d beside(s * std::sin(half) + lift * std::cos(half), 0,
                       -s * std::cos(half) + lift * std::sin(half));
    check({Sphere<double>{R}, ConeSurface<double>{half}}, R, turn * beside, random, cone,
          {0, 2 * kPi, 0, 1});
    check({Sphere<double>{R}, ConeSurface<double>{half}}, R, Vec3d(0.002, 0.001, 0.05), random,
          cone, {0, 2 * kPi, 0, 1});

    // An edge: beside it on either face, and above it.
    const double angle = test::random_between(random, 0.4, 2.2);
    const Edge edge{Vec3d(0, 0, 1), Vec3d(std::sin(angle), 0, std::cos(angle))};
    auto faces = [&](double a, double y) {  // a < 0: face 1, a > 0: face 2
      return a < 0 ? Vec3d(a, y, 0) : Vec3d(a * std::cos(angle), y, -a * std::sin(angle));
    };
    const Vec3d middle = (edge.n_1 + edge.n_2).normalized() * 0.05;
    for (const Vec3d& p : {Vec3d(-0.2, 0.1, 0.02), Vec3d(middle + Vec3d(0, 0.3, 0)),
                           Vec3d(faces(0.3, -0.1) + 0.02 * edge.n_2)}) {
      check({Sphere<double>{R}, edge}, R, p, random, faces, {-1, 1, -1, 1});
    }
  }
}

TEST(PointPair, NormalTurnsSmoothlyOverAnEdgeAndDerivativesHold) {
  const Edge edge{Vec3d(0, 0, 1), Vec3d(1, 0, 0)};
  const PointPair<double> pair{Sphere<double>{0.05}, edge};
  Vec3d last(0, 0, 1);
  for (int k = 0; k <= 1000; ++k) {  // round the edge at a constant distance
    const double a = kPi / 2 * (k / 1000.0 * 1.2 - 0.1);
    Pose<double> X;
    X.p_WB = Vec3d(0.049 * std::sin(a), 0, 0.049 * std::cos(a));
    const auto o = calc_overlap(pair, X, Pose<double>{});
    EXPECT_LT((o.n_W - last).norm(), 0.004);
    last = o.n_W;
  }
  std::mt19937_64 random(422);
  const std::vector<PointPair<double>> pairs = {
      {Sphere<double>{0.05}, edge},
      {Sphere<double>{0.05}, CylinderSurface<double>{0.2, true}},
      {Sphere<double>{0.05}, ConeSurface<double>{0.7}},
      {Sphere<double>{0.05}, Sphere<double>{0.1}},
      {Ellipsoid<double>{Vec3d(0.05, 0.03, 0.02)}, HalfSpace{}}};
  for (const auto& p : pairs) {
    Motion<double> i;
    i.X_WB = {test::random_rotation(random), Vec3d(0.03, 0.04, 0.05)};
    const Motion<double> j;
    const auto exact = calc_overlap(p, seed_motion(i).X_WB, j.X_WB);
    for (int c = 0; c < 6; ++c) {
      const double h = 1e-6;
      auto at = [&](double step) {
        auto X = i.X_WB;
        const Vec3d e = step * Vec3d::Unit(c % 3);
        if (c < 3) X.p_WB += e;
        if (c >= 3) X.R_WB = as_rotation(quaternion_from_rotation_vector(e)) * X.R_WB;
        return calc_overlap(p, X, j.X_WB);
      };
      const auto plus = at(h), minus = at(-h);
      EXPECT_NEAR(exact.distance.v[c], (plus.distance - minus.distance) / (2 * h), 1e-8);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(exact.n_W[k].v[c], (plus.n_W[k] - minus.n_W[k]) / (2 * h), 1e-6);
        EXPECT_NEAR(exact.p_WC[k].v[c], (plus.p_WC[k] - minus.p_WC[k]) / (2 * h), 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace vesica::point_pair_test
