#include "vesica/markers/linear_algebra.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace vesica::markers::detail {

Eigen::MatrixXd multiply(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) { return A * B; }
Eigen::MatrixXd multiply_transposed(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.transpose() * B;
}

SymmetricEigen calc_eigen(const Eigen::MatrixXd& symmetric) {
  if (symmetric.size() == 0) return {Eigen::VectorXd(), symmetric};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(symmetric);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
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

}  // namespace vesica::markers::detail
