#include "vesica/math/linear_algebra.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <limits>

namespace vesica {

Eigen::MatrixXd multiply(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) { return A * B; }
Eigen::MatrixXd multiply_transposed(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.transpose() * B;
}

template <int N>
SymmetricEigen<N> calc_eigen(const std::type_identity_t<Eigen::Matrix<double, N, N>>& symmetric) {
  if (symmetric.size() == 0) return {};
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, N, N>> eigen(symmetric);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}
template SymmetricEigen<3> calc_eigen<3>(const Mat3d&);
template SymmetricEigen<> calc_eigen<Eigen::Dynamic>(const Eigen::MatrixXd&);

Mat3d calc_rotation(const Mat3d& H) {
  const Eigen::JacobiSVD<Mat3d, Eigen::NoQRPreconditioner> svd(
      H, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Mat3d& U = svd.matrixU();
  const Mat3d& V = svd.matrixV();
  const double handed = (V * U.transpose()).determinant() < 0 ? -1.0 : 1.0;
  return V * Vec3d(1, 1, handed).asDiagonal() * U.transpose();
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.ldlt().solve(Eigen::MatrixXd(b));
}
Eigen::MatrixXd invert_symmetric(const Eigen::MatrixXd& A) {
  const auto factors = A.ldlt();
  const Eigen::VectorXd pivots = factors.vectorD().cwiseAbs();
  const double rounding = static_cast<double>(A.rows()) * std::numeric_limits<double>::epsilon();
  if (!(pivots.minCoeff() > rounding * pivots.maxCoeff())) {
    return Eigen::MatrixXd::Constant(A.rows(), A.cols(), kInfinity);
  }
  return factors.solve(Eigen::MatrixXd(Eigen::MatrixXd::Identity(A.rows(), A.cols())));
}
PositiveSolution solve_positive(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  const Eigen::LLT<Eigen::MatrixXd> factors(A);
  if (factors.info() != Eigen::Success) return {};
  // The trace of the inverse, a sum of inverse eigenvalues, is the squared norm of the factor's.
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(A.rows(), A.cols());
  factors.matrixL().solveInPlace(inverse);
  return {factors.solve(b), 1 / inverse.squaredNorm()};
}
Eigen::MatrixXd solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.completeOrthogonalDecomposition().solve(B);
}

RowSpace decompose_rows(const Eigen::MatrixXd& A, double threshold) {
  const Eigen::Index rows = A.rows(), columns = A.cols();
  if (A.size() == 0) {
    return {0, Eigen::MatrixXd::Identity(columns, columns), Eigen::MatrixXd::Zero(columns, rows)};
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> qr;
  qr.setThreshold(threshold);
  qr.compute(A);
  // A P = Q [T 0; 0 0] Z
  const Eigen::MatrixXd Z = qr.matrixZ().transpose();
  return {qr.rank(), qr.colsPermutation() * Z.rightCols(columns - qr.rank()), qr.pseudoInverse()};
}

std::vector<int> find_dependent_rows(const Eigen::MatrixXd& A, double threshold) {
  std::vector<int> dependent;
  std::vector<Eigen::VectorXd> basis;
  for (int row = 0; row < A.rows(); ++row) {
    Eigen::VectorXd v = A.row(row).transpose().normalized();
    for (int twice = 0; twice < 2; ++twice) {
      for (const Eigen::VectorXd& b : basis) v -= b.dot(v) * b;
    }
    if (v.norm() < threshold) {
      dependent.push_back(row);
    } else {
      basis.push_back(v.normalized());
    }
  }
  return dependent;
}

}  // namespace vesica
