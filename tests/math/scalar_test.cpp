// Dual numbers against Ceres' Jet and finite differences; packs against doubles.
#include <ceres/jet.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "vesica/math/jet.h"
#include "vesica/math/pack.h"
#include "vesica/math/smooth.h"
#include "vesica/math/symmetric.h"

namespace vesica::scalar_test {
namespace {

// Every operation and function of the type, in one expression.
template <class T>
T everything(const T& x, const T& y) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::exp, std::log,
      std::pow, std::sin, std::sqrt, std::tanh;
  T r = x * y + x / y - 2.0 * x + y * 3.0 - (1.0 - x) + (x + 0.5) / 4.0 + 7.0 / y;
  r += sqrt(x * x + 1.0) * exp(-y) + log(x + 3.0) - sin(x) * cos(y);
  r -= tanh(x - y) + atan(x * y) + atan2(y, x) + acos(x / 3.0) * asin(y / 4.0);
  r *= pow(x + 2.0, 1.7) + pow(y, x) + abs(-x);
  r /= y + 5.0;
  return -r;
}

TEST(Dual, AgreesWithCeresJetInEveryOperation) {
  using Jet = ceres::Jet<double, 2>;
  std::mt19937_64 random(1);
  for (int k = 0; k < 200; ++k) {
    const double x = test::random_between(random, 0.1, 1.5),
                 y = test::random_between(random, 0.2, 2);
    const auto dual = everything(Dual<2>::variable(x, 0), Dual<2>::variable(y, 1));
    const auto jet = everything(Jet(x, 0), Jet(y, 1));
    EXPECT_NEAR(dual.a, jet.a, 1e-14 * (1 + std::abs(jet.a)));
    EXPECT_NEAR(dual.v[0], jet.v[0], 1e-13 * (1 + jet.v.norm()));
    EXPECT_NEAR(dual.v[1], jet.v[1], 1e-13 * (1 + jet.v.norm()));
  }
}

TEST(Dual, MixesWithPlainMatrices) {
  const Mat3d A = Eigen::AngleAxisd(0.3, Vec3d(1, 2, 2) / 3).toRotationMatrix();
  Vec3<Dual<3>> x;
  for (int k = 0; k < 3; ++k) x[k] = Dual<3>::variable(k + 1.0, k);
  const Vec3<Dual<3>> y = A * x;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) EXPECT_EQ(y[r].v[c], A(r, c));
  }
}

TEST(Smooth, TanhRatioIsAccurateThroughItsCutoff) {
  for (double s : {0.0, 1e-12, 1e-6, 0.999e-3, 1.001e-3, 0.1, 1.0, 50.0, 1e6}) {
    const long double x = std::sqrt(static_cast<long double>(s));
    const long double exact = s == 0 ? 1 : std::tanh(x) / x;
    EXPECT_NEAR(tanh_ratio(s) / static_cast<double>(exact), 1, 4e-16) << s;
    const auto dual = tanh_ratio(Dual<4>::variable(s, 0));
    const long double t = std::tanh(x);
    const long double slope =
        s < 1e-5 ? -1.0L / 3 + 4 * s / 15 : (1 - t * t) / (2 * s) - t / (2 * s * x);
    // Just above the cutoff the quotient rule cancels: measured 2e-12.
    EXPECT_NEAR(dual.v[0], static_cast<double>(slope), 1e-11) << s;
  }
}

TEST(Smooth, TanhRatioByOneExponentialKeepsItsDigits) {
  // The difference from one loses most just above the cutoff: measured 1.8e-15 there.
  for (double s = 1e-3; s < 1e4; s *= 1.001) {
    const long double x = std::sqrt(static_cast<long double>(s));
    EXPECT_NEAR(static_cast<double>(tanh_ratio(s) * x / std::tanh(x)), 1, 3e-15) << s;
  }
}

TEST(Smooth, SlopeOfOneVariableReachesAllDerivatives) {
  const auto f = []<class S>(const S& s) { return S(1.0 / square(S(0.25 * s + 0.75))); };
  const Dual<2> x(0.3, Dual<2>::variable(0, 0).v + 2.0 * Dual<2>::variable(0, 1).v);
  const Dual<2> direct = f(x), chained = of_one_variable<double>(x, f);
  EXPECT_EQ(chained.a, direct.a);
  const double slope = -0.5 / std::pow(0.25 * 0.3 + 0.75, 3);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(chained.v[k], (k + 1) * slope, 1e-15);
    EXPECT_NEAR(direct.v[k], (k + 1) * slope, 1e-15);
  }
}

TEST(Pack, AgreesWithDoublesLaneByLane) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 2000; ++k) {
    Pack x;
    for (int lane = 0; lane < 4; ++lane) {
      x.set(lane, test::random_log_between(random, 1e-3, 60) * (lane % 2 ? -1 : 1));
    }
    const Pack t = tanh(x);
    const Pack r = tanh_ratio(Pack(x * x));
    for (int lane = 0; lane < 4; ++lane) {
      EXPECT_NEAR(t[lane], std::tanh(x[lane]), 1e-15);
      EXPECT_NEAR(r[lane] / tanh_ratio(x[lane] * x[lane]), 1, 2e-13);
    }
  }
}

TEST(Symmetric, FlatteningProjectsBothSides) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 100; ++k) {
    const Mat3d R = test::random_rotation(random);
    const Vec3d d = test::random_vector(random, 1).cwiseAbs();
    const auto M = Symmetric3<double>::rotated_diagonal(R, d);
    EXPECT_LT((M.matrix() - R * d.asDiagonal() * R.transpose()).norm(), 1e-15);
    const Vec3d n = test::random_rotation(random).col(1);
    const Mat3d T = Mat3d::Identity() - n * n.transpose();
    EXPECT_LT((flatten_along(M, n).matrix() - T * M.matrix() * T).norm(), 1e-14);
    Vec3d u, v;
    make_basis(n, &u, &v);
    Mat3d B;
    B << u, v, n;
    EXPECT_LT((B.transpose() * B - Mat3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(B.determinant(), 1, 1e-14);
  }
}

}  // namespace
}  // namespace vesica::scalar_test
