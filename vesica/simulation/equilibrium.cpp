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
// Levenberg's weight, relative to the largest diagonal of J^T J: tried in this range.
constexpr double kLeastWeight = 1e-12, kMostWeight = 1e3, kWeightFactor = 10;
// Step of differences of exact gradients, which round at 1e-16: errs by 1e-10 of the curvature.
constexpr double kGradientStep = 1e-6;

// Held measures are led to their values in steps of at most this; on the way this is near enough.
constexpr double kTurningStep = 0.1, kMovingStep = 0.005, kOnTheWay = 1e-6;

// Forces at rest of one scene, and how they change with the pose.
class RestProblem {
 public:
  RestProblem(const System<double>& system, std::vector<int> open,
              const std::vector<HeldMeasure>& held)
      : system_(system),
        tree_(system.scene().tree),
        open_(std::move(open)),
        held_(held),
        targets_(held.size()),
        plain_(system.make_evaluation<double>()),
        data_(system.make_evaluation<D>()),
        seen_(system.make_initial_state()),
        rates_(static_cast<size_t>(system.layout().size())),
        forces_(static_cast<size_t>(tree_.nu())),
        dual_rates_(rates_.size()),
        dual_forces_(forces_.size()) {
    for (const auto& body : system.scene().bodies) {
      if (body.is_free) weight_ += body.inertia.mass * std::max(1.0, system.scene().gravity.norm());
    }
  }

  Eigen::Index unknowns() const { return static_cast<Eigen::Index>(open_.size() + held_.size()); }
  double weight() const { return weight_; }
  const std::vector<double>& holding() const { return holding_; }
  // Of the last pose that calc_residual has seen.
  std::vector<double> calc_measures() const {
    std::vector<double> values;
    for (size_t h = 0; h < held_.size(); ++h) values.push_back(calc_measure(h, plain_));
    return values;
  }
  // Held are values a part of the way from `begin`.
  void approach(const std::vector<double>& begin, double part) {
    for (size_t h = 0; h < held_.size(); ++h) {
      targets_[h] = part < 1 ? begin[h] + part * (held_[h].value - begin[h]) : held_[h].value;
    }
  }

  // Forces on open speeds, then what held measures miss (a radian or a metre counts as the weight).
  // The forces that hold measures are those that leave least.
  Eigen::VectorXd calc_residual(const std::vector<double>& y) {
    seen_.y = y;
    system_.find_parts(&seen_, &plain_, &unused_);
    calc_forces_at_rest(system_, y.data(), seen_.memory, rates_.data(), &plain_, forces_.data());
    const auto n = static_cast<Eigen::Index>(open_.size());
    Eigen::VectorXd r(unknowns());
    for (Eigen::Index k = 0; k < n; ++k) r[k] = forces_[at(open_[at(k)])];
    holding_.assign(held_.size(), 0.0);
    if (held_.empty()) return r;
    const Eigen::MatrixXd g = calc_gradients(y);
    const Eigen::VectorXd lambda = solve_least_squares(g, Eigen::VectorXd(-r.head(n)));
    r.head(n) += g * lambda;
    for (size_t h = 0; h < held_.size(); ++h) {
      holding_[h] = lambda[static_cast<Eigen::Index>(h)];
      r[n + static_cast<Eigen::Index>(h)] = weight_ * (calc_measure(h, plain_) - targets_[h]);
    }
    return r;
  }

  // By open coordinates along their speeds, then by the holding forces. After calc_residual(y).
  Eigen::MatrixXd calc_jacobian(const std::vector<double>& y) {
    const auto n = static_cast<Eigen::Index>(open_.size());
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(unknowns(), unknowns());
    for (size_t first = 0; first < open_.size(); first += kDirections) {
      const size_t batch = std::min<size_t>(kDirections, open_.size() - first);
      const std::vector<D> x = seed(y, first, batch);
      copy_memory(seen_.memory, &memory_);
      calc_forces_at_rest(system_, x.data(), memory_, dual_rates_.data(), &data_,
                          dual_forces_.data());
      for (size_t c = 0; c < batch; ++c) {
        for (Eigen::Index r = 0; r < n; ++r) {
          J(r, static_cast<Eigen::Index>(first + c)) =
              dual_forces_[at(open_[at(r)])].v[static_cast<int>(c)];
        }
      }
    }
    if (held_.empty()) return J;
    const Eigen::MatrixXd g = calc_gradients(y);
    J.topRightCorner(n, J.cols() - n) = g;
    J.bottomLeftCorner(J.rows() - n, n) = weight_ * g.transpose();
    const Eigen::Map<const Eigen::VectorXd> lambda(holding_.data(), J.cols() - n);
    for (Eigen::Index c = 0; c < n; ++c) {
      Eigen::VectorXd step = Eigen::VectorXd::Zero(n);
      step[c] = kGradientStep;
      J.block(0, c, n, 1) += (calc_gradients(moved(y, step)) - calc_gradients(moved(y, -step))) *
                             lambda / (2 * kGradientStep);
    }
    return J;
  }

