#include "vesica/simulation/equilibrium.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/math/linear_algebra.h"
#include "vesica/simulation/recording.h"

namespace vesica {
namespace {

constexpr int kDirections = 12;
using D = Dual<kDirections>;
constexpr double kResidual = 1e-11;
constexpr int kMaxIterations = 200;
constexpr int kMaxHalvings = 30;

// Generalised forces at rest, in any scalar; `rates` is scratch of the state's size.
template <class T>
void calc_forces_at_rest(const System<double>& system, const T* y, const Memory<T>& memory,
                         T* rates, Evaluation<T>* data, const std::vector<T>& zeros, T* forces) {
  system.calc_rates(0, y, memory, rates, data);
  const Tree<double>& tree = system.scene().tree;
  calc_inverse_dynamics(tree, data->wrenches, zeros.data(), forces,
                        static_cast<TreeData<T>*>(data));
  for (int k = 0; k < tree.nu(); ++k) {
    forces[k] = data->tau[static_cast<size_t>(k)] - forces[k];
  }
}

}  // namespace

EquilibriumResult find_equilibrium(const System<double>& system, const std::vector<int>& locked,
                                   std::vector<double>* y) {
  const Tree<double>& tree = system.scene().tree;
  const int n = tree.nu(), nq = tree.nq(), size = system.layout().size();
  EquilibriumResult result;
  if (!system.scene().loops.empty()) {
    result.message = "an equilibrium with loops is not available; use stiff bushings instead";
    return result;
  }
  std::vector<int> open;  // speeds that may move
  for (int k = 0; k < n; ++k) {
    if (std::find(locked.begin(), locked.end(), k) == locked.end()) open.push_back(k);
  }
  double weight = 0;
  for (const auto& body : system.scene().bodies) {
    if (body.is_free) weight += body.inertia.mass * std::max(1.0, system.scene().gravity.norm());
  }

  std::fill(y->begin() + nq, y->begin() + nq + n, 0.0);
  auto plain = system.make_evaluation<double>();
  auto data = system.make_evaluation<D>();
  State<double> seen = system.make_initial_state();
  Memory<D> memory;
  std::vector<ContactChange> unused;
  const std::vector<double> plain_zeros(static_cast<size_t>(n), 0.0);
  const std::vector<D> zeros(static_cast<size_t>(n), D(0));
  std::vector<double> rates(static_cast<size_t>(size)), forces(static_cast<size_t>(n));
  std::vector<D> x(static_cast<size_t>(size)), dual_rates(x.size()), dual_forces(zeros);
  std::vector<double> direction(static_cast<size_t>(n)), turned(static_cast<size_t>(nq));

  auto calc_residual = [&](const std::vector<double>& state) {
    seen.y = state;
    system.find_parts(&seen, &plain, &unused);
    calc_forces_at_rest(system, state.data(), seen.memory, rates.data(), &plain, plain_zeros,
                        forces.data());
    double worst = 0;
    for (int k : open) {
      const double f = std::abs(forces[static_cast<size_t>(k)]);
      if (!(f <= worst)) worst = f;
    }
    return worst / weight;
  };
  // q moved along speeds by `direction`; quaternions of unit length again.
  auto moved = [&](const std::vector<double>& state, double step) {
    calc_tree_coordinate_rates(tree, state.data(), direction.data(), turned.data());
    std::vector<double> next = state;
    for (int k = 0; k < nq; ++k) {
      next[static_cast<size_t>(k)] += step * turned[static_cast<size_t>(k)];
    }
    for (const auto& body : tree.bodies()) {
      const int place = quaternion_place(body.joint.type);
      if (body.nq == 0 || place < 0) continue;
      Eigen::Map<Eigen::Vector4d>(next.data() + body.q_start + place).normalize();
    }
    return next;
  };

  const auto count = static_cast<Eigen::Index>(open.size());
  Eigen::MatrixXd jacobian(count, count);
  Eigen::VectorXd right(count);
  result.residual = calc_residual(*y);
  for (; result.iterations < kMaxIterations && result.residual > kResidual; ++result.iterations) {
    for (size_t first = 0; first < open.size(); first += kDirections) {
      const size_t batch = std::min<size_t>(kDirections, open.size() - first);
      std::copy(y->begin(), y->end(), x.begin());
      for (size_t c = 0; c < batch; ++c) {
        std::fill(direction.begin(), direction.end(), 0.0);
        direction[static_cast<size_t>(open[first + c])] = 1;
        calc_tree_coordinate_rates(tree, y->data(), direction.data(), turned.data());
        for (int k = 0; k < nq; ++k) {
          x[static_cast<size_t>(k)].v[static_cast<int>(c)] = turned[static_cast<size_t>(k)];
        }
      }
      copy_memory(seen.memory, &memory);
      calc_forces_at_rest(system, x.data(), memory, dual_rates.data(), &data, zeros,
                          dual_forces.data());
      for (size_t c = 0; c < batch; ++c) {
        for (size_t r = 0; r < open.size(); ++r) {
          jacobian(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(first + c)) =
              dual_forces[static_cast<size_t>(open[r])].v[static_cast<int>(c)];
        }
      }
    }
    for (size_t r = 0; r < open.size(); ++r) {
      right[static_cast<Eigen::Index>(r)] = -forces[static_cast<size_t>(open[r])];
    }
    const Eigen::VectorXd step = solve_least_squares(jacobian, right);
    std::fill(direction.begin(), direction.end(), 0.0);
    for (size_t r = 0; r < open.size(); ++r) {
      direction[static_cast<size_t>(open[r])] = step[static_cast<Eigen::Index>(r)];
    }
    double factor = 1 / std::max(1.0, step.cwiseAbs().maxCoeff() / 0.5);  // half a metre or radian
    bool better = false;
    for (int k = 0; k < kMaxHalvings && !better; ++k, factor *= 0.5) {
      const std::vector<double> next = moved(*y, factor);
      const double residual = calc_residual(next);
      if (residual < result.residual) {
        *y = next;
        result.residual = residual;
        better = true;
      }
    }
    if (!better) break;
  }
  calc_residual(*y);
  // Forces of stiff contacts are differences of large numbers: what rounding leaves is at rest too.
  result.converged = result.residual <= 1e-8;
  if (!result.converged) {
    result.message = fmt::format(
        "no equilibrium found in {} iterations: a force of {:.2e} of the weight is left; start "
        "closer to rest, or lock the coordinates that nothing holds",
        result.iterations, result.residual);
  }
  return result;
}

std::vector<std::string> make_lock_names(const System<double>& system) {
  std::vector<std::string> names;
  for (size_t b = 0; b < system.scene().bodies.size(); ++b) {
    const auto& body = system.scene().bodies[b];
    const auto& link = system.scene().tree.bodies()[b];
    if (link.nu == 0) continue;
    for (const JointSpeed& speed : speeds_of(link.joint.type)) {
      names.push_back(
          fmt::format("{}{}{}", body.name, body.has_joint ? ".joint." : ".", speed.name));
    }
  }
  return names;
}

}  // namespace vesica
