#include "vesica/markers/parameter_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/math/linear_algebra.h"

namespace vesica::markers {
namespace {

constexpr double kAtBound = 1e-12;
// Relations have coefficients of order one; rows that differ by less are the same.
constexpr double kRelationRank = 1e-10;
// Far above kUndetermined: no eigenvalue needs to be looked at.
constexpr double kSurelyDetermined = 1e-8;

bool is_related(const Model& model, int parameter) {
  for (const ParameterRelation& relation : model.relations) {
    for (const auto& term : relation.terms) {
      if (term.first == parameter) return true;
    }
  }
  return false;
}

// Rows of T_d, then one row a fixed parameter; right-hand side: the wanted step.
struct Equalities {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
};
Equalities make_equalities(const Model& model, const Eigen::VectorXd& d,
                           const std::vector<std::pair<int, double>>& fixed) {
  const auto rows = static_cast<Eigen::Index>(model.relations.size() + fixed.size());
  Equalities out{Eigen::MatrixXd::Zero(rows, d.size()), Eigen::VectorXd::Zero(rows)};
  Eigen::Index row = 0;
  for (const ParameterRelation& relation : model.relations) {
    double value = relation.value;
    for (const auto& [k, c] : relation.terms) {
      out.A(row, k) += c;
      value -= c * d[k];
    }
    out.b[row++] = value;
  }
  for (const auto& [k, step] : fixed) {
    out.A(row, k) = 1;
    out.b[row++] = step;
  }
  return out;
}

// The step that minimises 1/2 x' R x + r' x by the eigenvectors of R scaled to unit diagonal:
// negative curvature is turned around, none is not moved along; both are counted in `out`.
Eigen::VectorXd minimise(const Eigen::MatrixXd& R, const Eigen::VectorXd& r, ParameterStep& out) {
  out.negative = out.undetermined = 0;
  if (R.rows() == 0) return r;
  const double top = R.diagonal().cwiseAbs().maxCoeff();
  const Eigen::VectorXd scale =
      R.diagonal().cwiseAbs().cwiseMax(1e-14 * top + 1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * R * scale.asDiagonal();
  const PositiveSolution solution = solve_positive(scaled, scale.cwiseProduct(r));
  if (solution.least_eigenvalue > kSurelyDetermined) return -scale.cwiseProduct(solution.x);
  const SymmetricEigen eigen = calc_eigen(scaled);
  Eigen::VectorXd y = eigen.vectors.transpose() * scale.cwiseProduct(r);
  for (Eigen::Index k = 0; k < y.size(); ++k) {
    const double value = eigen.values[k];
    if (std::abs(value) <= kUndetermined) {
      y[k] = 0;
      ++out.undetermined;
    } else {
      if (value < 0) ++out.negative;
      y[k] /= -std::abs(value);
    }
  }
  return scale.cwiseProduct(eigen.vectors * y);
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
  while (true) {
    const Equalities e = make_equalities(model, d, fixed);
    const RowSpace rows = decompose_rows(e.A, kRelationRank);
    const Eigen::MatrixXd& Z = rows.null_space;
    const Eigen::VectorXd particular = rows.pseudo_inverse * e.b;
    out.dd = particular + Z * minimise(multiply_transposed(Z, multiply(S, Z)),
                                       Z.transpose() * (gradient + S * particular), out);
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
  const Eigen::MatrixXd Z =
      decompose_rows(make_equalities(model, d, fixed).A, kRelationRank).null_space;
  out.kkt = Z * (Z.transpose() * L_d);
  return out;
}

Eigen::MatrixXd calc_free_directions(const Model& model, std::vector<std::string>* redundant) {
  const Equalities e = make_equalities(model, Eigen::VectorXd::Zero(model.parameter_count()), {});
  const RowSpace rows = decompose_rows(e.A, kRelationRank);
  if (e.A.rows() == 0) return rows.null_space;
  const Eigen::VectorXd miss = e.A * (rows.pseudo_inverse * e.b) - e.b;
  Eigen::Index row = 0;
  if (miss.cwiseAbs().maxCoeff(&row) > 1e-9 * (1 + e.b.cwiseAbs().maxCoeff())) {
    throw InputError(fmt::format(
        "relation '{}' contradicts the other relations among the parameters (they miss it by "
        "{:.3g}); remove one of them",
        model.relations[row].name, miss[row]));
  }
  if (redundant) {
    for (int k : find_dependent_rows(e.A, kRelationRank))
      redundant->push_back(model.relations[k].name);
  }
  return rows.null_space;
}

Eigen::VectorXd project_parameters(const Model& model, const Eigen::VectorXd& d) {
  Eigen::VectorXd out = d;
  for (int round = 0; round < 50; ++round) {
    const Equalities e = make_equalities(model, out, {});
    out += decompose_rows(e.A, kRelationRank).pseudo_inverse * e.b;
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
