#include "vesica/markers/parameter_step.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "vesica/error.h"

namespace vesica::markers {
namespace {

constexpr double kAtBound = 1e-12;

bool is_related(const Model& model, int parameter) {
  for (const ParameterRelation& relation : model.relations) {
    for (const auto& term : relation.terms) {
      if (term.first == parameter) return true;
    }
  }
  return false;
}

// Rows of T_d, then one row a fixed parameter; right-hand side: the wanted step.
void make_equalities(const Model& model, const Eigen::VectorXd& d,
                     const std::vector<std::pair<int, double>>& fixed, Eigen::MatrixXd* A,
                     Eigen::VectorXd* b) {
  const auto rows = static_cast<Eigen::Index>(model.relations.size() + fixed.size());
  A->setZero(rows, d.size());
  b->setZero(rows);
  Eigen::Index row = 0;
  for (const ParameterRelation& relation : model.relations) {
    double value = relation.value;
    for (const auto& [k, c] : relation.terms) {
      (*A)(row, k) += c;
      value -= c * d[k];
    }
    (*b)[row++] = value;
  }
  for (const auto& [k, step] : fixed) {
    (*A)(row, k) = 1;
    (*b)[row++] = step;
  }
}

// Null space and minimum-norm solution of A x = b.
void solve_equalities(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, Eigen::MatrixXd* Z,
                      Eigen::VectorXd* x) {
  const Eigen::Index n = A.cols();
  if (A.rows() == 0) {
    *Z = Eigen::MatrixXd::Identity(n, n);
    *x = Eigen::VectorXd::Zero(n);
    return;
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.transpose());
  const Eigen::Index rank = qr.rank();
  const Eigen::MatrixXd Q = qr.householderQ();
  *Z = Q.rightCols(n - rank);
  *x = A.completeOrthogonalDecomposition().solve(b);
}

// The step that minimises 1/2 x' R x + r' x by the eigenvectors of R scaled to unit diagonal:
// negative curvature is turned around, none is not moved along; both are counted in `out`.
Eigen::VectorXd minimise(const Eigen::MatrixXd& R, const Eigen::VectorXd& r, ParameterStep& out) {
  out.negative = out.undetermined = 0;
  if (R.rows() == 0) return r;
  const double top = R.diagonal().cwiseAbs().maxCoeff();
  const Eigen::VectorXd scale =
      R.diagonal().cwiseAbs().cwiseMax(1e-14 * top + 1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      (scale.asDiagonal() * R * scale.asDiagonal()).eval());
  Eigen::VectorXd y = eigen.eigenvectors().transpose() * scale.cwiseProduct(r);
  for (Eigen::Index k = 0; k < y.size(); ++k) {
    const double value = eigen.eigenvalues()[k];
    if (std::abs(value) <= kUndetermined) {
      y[k] = 0;
      ++out.undetermined;
    } else {
      if (value < 0) ++out.negative;
      y[k] /= -std::abs(value);
    }
  }
  return scale.cwiseProduct(eigen.eigenvectors() * y);
}

}  // namespace

ParameterStep calc_parameter_step(const Model& model, const Eigen::VectorXd& d,
                                  const Eigen::MatrixXd& S, const Eigen::VectorXd& gradient,
                                  const Eigen::VectorXd& L_d) {
  ParameterStep out;
  const Eigen::Index n = d.size();
  out.dd = Eigen::VectorXd::Zero(n);
  out.kkt = Eigen::VectorXd::Zero(n);
  if (n == 0) return out;
  // Held by its bound from the start is what the gradient presses against it; where a relation
  // binds a parameter to others, its own gradient does not tell, the step below does.
  std::vector<std::pair<int, double>> fixed;  // parameter, step
  for (int k = 0; k < n; ++k) {
    const Parameter& p = model.parameters[k];
    if (is_related(model, k)) continue;
    const double reach = kAtBound * (1 + std::abs(d[k]));
    if ((d[k] <= p.lower + reach && gradient[k] > 0) ||
        (d[k] >= p.upper - reach && gradient[k] < 0)) {
      fixed.emplace_back(k, 0.0);
    }
  }
  Eigen::MatrixXd A, Z;
  Eigen::VectorXd b, particular;
  while (true) {
    make_equalities(model, d, fixed, &A, &b);
    solve_equalities(A, b, &Z, &particular);
    out.dd = particular +
             Z * minimise(Z.transpose() * S * Z, Z.transpose() * (gradient + S * particular), out);
    // The parameter that oversteps its bound most stops there, and the rest adapts.
    int worst = -1;
    double worst_by = 0;
    for (int k = 0; k < n; ++k) {
      const Parameter& p = model.parameters[k];
      const double over = std::max(p.lower - d[k] - out.dd[k], d[k] + out.dd[k] - p.upper);
      const bool already =
          std::any_of(fixed.begin(), fixed.end(), [&](const auto& f) { return f.first == k; });
      if (!already && over > worst_by + kAtBound) {
        worst = k;
        worst_by = over;
      }
    }
    if (worst < 0) break;
    const Parameter& p = model.parameters[worst];
    fixed.emplace_back(worst, (out.dd[worst] < 0 ? p.lower : p.upper) - d[worst]);
  }
  // Bounds that hold now, also those that a relation presses a parameter against.
  std::erase_if(fixed, [&](const auto& f) {
    return std::abs(f.second) > kAtBound * (1 + std::abs(d[f.first]));
  });
  make_equalities(model, d, fixed, &A, &b);
  solve_equalities(A, b, &Z, &particular);
  out.kkt = Z * (Z.transpose() * L_d);
  return out;
}

Eigen::MatrixXd calc_free_directions(const Model& model, std::vector<std::string>* redundant) {
  Eigen::MatrixXd A, Z;
  Eigen::VectorXd b, x;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.parameter_count());
  make_equalities(model, zero, {}, &A, &b);
  solve_equalities(A, b, &Z, &x);
  if (A.rows() > 0) {
    const Eigen::VectorXd miss = A * x - b;
    Eigen::Index row = 0;
    const double size = 1 + b.cwiseAbs().maxCoeff();
    if (miss.cwiseAbs().maxCoeff(&row) > 1e-9 * size) {
      throw InputError(fmt::format(
          "relation '{}' contradicts the other relations among the parameters (they miss it by "
          "{:.3g}); remove one of them",
          model.relations[row].name, miss[row]));
    }
    if (redundant) {
      const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.transpose());
      for (Eigen::Index k = qr.rank(); k < A.rows(); ++k) {
        redundant->push_back(model.relations[qr.colsPermutation().indices()[k]].name);
      }
    }
  }
  return Z;
}

Eigen::VectorXd project_parameters(const Model& model, const Eigen::VectorXd& d) {
  Eigen::VectorXd out = d;
  for (int round = 0; round < 50; ++round) {
    Eigen::MatrixXd A, Z;
    Eigen::VectorXd b, x;
    make_equalities(model, out, {}, &A, &b);
    solve_equalities(A, b, &Z, &x);
    out += x;
    bool inside = true;
    for (int k = 0; k < out.size(); ++k) {
      const Parameter& p = model.parameters[k];
      const double clamped = std::clamp(out[k], p.lower, p.upper);
      inside = inside && std::abs(clamped - out[k]) <= kAtBound;
      out[k] = clamped;
    }
    if (inside) return out;
  }
  throw InputError(
      "no values of the parameters meet both the relations and the bounds; widen the "
      "bounds or remove a relation");
}

}  // namespace vesica::markers
