// Dense linear algebra on matrices of a few dozen rows, internal to markers/. Eigen's
// decompositions and products take seconds each to compile, so that they are compiled here and
// nowhere else.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace vesica::markers::detail {

Eigen::MatrixXd multiply(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);             // A B
Eigen::MatrixXd multiply_transposed(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);  // A' B

struct SymmetricEigen {
  Eigen::VectorXd values;   // increasing
  Eigen::MatrixXd vectors;  // columns, orthonormal
};
SymmetricEigen calc_eigen(const Eigen::MatrixXd& symmetric);

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

}  // namespace vesica::markers::detail
