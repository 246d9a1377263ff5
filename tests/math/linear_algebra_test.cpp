// Decompositions against what defines them.
#include "vesica/math/linear_algebra.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace vesica::linear_algebra_test {
namespace {

Eigen::MatrixXd random_matrix(std::mt19937_64& random, int rows, int columns) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd A(rows, columns);
  for (Eigen::Index k = 0; k < A.size(); ++k) A.data()[k] = normal(random);
  return A;
}

TEST(LinearAlgebra, EigenvectorsDiagonalise) {
  std::mt19937_64 random(1);
  for (const int n : {1, 2, 3, 6, 20}) {
    const Eigen::MatrixXd B = random_matrix(random, n, n), A = B + B.transpose();
    const auto [values, vectors] = calc_eigen(A);
    EXPECT_LT((A * vectors - vectors * values.asDiagonal()).norm(), 1e-13 * n * A.norm());
    EXPECT_LT((vectors.transpose() * vectors - Eigen::MatrixXd::Identity(n, n)).norm(), 1e-13 * n);
    if (n != 3) continue;
    EXPECT_LT((calc_eigen<3>(A).values - values).norm(), 1e-13 * A.norm());
  }
}

// The rotation that brings turned points back, also where they lie in a plane.
TEST(LinearAlgebra, RotationTurnsPointsOntoPoints) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 200; ++k) {
    const Mat3d R = test::random_rotation(random);
    Mat3d H = Mat3d::Zero();
    for (int p = 0; p < 4; ++p) {
      Vec3d a = test::random_vector(random, 1);
      if (k % 2 == 0) a.z() = 0;
      H += a * (R * a).transpose();
    }
    EXPECT_LT((calc_rotation(H) - R).norm(), 1e-6) << k;  // nearly collinear points lose digits
  }
}

TEST(LinearAlgebra, LeastSquaresIsShortestAndSquare) {
  std::mt19937_64 random(3);
  const Eigen::MatrixXd A = random_matrix(random, 7, 4), B = random_matrix(random, 7, 2);
  const Eigen::MatrixXd X = solve_least_squares(A, B);
  EXPECT_LT((A.transpose() * (A * X - B)).norm(), 1e-12);  // the residual is square to A
  // A column that is another's twin: the shortest answer shares between them.
  Eigen::MatrixXd twin(7, 5);
  twin << A, A.col(0);
  const Eigen::MatrixXd Y = solve_least_squares(twin, B);
  EXPECT_LT((Y.row(0) - Y.row(4)).norm(), 1e-12);
  EXPECT_LT((twin * Y - A * X).norm(), 1e-12);
}

TEST(LinearAlgebra, SymmetricSystems) {
  std::mt19937_64 random(4);
  const Eigen::MatrixXd B = random_matrix(random, 6, 6), A = B * B.transpose();
  const Eigen::VectorXd b = random_matrix(random, 6, 1);
  EXPECT_LT((A * solve_symmetric(A, b) - b).norm(), 1e-10);
  EXPECT_LT((A * invert_symmetric(A) - Eigen::MatrixXd::Identity(6, 6)).norm(), 1e-9);
  const Eigen::MatrixXd half = random_matrix(random, 6, 3);
  EXPECT_FALSE(invert_symmetric(half * half.transpose()).allFinite());  // nothing is known there
}

// The bound is what tells a matrix that is safely positive from one that is singular or indefinite.
TEST(LinearAlgebra, PositiveSystemsKnowTheirLeastEigenvalue) {
  std::mt19937_64 random(7);
  for (const int n : {1, 2, 6, 42}) {
    const Eigen::MatrixXd B = random_matrix(random, n, n), A = B * B.transpose();
    const Eigen::VectorXd b = random_matrix(random, n, 1);
    const double least = calc_eigen(A).values[0];
    const PositiveSolution found = solve_positive(A, b);
    EXPECT_LT((A * found.x - b).norm(), 1e-9 * A.norm() / least);
    EXPECT_LE(found.least_eigenvalue, least * (1 + 1e-6));
    EXPECT_GE(found.least_eigenvalue, least / n * (1 - 1e-6));
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(n, n);
    EXPECT_EQ(solve_positive(A - 1.5 * least * one, b).least_eigenvalue, 0);
    EXPECT_LT(solve_positive(A - least * one, b).least_eigenvalue, 1e-9 * A.norm());
  }
}

TEST(LinearAlgebra, SmallestTurnOfZ) {
  std::mt19937_64 random(5);
  for (int k = 0; k < 1000; ++k) {
    Vec3d n = test::random_vector(random, 1);
    if (k % 3 == 0) n = Vec3d(0, 0, k % 2 ? 1 : -1) + std::pow(10.0, -k % 170) * n;
    n.normalize();
    const Mat3d R = calc_turn_of_z(n);
    EXPECT_LT((R.transpose() * R - Mat3d::Identity()).norm(), 4e-15);
    EXPECT_LT((R.col(2) - n).norm(), 1e-15);
    // The axis is square to z and n, and the angle is that between them.
    EXPECT_NEAR(0.5 * (R.trace() - 1), n.z(), 2e-15);
  }
}

}  // namespace
}  // namespace vesica::linear_algebra_test
