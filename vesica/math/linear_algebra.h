// Decompositions and products of dense matrices of a few dozen rows. Eigen's take seconds each to
// compile, so that they are compiled in linear_algebra.cpp and nowhere else.
#pragma once

#include <Eigen/Core>
#include <type_traits>
#include <vector>

#include "vesica/math/vector.h"

namespace vesica {

using Vec6d = Eigen::Matrix<double, 6, 1>;
using Mat6d = Eigen::Matrix<double, 6, 6>;

Eigen::MatrixXd multiply(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);             // A B
Eigen::MatrixXd multiply_transposed(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);  // A' B

template <int N = Eigen::Dynamic>
struct SymmetricEigen {
  Eigen::Matrix<double, N, 1> values;   // increasing
  Eigen::Matrix<double, N, N> vectors;  // columns, orthonormal
};
// calc_eigen<3>(A) without allocations, calc_eigen(A) for any size.
template <int N = Eigen::Dynamic>
SymmetricEigen<N> calc_eigen(const std::type_identity_t<Eigen::Matrix<double, N, N>>& symmetric);

// The rotation R that makes trace(R H) largest: with H the sum of a b^T, it turns points a onto
// points b with the least squares (Kabsch).
Mat3d calc_rotation(const Mat3d& H);

// For symmetric A, positive or negative semi-definite: A x = b (directions that A does not see stay
// zero), and the inverse (all infinite where A is singular to rounding).
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd invert_symmetric(const Eigen::MatrixXd& A);
// A x = b for symmetric A, where that is positive definite, in a tenth of the time that eigenvalues
// take.
struct PositiveSolution {
  Eigen::VectorXd x;
  // A lower bound, smaller at most by the number of rows; 0: not positive definite, and x is empty.
  double least_eigenvalue = 0;
};
PositiveSolution solve_positive(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
// The shortest X with the least |A X - B|.
Eigen::MatrixXd solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

// What the rows of A leave free, and how to meet them: x = pseudo_inverse b + null_space z solves
// A x = b in least squares for any z, with z = 0 the shortest such x.
struct RowSpace {
  Eigen::Index rank = 0;
  Eigen::MatrixXd null_space;      // columns, orthonormal
  Eigen::MatrixXd pseudo_inverse;  // A.cols() by A.rows()
};
// Pivots below `threshold` times the largest count as zero.
RowSpace decompose_rows(const Eigen::MatrixXd& A, double threshold);

// Rows of A that follow from the rows before them: what is left of a row outside of those is below
// `threshold` times the row.
std::vector<int> find_dependent_rows(const Eigen::MatrixXd& A, double threshold);

}  // namespace vesica
