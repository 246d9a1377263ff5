#include "vesica/multibody/loops.h"

#include <cmath>

namespace vesica {

bool assemble(const Tree<double>& tree, const std::vector<Loop<double>>& loops, double t, double* q,
              double* u, TreeData<double>* data, LoopData<double>* l, double* worst) {
  constexpr double kClosed = 1e-12;  // [m, rad]: rounding of poses a metre apart
  constexpr int kMaxIterations = 50;
  std::vector<double> change(static_cast<size_t>(tree.nu())), rates(static_cast<size_t>(tree.nq()));
  // Leaves M^-1 G^T lambda in `change`, with A lambda = l->right.
  auto calc_change = [&] {
    factor_tree(tree, data);
    calc_loop_jacobian(tree, *data, l);
    detail::calc_loop_compliance(tree, data, l);
    detail::solve_loop_multipliers(l);
    for (int k = 0; k < tree.nu(); ++k) {
      double sum = 0;
      for (size_t r = 0; r < l->rows.size(); ++r) {
        sum += l->X(k, static_cast<int>(r)) * l->lambda[r];
      }
      change[static_cast<size_t>(k)] = sum;
    }
  };
  *worst = 0;
  for (int iteration = 0;; ++iteration) {
    calc_tree_motions(tree, t, q, u, data);
    calc_loop_rows(loops, *data, l);
    *worst = 0;
    for (const auto& row : l->rows) {
      if (!(std::abs(row.error) <= *worst)) *worst = std::abs(row.error);
    }
    if (*worst < kClosed) break;
    if (iteration == kMaxIterations || !std::isfinite(*worst)) return false;
    for (size_t r = 0; r < l->rows.size(); ++r) l->right[r] = -l->rows[r].error;
    calc_change();
    calc_tree_coordinate_rates(tree, q, change.data(), rates.data());
    for (int k = 0; k < tree.nq(); ++k) q[k] += rates[static_cast<size_t>(k)];
    for (const auto& body : tree.bodies()) {
      const int place = quaternion_place(body.joint.type);
      if (body.nq == 0 || place < 0) continue;
      Eigen::Map<Eigen::Vector4d>(q + body.q_start + place).normalize();
    }
  }
  for (size_t r = 0; r < l->rows.size(); ++r) l->right[r] = -l->rows[r].rate;
  calc_change();
  for (int k = 0; k < tree.nu(); ++k) u[k] += change[static_cast<size_t>(k)];
  calc_tree_motions(tree, t, q, u, data);
  return true;
}

}  // namespace vesica