  // y with its open coordinates moved along their speeds; quaternions of unit length again.
  std::vector<double> moved(const std::vector<double>& y, const Eigen::VectorXd& step) const {
    std::vector<double> direction(static_cast<size_t>(tree_.nu()), 0.0);
    std::vector<double> turned(static_cast<size_t>(tree_.nq()));
    for (size_t k = 0; k < open_.size(); ++k) {
      direction[at(open_[k])] = step[static_cast<Eigen::Index>(k)];
    }
    calc_tree_coordinate_rates(tree_, y.data(), direction.data(), turned.data());
    std::vector<double> next = y;
    for (size_t k = 0; k < turned.size(); ++k) next[k] += turned[k];
    for (const auto& body : tree_.bodies()) {
      const int place = quaternion_place(body.joint.type);
      if (body.nq == 0 || place < 0) continue;
      Eigen::Map<Eigen::Vector4d>(next.data() + body.q_start + place).normalize();
    }
    return next;
  }

 private:
  template <class I>
  static size_t at(I k) {
    return static_cast<size_t>(k);
  }
  template <class T>
  T calc_measure(size_t h, const Evaluation<T>& data) const {
    const auto& measure = system_.scene().measures[at(held_[h].measure)];
    return vesica::calc_grood_suntay(measure, data.motions)[at(held_[h].part)];
  }
  // y with derivatives along open speeds `first` to `first + batch`.
  std::vector<D> seed(const std::vector<double>& y, size_t first, size_t batch) const {
    std::vector<D> x(y.begin(), y.end());
    std::vector<double> direction(static_cast<size_t>(tree_.nu()), 0.0);
    std::vector<double> turned(static_cast<size_t>(tree_.nq()));
    for (size_t c = 0; c < batch; ++c) {
      direction[at(open_[first + c])] = 1;
      calc_tree_coordinate_rates(tree_, y.data(), direction.data(), turned.data());
      direction[at(open_[first + c])] = 0;
      for (size_t k = 0; k < turned.size(); ++k) x[k].v[static_cast<int>(c)] = turned[k];
    }
    return x;
  }
  // Of the held measures (columns) along the open speeds.
  Eigen::MatrixXd calc_gradients(const std::vector<double>& y) {
    Eigen::MatrixXd g(static_cast<Eigen::Index>(open_.size()),
                      static_cast<Eigen::Index>(held_.size()));
    for (size_t first = 0; first < open_.size(); first += kDirections) {
      const size_t batch = std::min<size_t>(kDirections, open_.size() - first);
      const std::vector<D> x = seed(y, first, batch);
      system_.calc_motions(0, x.data(), &data_);
      for (size_t h = 0; h < held_.size(); ++h) {
        const D value = calc_measure(h, data_);
        for (size_t c = 0; c < batch; ++c) {
          g(static_cast<Eigen::Index>(first + c), static_cast<Eigen::Index>(h)) =
              value.v[static_cast<int>(c)];
        }
      }
    }
    return g;
  }

  const System<double>& system_;
  const Tree<double>& tree_;
  std::vector<int> open_;
  const std::vector<HeldMeasure>& held_;
  std::vector<double> targets_;
  double weight_ = 0;
  Evaluation<double> plain_;
  Evaluation<D> data_;
  State<double> seen_;
  Memory<D> memory_;
  std::vector<ContactChange> unused_;
  std::vector<double> rates_, forces_, holding_;
  std::vector<D> dual_rates_, dual_forces_;
};

