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
// Levenberg's weight, relative to the diagonal of J^T J (Marquardt): tried in this range.
constexpr double kLeastWeight = 1e-12, kMostWeight = 1e3, kWeightFactor = 10;
// Step of differences of exact gradients, which round at 1e-16: errs by 1e-10 of the curvature.
constexpr double kGradientStep = 1e-6;

// Held measures are led to their values in steps of at most this, or so many times halved; on the
// way this is near enough.
constexpr double kTurningStep = 0.1, kMovingStep = 0.005, kOnTheWay = 1e-6;
constexpr int kMaxShorter = 6;

// Forces of stiff contacts are differences of large numbers: what rounding leaves is at rest too.
constexpr double kEnough = 1e-8;

// Downhill: steps, the longest [m, rad], how far from a saddle in all. A stiffness is negative
// below this part of the largest.
constexpr int kMaxDescents = 200;
constexpr double kLongestDescent = 0.05, kFarthest = 1.5, kNegative = 1e-7;
constexpr double kOffSaddle = 1e-3;

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

  Eigen::Index open() const { return static_cast<Eigen::Index>(open_.size()); }
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

  std::vector<double> moved(const std::vector<double>& y, const Eigen::VectorXd& step) const {
    return move_coordinates(tree_, open_, step, y);
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
  // Of the coordinates alone: what holds measures is in newtons, and follows from the pose.
  const Eigen::Index n = problem->open();
  const auto limit = [n](const Eigen::VectorXd& step) {  // half a metre or radian
    return 1 / std::max(1.0, step.head(n).cwiseAbs().maxCoeff() / 0.5);
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
      return next.head(n).norm() < (1 - 0.25 * factor) * newton.head(n).norm() && left.allFinite();
    };
    if (accept(factor * newton, is_better)) return true;
  }
  const Eigen::MatrixXd A = J.transpose() * J;
  const Eigen::VectorXd b = -J.transpose() * *r;
  const Eigen::VectorXd scales = A.diagonal().cwiseMax(1e-12 * A.diagonal().maxCoeff());
  for (double weight = kLeastWeight; weight <= kMostWeight; weight *= kWeightFactor) {
    Eigen::MatrixXd damped = A;
    damped.diagonal() += weight * scales;
    const Eigen::VectorXd step = solve_symmetric(damped, b);
    const auto is_better = [&](const Eigen::VectorXd& left) {
      return left.squaredNorm() < (1 - 1e-6) * r->squaredNorm();
    };
    if (accept(limit(step) * step, is_better)) return true;
  }
  return false;
}

// The stiffness on motions that keep what is held, and how such a motion is in the coordinates.
struct Stiffness {
  RowSpace held;           // of the gradients of held measures
  SymmetricEigen<> eigen;  // on the columns of held.null_space

  Stiffness(const Eigen::MatrixXd& J, Eigen::Index n, double weight) {
    held.null_space = Eigen::MatrixXd::Identity(n, n);
    if (J.rows() > n) held = decompose_rows(J.bottomLeftCorner(J.rows() - n, n) / weight, 1e-12);
    const Eigen::MatrixXd K = -0.5 * (J.topLeftCorner(n, n) + J.topLeftCorner(n, n).transpose());
    eigen = calc_eigen(multiply_transposed(held.null_space, multiply(K, held.null_space)));
  }
  double most() const { return eigen.values.cwiseAbs().maxCoeff(); }
  bool is_stable() const {
    return eigen.values.size() == 0 || eigen.values[0] >= -kNegative * most();
  }
  // The motion that leads away most; its largest part is positive.
  Eigen::VectorXd find_way_out() const {
    Eigen::VectorXd way = held.null_space * eigen.vectors.col(0);
    Eigen::Index largest = 0;
    way.cwiseAbs().maxCoeff(&largest);
    return way[largest] < 0 ? Eigen::VectorXd(-way) : way;
  }
  // Newton's step for forces f with every stiffness counted as positive: downhill.
  Eigen::VectorXd calc_descent(const Eigen::VectorXd& f) const {
    Eigen::VectorXd along = eigen.vectors.transpose() * (held.null_space.transpose() * f);
    const double least = 1e-9 * most();
    for (Eigen::Index k = 0; k < along.size(); ++k) {
      along[k] /= std::max({std::abs(eigen.values[k]), least, 1e-300});
    }
    return held.null_space * (eigen.vectors * along);
  }
};

// Downhill in the energy until little is left or no step helps: a step is taken if the forces do
// not push back against the whole of it at its end. False: it went too far.
bool descend(RestProblem* problem, std::vector<double>* y, Eigen::VectorXd* r, int* iterations) {
  const Eigen::Index n = problem->open();
  double way = 0;
  for (int k = 0; k < kMaxDescents && way < kFarthest; ++k, ++*iterations) {
    if (r->lpNorm<Eigen::Infinity>() <= kOnTheWay * problem->weight()) return true;
    const Stiffness stiffness(problem->calc_jacobian(*y), n, problem->weight());
    const Eigen::VectorXd f = r->head(n), down = stiffness.calc_descent(f);
    Eigen::VectorXd step = down;
    if (r->size() > n) {
      step -= stiffness.held.pseudo_inverse * (r->tail(r->size() - n) / problem->weight());
    }
    const double pushed = down.dot(f);
    double factor = 1 / std::max(1.0, step.cwiseAbs().maxCoeff() / kLongestDescent);
    bool is_taken = false;
    for (int halving = 0; halving < kMaxHalvings && !is_taken; ++halving, factor *= 0.5) {
      const std::vector<double> next = problem->moved(*y, factor * step);
      const Eigen::VectorXd left = problem->calc_residual(next);
      if (!left.allFinite() || !(down.dot(left.head(n)) >= -0.5 * pushed)) continue;
      *y = next;
      *r = left;
      way += factor * step.cwiseAbs().maxCoeff();
      is_taken = true;
    }
    if (!is_taken) return true;
  }
  return way < kFarthest;
}

