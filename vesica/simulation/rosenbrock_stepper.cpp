// A linearly implicit method that chooses its steps: for stiff scenes of few bodies, where the
// work around a solver's evaluations counts.
//
// Rodas5P, order 5(4) with eight stages (Steinebach, BIT Numerical Mathematics 63, 2023): L-stable,
// one Jacobian a step and no iterations. With W = I/(gamma h) - df/dy, stage s is
//
//   W U_s = f(t + c_s h, y + sum a_sr U_r) + sum C_sr U_r/h + d_s h df/dt
//
// The step ends at the state of the last stage plus its U, which is the error.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "vesica/simulation/adaptive_stepper.h"

namespace vesica::detail {
namespace {

constexpr int kRodasStages = 8;
constexpr double kGamma = 0.21193756319429014;
constexpr double kRodasA[kRodasStages][kRodasStages - 1] = {
    {},
    {3},
    {2.849394379747939, 0.45842242204463923},
    {-6.954028509809101, 2.489845061869568, -10.358996098473584},
    {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
    {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256,
     0.030198172008377946},
    {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256,
     0.030198172008377946, 1},
    {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256,
     0.030198172008377946, 1, 1}};
constexpr double kRodasC[kRodasStages][kRodasStages - 1] = {
    {},
    {-14.155112264123755},
    {-17.97296035885952, -2.859693295451294},
    {147.12150275711716, -1.41221402718213, 71.68940251302358},
    {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
    {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125,
     -0.6610691825249471},
    {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783,
     -19.097331116725623, -28.087943162872662},
    {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047,
     -40.06618937091002, -54.66780262877968, -9.48861652309627}};
constexpr double kRodasNodes[kRodasStages] = {
    0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1, 1, 1};
constexpr double kRodasTime[kRodasStages] = {0.21193756319429014,
                                             -0.42387512638858027,
                                             -0.3384627126235924,
                                             1.8046452872882734,
                                             2.325825639765069,
                                             0,
                                             0,
                                             0};
// Of the quartic over the step.
constexpr int kBends = 3;
constexpr double kRodasD[kBends][kRodasStages] = {
    {25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204,
     0.524948541321073, 1.1241088310450404, 0.4272876194431874, -0.17202221070155493},
    {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796,
     20.176138334709044, 15.98066361424651, -6.789040303419874, -6.710236069923372},
    {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643,
     -52.072871366152654, -59.78993625266729, -0.15582684282751913, 4.883087185713722}};

constexpr double kRodasSafety = 0.9, kRodasLeast = 0.2, kRodasMost = 6;

// LU with row pivoting, row-major. A zero pivot makes infinities: the step is rejected.
class SmallLu {
 public:
  explicit SmallLu(size_t n) : n_(n), a_(n * n), inverse_(n), pivots_(n) {}
  double* row(size_t i) { return a_.data() + i * n_; }
  void factor() {
    for (size_t c = 0; c < n_; ++c) {
      size_t best = c;
      for (size_t r = c + 1; r < n_; ++r) {
        if (std::abs(row(r)[c]) > std::abs(row(best)[c])) best = r;
      }
      pivots_[c] = best;
      if (best != c) std::swap_ranges(row(c), row(c) + n_, row(best));
      inverse_[c] = 1 / row(c)[c];
      for (size_t r = c + 1; r < n_; ++r) {
        const double f = row(r)[c] *= inverse_[c];
        if (f == 0) continue;
        double* const to = row(r);
        const double* const from = row(c);
        for (size_t k = c + 1; k < n_; ++k) to[k] -= f * from[k];
      }
    }
  }
  // Loops of two or three turns cost more than what they do: of known length they are unrolled.
  void solve(double* x) const {
    switch (n_) {
      case 1:
        return solve_with(std::integral_constant<size_t, 1>{}, x);
      case 2:
        return solve_with(std::integral_constant<size_t, 2>{}, x);
      case 3:
        return solve_with(std::integral_constant<size_t, 3>{}, x);
      case 4:
        return solve_with(std::integral_constant<size_t, 4>{}, x);
      default:
        return solve_with(n_, x);
    }
  }

 private:
  template <class Size>
  void solve_with(Size size, double* x) const {
    const size_t n = size;
    for (size_t r = 0; r < n; ++r) {
      if (pivots_[r] != r) std::swap(x[r], x[pivots_[r]]);
    }
    for (size_t r = 1; r < n; ++r) {
      const double* const a = a_.data() + r * n;
      double sum = x[r];
      for (size_t k = 0; k < r; ++k) sum -= a[k] * x[k];
      x[r] = sum;
    }
    for (size_t r = n; r-- > 0;) {
      const double* const a = a_.data() + r * n;
      double sum = x[r];
      for (size_t k = r + 1; k < n; ++k) sum -= a[k] * x[k];
      x[r] = sum * inverse_[r];
    }
  }

  size_t n_;
  std::vector<double> a_, inverse_;
  std::vector<size_t> pivots_;
};

// W U = r for all stages of a step. Where a coordinate changes by a speed of its own (q' = u, all
// but quaternions), its row says U_q = gamma h (r_q + U_u): these rows are taken out beforehand,
// which leaves half as many unknowns, a quarter of the work per stage and an eighth per step.
class StageSolver {
 public:
  explicit StageSolver(const System<double>& system)
      : n_(static_cast<size_t>(system.layout().size())) {
    const StateLayout& layout = system.layout();
    std::vector<char> is_plain(static_cast<size_t>(layout.ledger_start()), 0);
    for (const auto& body : system.scene().tree.bodies()) {
      const int quaternion = body.nq > 0 ? quaternion_place(body.joint.type) : -1;
      for (int k = 0; k < (quaternion >= 0 ? quaternion : body.nq); ++k) {
        const auto q = static_cast<size_t>(body.q_start + k);
        plain_.push_back({q, static_cast<size_t>(layout.velocities() + body.u_start + k)});
        is_plain[q] = 1;
      }
    }
    for (size_t k = 0; k < is_plain.size(); ++k) {
      if (!is_plain[k]) rest_.push_back(k);
    }
    place_.resize(is_plain.size());
    for (size_t k = 0; k < rest_.size(); ++k) place_[rest_[k]] = k;
    by_plain_.resize(rest_.size() * plain_.size());
    x_.resize(rest_.size());
    lu_ = SmallLu(rest_.size());
  }

  // `jacobian`: column-major, of all states.
  void factor(const double* jacobian, double gamma_h) {
    gamma_h_ = gamma_h;
    for (size_t r = 0; r < rest_.size(); ++r) {
      const double* const from = jacobian + rest_[r];
      double* const row = lu_.row(r);
      for (size_t c = 0; c < rest_.size(); ++c) row[c] = -from[rest_[c] * n_];
      row[r] += 1 / gamma_h;
      for (size_t k = 0; k < plain_.size(); ++k) {
        const double by_q = gamma_h * from[plain_[k].coordinate * n_];
        by_plain_[r * plain_.size() + k] = by_q;
        row[place_[plain_[k].speed]] -= by_q;
      }
    }
    lu_.factor();
  }
  void solve(double* u) {
    for (size_t r = 0; r < rest_.size(); ++r) {
      const double* const row = by_plain_.data() + r * plain_.size();
      double sum = u[rest_[r]];
      for (size_t k = 0; k < plain_.size(); ++k) sum += row[k] * u[plain_[k].coordinate];
      x_[r] = sum;
    }
    lu_.solve(x_.data());
    for (size_t r = 0; r < rest_.size(); ++r) u[rest_[r]] = x_[r];
    for (const Plain& p : plain_) u[p.coordinate] = gamma_h_ * (u[p.coordinate] + u[p.speed]);
  }

 private:
  struct Plain {
    size_t coordinate, speed;
  };
  size_t n_;
  std::vector<Plain> plain_;
  std::vector<size_t> rest_, place_;  // other states, and where those are among them
  std::vector<double> by_plain_;      // gamma h df/dq of the others by plain coordinates
  std::vector<double> x_;
  SmallLu lu_{0};
  double gamma_h_ = 0;
};

class RosenbrockStepper final : public AdaptiveStepper {
 public:
  RosenbrockStepper(const System<double>& system, const RunOptions& options,
                    RunStatistics* statistics, const std::atomic<bool>* stop)
      : AdaptiveStepper(system, options, statistics, stop),
        evaluator_(system),
        moving_(static_cast<size_t>(system.layout().ledger_start())),
        jacobian_(end_.size() * end_.size()),
        time_rates_(end_),
        rates_(end_),
        end_rates_(end_),
        stage_rates_(end_),
        bends_{end_, end_, end_},
        solver_(system) {
    u_.fill(end_);
  }

  void restart(const State<double>& state) override {
    AdaptiveStepper::restart(state);
    has_jacobian_ = false;
    last_length_ = 0;
  }

 protected:
  void attempt(double h) override {
    has_bends_ = false;
    if (!has_jacobian_) {
      evaluator_.evaluate(start_.t, start_.y.data(), start_.memory, data_, jacobian_.data(),
                          time_rates_.data());
      ++statistics_->jacobians;
      has_jacobian_ = true;
    }
    const size_t n = end_.size();
    solver_.factor(jacobian_.data(), kGamma * h);
    attempt_stages(h, std::make_integer_sequence<int, kRodasStages>());
    for (size_t i = 0; i < n; ++i) end_[i] += u_[kRodasStages - 1][i];
    error_ = u_[kRodasStages - 1];
  }

  void accept() override {
    has_jacobian_ = false;
    calc_rates(1, end_.data(), end_rates_.data());
  }
  double* start_rates() override { return rates_.data(); }
  void go_on() override { std::swap(rates_, end_rates_); }

  void calc_between(double share, double* y) const override {
    if (!has_bends_) {
      for (size_t i = 0; i < end_.size(); ++i) {
        for (size_t k = 0; k < kBends; ++k) {
          double sum = 0;
          for (size_t s = 0; s < kRodasStages; ++s) sum += kRodasD[k][s] * u_[s][i];
          bends_[k][i] = sum;
        }
      }
      has_bends_ = true;
    }
    for (size_t i = 0; i < end_.size(); ++i) {
      const double bend = bends_[0][i] + share * (bends_[1][i] + share * bends_[2][i]);
      y[i] = (1 - share) * start_.y[i] + share * (end_[i] + (1 - share) * bend);
    }
  }

  // Gustafsson's predictive controller.
  double calc_factor(double error) override {
    const double wanted = kRodasSafety * std::pow(error, -1.0 / order());
    if (error > 1) return std::max(wanted, kRodasLeast);
    double factor = wanted;
    error = std::max(error, 1e-2);
    if (last_length_ > 0) {
      const double predicted = kRodasSafety * length_ / last_length_ *
                               std::pow(last_error_ / (error * error), 1.0 / order());
      factor = std::min(factor, predicted);
    }
    last_length_ = length_;
    last_error_ = error;
    return std::clamp(factor, kRodasLeast, kRodasMost);
  }
  int order() const override { return 5; }
  const char* name() const override { return "rodas5p"; }
  const char* remedy() const override {
    return "look for a kink: a law that jumps, a flat face landing; or use a fixed-step method";
  }

 private:
  template <int... S>
  void attempt_stages(double h, std::integer_sequence<int, S...>) {
    (attempt_stage<S>(h, std::make_integer_sequence<int, S>()), ...);
  }
  template <int S, int... R>
  void attempt_stage(double h, std::integer_sequence<int, R...>) {
    const double* f = rates_.data();
    double* const u = u_[S].data();
    if constexpr (S > 0) {
      const double* const before[] = {u_[R].data()...};
      const double* const from = start_.y.data();
      double* const y = end_.data();
      for (int i = 0; i < size_; ++i) y[i] = from[i] + ((kRodasA[S][R] * before[R][i]) + ...);
      calc_rates(kRodasNodes[S], y, stage_rates_.data());
      f = stage_rates_.data();
      const double per_h = 1 / h;
      for (int i = 0; i < size_; ++i) {
        u[i] = f[i] + per_h * ((kRodasC[S][R] * before[R][i]) + ...) +
               h * kRodasTime[S] * time_rates_[static_cast<size_t>(i)];
      }
    } else {
      for (int i = 0; i < size_; ++i) {
        u[i] = f[i] + h * kRodasTime[S] * time_rates_[static_cast<size_t>(i)];
      }
    }
    solver_.solve(u);
    // Nothing depends on the ledger: its rows need no factors.
    const size_t n = end_.size();
    for (size_t c = 0; c < moving_ && n > moving_; ++c) {
      const double* const column = jacobian_.data() + c * n;
      for (size_t r = moving_; r < n; ++r) u[r] += column[r] * u[c];
    }
    for (size_t r = moving_; r < n; ++r) u[r] *= kGamma * h;
  }

  JacobianEvaluator evaluator_;
  size_t moving_;
  std::vector<double> jacobian_, time_rates_, rates_, end_rates_, stage_rates_;
  std::array<std::vector<double>, kRodasStages> u_;
  mutable std::array<std::vector<double>, kBends> bends_;
  mutable bool has_bends_ = false;
  StageSolver solver_;
  bool has_jacobian_ = false;
  double last_length_ = 0, last_error_ = 1;
};

}  // namespace

std::unique_ptr<Stepper> make_rosenbrock_stepper(const System<double>& system,
                                                 const RunOptions& options,
                                                 RunStatistics* statistics,
                                                 const std::atomic<bool>* stop) {
  return std::make_unique<RosenbrockStepper>(system, options, statistics, stop);
}

}  // namespace vesica::detail
