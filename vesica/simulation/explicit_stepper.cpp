// Dormand and Prince's explicit Runge-Kutta pair of order 5(4), which chooses its steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "vesica/simulation/adaptive_stepper.h"

namespace vesica::detail {
namespace {

constexpr int kStages = 7;  // the last is the first of the next step

// y_s = y_0 + h sum a_sr k_r; the last row gives the step's end. The error is h sum e_r k_r, the
// state at a share s of the step y_0 + h sum (p_r1 s + p_r2 s^2 + p_r3 s^3 + p_r4 s^4) k_r.
struct EmbeddedPair {
  double a[kStages][kStages - 1];
  double c[kStages];
  double e[kStages];
  double p[kStages][4];
  double stable;  // h times a negative eigenvalue at which it is just stable
};

// Dormand and Prince (1980), the polynomial of Shampine (1986) as Hairer writes it.
constexpr EmbeddedPair make_dormand_prince() {
  EmbeddedPair m = {
      {{},
       {1.0 / 5},
       {3.0 / 40, 9.0 / 40},
       {44.0 / 45, -56.0 / 15, 32.0 / 9},
       {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
       {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
       {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
      {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
      {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
      {},
      3.25};
  constexpr double d[kStages] = {-12715105075.0 / 11282082432,  0,
                                 87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                 701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                 69997945.0 / 29380423};
  for (int r = 0; r < kStages; ++r) {
    const double b = r < kStages - 1 ? m.a[kStages - 1][r] : 0;
    const double first = r == 0, last = r == kStages - 1;
    m.p[r][0] = first;
    m.p[r][1] = 3 * b - 2 * first - last + d[r];
    m.p[r][2] = first + last - 2 * b - 2 * d[r];
    m.p[r][3] = d[r];
  }
  return m;
}

// Tsitouras' pair of 2011 errs by 0.4 to 1.8 of it with the same number of steps (an impact with
// friction and a double pendulum, tolerances of 1e-6 to 1e-10): no reason for coefficients without
// closed form.
constexpr EmbeddedPair kPair = make_dormand_prince();

// Of the controller (Hairer, Norsett and Wanner, II.4, IV.2): what is left of a step that would
// just do, how much the error of the last step counts, least and most change.
constexpr double kSafety = 0.9, kMemory = 0.04, kLeast = 0.2, kMost = 10;
// Steps in a row that stability limits until that is believed, and others that refute it.
constexpr int kManyStiff = 15, kManySmooth = 6;

class ExplicitStepper final : public AdaptiveStepper {
 public:
  ExplicitStepper(const System<double>& system, const RunOptions& options,
                  RunStatistics* statistics, const std::atomic<bool>* stop)
      : AdaptiveStepper(system, options, statistics, stop), last_stage_(end_) {
    slopes_.fill(end_);
  }

  void restart(const State<double>& state) override {
    AdaptiveStepper::restart(state);
    error_before_ = kLeastError;
  }

 protected:
  void attempt(double h) override {
    attempt_stages(h, std::make_integer_sequence<int, kStages - 1>());
    const double* k[kStages];
    for (int s = 0; s < kStages; ++s) k[s] = slopes_[static_cast<size_t>(s)].data();
    for (int i = 0; i < size_; ++i) {
      double sum = kPair.e[0] * k[0][i];
      for (int s = 1; s < kStages; ++s) sum += kPair.e[s] * k[s][i];
      error_[static_cast<size_t>(i)] = h * sum;
    }
  }

  void accept() override { watch_stiffness(); }
  double* start_rates() override { return slopes_.front().data(); }
  void go_on() override { std::swap(slopes_.front(), slopes_.back()); }

  void calc_between(double share, double* y) const override {
    double b[kStages];
    for (int s = 0; s < kStages; ++s) {
      const double* p = kPair.p[s];
      b[s] = length_ * share * (p[0] + share * (p[1] + share * (p[2] + share * p[3])));
    }
    for (int i = 0; i < size_; ++i) {
      const auto at = static_cast<size_t>(i);
      double sum = 0;
      for (int s = 0; s < kStages; ++s) sum += b[s] * slopes_[static_cast<size_t>(s)][at];
      y[i] = start_.y[at] + sum;
    }
  }

  double calc_factor(double error) override {
    const double wanted = kSafety * std::pow(error, 0.75 * kMemory - 1.0 / order());
    if (error > 1) return std::max(wanted, kLeast);
    const double factor = wanted * std::pow(error_before_, kMemory);
    error_before_ = std::max(error, kLeastError);
    return std::clamp(factor, kLeast, kMost);
  }
  int order() const override { return 5; }
  const char* name() const override { return "dopri5"; }
  const char* remedy() const override {
    return "the scene is stiff there, or a law jumps: use cvode, or a fixed-step method";
  }

 private:
  static constexpr double kLeastError = 1e-4;

  template <int... S>
  void attempt_stages(double h, std::integer_sequence<int, S...>) {
    (attempt_stage<S + 1>(h, std::make_integer_sequence<int, S + 1>()), ...);
  }
  template <int S, int... R>
  void attempt_stage(double h, std::integer_sequence<int, R...>) {
    // The one before the last is at the end too: the two tell how stiff it is there.
    double* const y = S == kStages - 2 ? last_stage_.data() : end_.data();
    const double* const k[] = {slopes_[R].data()...};
    const double* const from = start_.y.data();
    for (int i = 0; i < size_; ++i) y[i] = from[i] + h * ((kPair.a[S][R] * k[R][i]) + ...);
    calc_rates(kPair.c[S], y, slopes_[S].data());
  }

  // Hairer and Wanner, Solving Ordinary Differential Equations II, IV.2: the greatest eigenvalue as
  // the last two stages show it.
  void watch_stiffness() {
    double slope = 0, distance = 0;
    // Nothing depends on the ledger.
    for (size_t i = 0; i < static_cast<size_t>(system_.layout().ledger_start()); ++i) {
      const double f = weights_[i] * (slopes_[kStages - 1][i] - slopes_[kStages - 2][i]);
      const double y = weights_[i] * (end_[i] - last_stage_[i]);
      slope += f * f;
      distance += y * y;
    }
    if (length_ * length_ * slope > kPair.stable * kPair.stable * distance) {
      smooth_ = 0;
      ++stiff_;
      if (stiff_ == kManyStiff) statistics_->stiff_steps += kManyStiff;
      if (stiff_ > kManyStiff) ++statistics_->stiff_steps;
    } else if (++smooth_ == kManySmooth) {
      stiff_ = 0;
    }
  }

  std::array<std::vector<double>, kStages> slopes_;
  std::vector<double> last_stage_;
  double error_before_ = kLeastError;
  int stiff_ = 0, smooth_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_explicit_stepper(const System<double>& system,
                                               const RunOptions& options, RunStatistics* statistics,
                                               const std::atomic<bool>* stop) {
  return std::make_unique<ExplicitStepper>(system, options, statistics, stop);
}

}  // namespace vesica::detail