// A step from y that is nearer to rest, if there is one: Newton's, shorter and shorter; else turned
// towards the steepest descent. Newton's is judged by the step that the same Jacobian would take
// next (Deuflhard's natural level function), which knows no units: a newton and a radian that are
// missing cannot be compared otherwise.
bool find_better(RestProblem* problem, const Eigen::MatrixXd& J, std::vector<double>* y,
                 Eigen::VectorXd* r) {
  const auto limit = [](const Eigen::VectorXd& step) {  // half a metre or radian
    return 1 / std::max(1.0, step.cwiseAbs().maxCoeff() / 0.5);
  };
  const auto is_nearer = [](const Eigen::VectorXd& left, const Eigen::VectorXd& now) {
    return left.lpNorm<Eigen::Infinity>() < now.lpNorm<Eigen::Infinity>();
  };
  const auto accept = [&](const Eigen::VectorXd& step, const auto& is_better) {
    const std::vector<double> next = problem->moved(*y, step);
    const Eigen::VectorXd left = problem->calc_residual(next);
    if (!is_better(left)) return false;
    *y = next;
    *r = left;
    return true;
  };
  const Eigen::VectorXd newton = solve_least_squares(J, Eigen::VectorXd(-*r));
  double factor = limit(newton);
  for (int k = 0; k < kMaxHalvings; ++k, factor *= 0.5) {
    const auto is_better = [&](const Eigen::VectorXd& left) {
      const Eigen::VectorXd next = solve_least_squares(J, Eigen::VectorXd(-left));
      return next.norm() < (1 - 0.25 * factor) * newton.norm() && left.allFinite();
    };
    if (accept(factor * newton, is_better)) return true;
  }
  const Eigen::MatrixXd A = J.transpose() * J;
  const Eigen::VectorXd b = -J.transpose() * *r;
  const double scale = A.diagonal().maxCoeff();
  for (double weight = kLeastWeight; weight <= kMostWeight; weight *= kWeightFactor) {
    Eigen::MatrixXd damped = A;
    damped.diagonal().array() += weight * scale;
    const Eigen::VectorXd step = solve_symmetric(damped, b);
    const auto is_better = [&](const Eigen::VectorXd& left) { return is_nearer(left, *r); };
    if (accept(limit(step) * step, is_better)) return true;
  }
  return false;
}

}  // namespace

EquilibriumResult find_equilibrium(const System<double>& system, const std::vector<int>& locked,
                                   const std::vector<HeldMeasure>& held, std::vector<double>* y) {
  const Tree<double>& tree = system.scene().tree;
  EquilibriumResult result;
  if (!system.scene().loops.empty()) {
    result.message = "an equilibrium with loops is not available; use stiff bushings instead";
    return result;
  }
  for (int k = 0; k < tree.nu(); ++k) {
    if (std::find(locked.begin(), locked.end(), k) == locked.end()) result.open.push_back(k);
  }
  std::fill(y->begin() + tree.nq(), y->begin() + tree.nq() + tree.nu(), 0.0);
  RestProblem problem(system, result.open, held);
  Eigen::VectorXd r = problem.calc_residual(*y);
  const auto norm = [&] { return r.lpNorm<Eigen::Infinity>() / problem.weight(); };
  const auto solve = [&](double enough) {
    r = problem.calc_residual(*y);
    for (int k = 0; k < kMaxIterations && norm() > enough; ++k, ++result.iterations) {
      if (!find_better(&problem, problem.calc_jacobian(*y), y, &r)) break;
    }
  };
  // From where the held measures are to where they are to be, in steps that Newton can follow.
  const std::vector<double> begin = problem.calc_measures();
  int steps = 1;
  for (size_t h = 0; h < held.size(); ++h) {
    const double scale = held[h].part < 3 ? kTurningStep : kMovingStep;
    steps =
        std::max(steps, static_cast<int>(std::ceil(std::abs(held[h].value - begin[h]) / scale)));
  }
  for (int k = 1; k <= steps; ++k) {
    problem.approach(begin, static_cast<double>(k) / steps);
    solve(k < steps ? kOnTheWay : kResidual);
  }
  problem.calc_residual(*y);
  result.jacobian = problem.calc_jacobian(*y);
  result.residual = norm();
  result.force_residual =
      r.head(static_cast<Eigen::Index>(result.open.size())).lpNorm<Eigen::Infinity>();
  result.held = problem.holding();
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