// The search itself: from a pose to rest, with what is held a part of the way or at its value.
class RestSearch {
 public:
  RestSearch(RestProblem* problem, std::vector<double>* y, int* iterations)
      : problem_(problem), y_(y), iterations_(iterations), r_(problem->calc_residual(*y)) {}

  double left() const { return r_.lpNorm<Eigen::Infinity>() / problem_->weight(); }
  const Eigen::VectorXd& residual() const { return r_; }

  // True: what is left is no more than `enough`.
  bool solve(double target, double enough) {
    r_ = problem_->calc_residual(*y_);
    approach(target);
    if (left() > enough && std::isfinite(left())) {
      const std::vector<double> before = *y_;
      const double was = left();
      if (descend(problem_, y_, &r_, iterations_)) approach(target);
      if (!(left() < was)) restart(before);
    }
    return left() <= enough;
  }

  // Off a saddle, one way or the other, and down; false: back where it was.
  bool leave_saddle(const Eigen::VectorXd& way_out) {
    const std::vector<double> saddle = *y_;
    for (const double side : {1.0, -1.0}) {
      restart(problem_->moved(saddle, side * kOffSaddle * way_out));
      if (descend(problem_, y_, &r_, iterations_)) {
        approach(kResidual);
        if (left() <= kEnough && calc_stiffness().is_stable()) return true;
      }
    }
    restart(saddle);
    return false;
  }

  void restart(const std::vector<double>& y) {
    *y_ = y;
    r_ = problem_->calc_residual(y);
  }
  // At the pose where the search is.
  Stiffness calc_stiffness() {
    return Stiffness(problem_->calc_jacobian(*y_), problem_->open(), problem_->weight());
  }

 private:
  void approach(double target) {
    for (int k = 0; k < kMaxIterations && left() > target; ++k, ++*iterations_) {
      if (!find_better(problem_, problem_->calc_jacobian(*y_), y_, &r_)) break;
    }
  }

  RestProblem* problem_;
  std::vector<double>* y_;
  int* iterations_;
  Eigen::VectorXd r_;
};

// From where the held measures are to where they are to be, in steps that Newton can follow.
bool lead(const std::vector<HeldMeasure>& held, RestProblem* problem, RestSearch* search,
          std::vector<double>* y) {
  const std::vector<double> begin = problem->calc_measures();
  int steps = 1;
  for (size_t h = 0; h < held.size(); ++h) {
    const double scale = held[h].part < 3 ? kTurningStep : kMovingStep;
    steps =
        std::max(steps, static_cast<int>(std::ceil(std::abs(held[h].value - begin[h]) / scale)));
  }
  double part = 0, step = 1.0 / steps;
  const double shortest = step / (1 << kMaxShorter);
  while (true) {
    const double next = part + step > 1 - 0.5 * shortest ? 1 : part + step;
    const std::vector<double> before = *y;
    problem->approach(begin, next);
    const bool is_met =
        next < 1 ? search->solve(kOnTheWay, kOnTheWay) : search->solve(kResidual, kEnough);
    if (is_met && next == 1) return true;
    if (is_met) {
      part = next;
      step = std::min(2 * step, 1.0 / steps);
      continue;
    }
    if (held.empty() || 0.5 * step < shortest) return false;
    step *= 0.5;
    search->restart(before);
  }
}

}  // namespace

std::vector<double> move_coordinates(const Tree<double>& tree, const std::vector<int>& open,
                                     const Eigen::VectorXd& step, const std::vector<double>& y) {
  std::vector<double> direction(static_cast<size_t>(tree.nu()), 0.0);
  std::vector<double> turned(static_cast<size_t>(tree.nq()));
  for (size_t k = 0; k < open.size(); ++k) {
    direction[static_cast<size_t>(open[k])] = step[static_cast<Eigen::Index>(k)];
  }
  calc_tree_coordinate_rates(tree, y.data(), direction.data(), turned.data());
  std::vector<double> next = y;
  for (size_t k = 0; k < turned.size(); ++k) next[k] += turned[k];
  for (const auto& body : tree.bodies()) {
    const int place = quaternion_place(body.joint.type);
    if (body.nq == 0 || place < 0) continue;
    Eigen::Map<Eigen::Vector4d>(next.data() + body.q_start + place).normalize();
  }
  return next;
}

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
  RestSearch search(&problem, y, &result.iterations);
  lead(held, &problem, &search, y);
  if (search.left() <= kEnough && !result.open.empty()) {
    const Stiffness stiffness = search.calc_stiffness();
    if (!stiffness.is_stable()) {
      const Eigen::VectorXd way_out = stiffness.find_way_out();
      Eigen::Index largest = 0;
      way_out.cwiseAbs().maxCoeff(&largest);
      result.gives_way = result.open[static_cast<size_t>(largest)];
      result.is_stable = result.left_saddle = search.leave_saddle(way_out);
    }
  }
  problem.calc_residual(*y);
  result.jacobian = problem.calc_jacobian(*y);
  result.weight = problem.weight();
  result.residual = search.left();
  result.force_residual = search.residual()
                              .head(static_cast<Eigen::Index>(result.open.size()))
                              .lpNorm<Eigen::Infinity>();
  result.held = problem.holding();
  result.converged = result.residual <= kEnough;
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
