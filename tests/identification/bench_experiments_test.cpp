// Bench experiments: intervals that hold what they promise, and parameters of the laws themselves.
#include "vesica/identification/bench_experiments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "vesica/contact/bristle.h"
#include "vesica/identification/bench_examples.h"

namespace vesica::bench_experiments_test {
namespace {

struct Coverage {
  int inside = 0, total = 0;

  void count(const BenchFit& fit, const std::vector<double>& truth) {
    ASSERT_TRUE(fit.converged);
    ASSERT_EQ(fit.parameters.size(), truth.size());
    for (size_t k = 0; k < truth.size(); ++k) {
      const Estimate& e = fit.parameters[k];
      EXPECT_TRUE(e.determined) << e.name;
      inside += e.low <= truth[k] && truth[k] <= e.high;
      ++total;
    }
  }
  double share() const { return static_cast<double>(inside) / total; }
};

TEST(BenchExperiments, IntervalsHoldTheTruthInNinetyFiveOfAHundred) {
  const BenchTruth truth;
  constexpr double kNoise = 0.02;
  Coverage indentation, impact, sliding, presliding, stick_slip;
  unsigned seed = 0;  // every experiment has noise of its own
  for (int k = 0; k < 200; ++k) {
    const Weighting w = Weighting::kConstant;
    indentation.count(fit_indentation(make_indentation(truth, kNoise, ++seed), w),
                      {truth.stiffness, truth.exponent});
    impact.count(fit_impact(make_impact(truth, false, kNoise, ++seed), ImpactModel::kConstant, w),
                 {truth.restitution});
    impact.count(fit_impact(make_impact(truth, true, kNoise, ++seed), ImpactModel::kSlope, w),
                 {truth.restitution_slope});
    sliding.count(fit_sliding(make_sliding(truth, kNoise, ++seed), w), {truth.mu_C, truth.sigma_2});
    presliding.count(fit_presliding(make_presliding(truth, kNoise, ++seed), w),
                     {truth.sigma_0, truth.sigma_1});
    stick_slip.count(fit_stick_slip(make_stick_slip(truth, kNoise, ++seed), w), {truth.tau_dw});
  }
  Coverage pooled;
  for (const Coverage& c : {indentation, impact, sliding, presliding, stick_slip}) {
    pooled.inside += c.inside;
    pooled.total += c.total;
    // One experiment alone: 95 % +- four standard errors of its own count.
    EXPECT_NEAR(c.share(), 0.95, 4 * std::sqrt(0.95 * 0.05 / c.total));
  }
  RecordProperty("pooled_coverage", std::to_string(pooled.share()));
  // Measured: 0.944 of 1800.
  EXPECT_GT(pooled.share(), 0.93);
  EXPECT_LT(pooled.share(), 0.97);
}

TEST(BenchExperiments, WithoutNoiseTheTruthComesBack) {
  const BenchTruth truth;
  for (const Weighting w : {Weighting::kConstant, Weighting::kRelative}) {
    const auto press = fit_indentation(make_indentation(truth, 0, 1), w);
    EXPECT_NEAR(press.parameters[0].value / truth.stiffness, 1, 1e-8);
    EXPECT_NEAR(press.parameters[1].value, truth.exponent, 1e-9);
    const auto slide = fit_sliding(make_sliding(truth, 0, 1), w);
    EXPECT_NEAR(slide.parameters[0].value, truth.mu_C, 1e-10);
    EXPECT_NEAR(slide.parameters[1].value, truth.sigma_2, 1e-9);
    const auto impact = fit_impact(make_impact(truth, true, 0, 1), ImpactModel::kBetter, w);
    EXPECT_EQ(impact.parameters[0].name, "restitution_slope");
    EXPECT_NEAR(impact.parameters[0].value, truth.restitution_slope, 1e-10);
    const auto push = fit_presliding(make_presliding(truth, 0, 1), w);
    EXPECT_NEAR(push.parameters[0].value / truth.sigma_0, 1, 1e-6);
    EXPECT_NEAR(push.parameters[1].value / truth.sigma_1, 1, 1e-6);
    const auto belt = fit_stick_slip(make_stick_slip(truth, 0, 1), w);
    EXPECT_NEAR(belt.parameters[0].value / truth.tau_dw, 1, 1e-6);
  }
}

// Errors in proportion to the value need the other weighting: with it the intervals hold too.
TEST(BenchExperiments, RelativeErrorsWithTheirWeighting) {
  const BenchTruth truth;
  Coverage coverage;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    IndentationData data = make_indentation(truth, 0, seed);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 0.02);
    for (double& f : data.force) f *= 1 + normal(random);
    coverage.count(fit_indentation(data, Weighting::kRelative), {truth.stiffness, truth.exponent});
  }
  EXPECT_NEAR(coverage.share(), 0.95, 4 * std::sqrt(0.95 * 0.05 / 400));
}

// A block on bristles, one direction: the law of contact/bristle.h, integrated with classical
// Runge-Kutta steps far below its time constants.
struct Block {
  Bristle<double> law;
  double mass, load, spring;
  double x = 0, v = 0;
  std::array<double, 4> states{};  // z, s_dw
  double friction = 0;             // on the block, at the start of the last step

  using State = std::array<double, 6>;
  State rates(const State& y, double belt) {
    FrictionInput<double> in{load, Vec3d(0, 0, 1), Vec3d(y[1] - belt, 0, 0), 0, 0, 0};
    std::array<double, 4> dz{};
    const double f = law(in, y.data() + 2, dz.data()).f_t.x();
    friction = f;
    return {y[1], (f - spring * y[0]) / mass, dz[0], dz[1], dz[2], dz[3]};
  }
  void step(double h, double belt) {
    State y = {x, v, states[0], states[1], states[2], states[3]};
    auto ahead = [&](const State& k, double c) {
      State z = y;
      for (size_t i = 0; i < z.size(); ++i) z[i] += c * h * k[i];
      return z;
    };
    const State k1 = rates(y, belt);
    const double at_start = friction;
    const State k2 = rates(ahead(k1, 0.5), belt), k3 = rates(ahead(k2, 0.5), belt),
                k4 = rates(ahead(k3, 1), belt);
    for (size_t i = 0; i < y.size(); ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    x = y[0];
    v = y[1];
    std::copy(y.begin() + 2, y.end(), states.begin());
    friction = at_start;
  }
};

Block make_block(double sigma_1, double sigma_2, double tau_dw) {
  BristleParameters<double> p;
  p.mu_S = 0.15;
  p.mu_C = 0.1;
  p.sigma_0 = 1e4;
  p.sigma_1 = sigma_1;
  p.sigma_2 = sigma_2;
  p.v_S = 0.001;
  p.v_eps = 1e-5;
  p.tau_dw = tau_dw;
  return {{p}, 1.0, 10.0, 2.0};
}

// Gonthier's Table 5.1 by simulation of the whole law, against the closed reduction.
TEST(StickSlip, ReductionAgreesWithTheSimulatedLaw) {
  const double tau_dw = 2, sigma_2 = 0.01;
  StickSlipData data;
  data.rig = {1, 2, 10, 0.15, 0.1, sigma_2, 0.001};
  for (const double belt : {0.05, 0.08, 0.1, 0.12, 0.15}) {
    Block block = make_block(std::sqrt(1e5) / 10, sigma_2, tau_dw);
    block.states[3] = 1;
    block.v = belt;
    // After 40 s the cycle repeats; the greatest friction of the last ones.
    double last = 0;
    for (int k = 0; k < 600000; ++k) {
      block.step(1e-4, belt);
      if (k > 400000) last = std::max(last, block.friction);
    }
    const double reduced = calc_peak_friction(data.rig, belt, tau_dw);
    // Measured: 0.0004 to 0.0052 N, growing with the belt speed.
    EXPECT_NEAR(last, reduced, 0.008);
    data.belt_speed.push_back(belt);
    data.peak_friction.push_back(last);
  }
  const BenchFit fit = fit_stick_slip(data, Weighting::kConstant);
  // Measured: 2.023 s.
  EXPECT_NEAR(fit.parameters[0].value, tau_dw, 0.02 * tau_dw);
}

TEST(Presliding, RingDownOfTheSimulatedLaw) {
  const double sigma_1 = 6;
  Block block = make_block(sigma_1, 0, 2);
  block.spring = 0;
  block.states[0] = block.x = 1e-10;  // so slow that s = exp(-v^2/v_S^2) stays 1
  block.states[3] = 1;
  PreslidingData data;
  data.mass = block.mass;
  data.normal_force = block.load;
  for (int k = 0; k < 6000; ++k) {
    if (k % 40 == 0) {
      data.time.push_back(k * 1e-5);
      data.swing.push_back(block.x);
    }
    block.step(1e-5, 0);
  }
  const BenchFit fit = fit_presliding(data, Weighting::kConstant);
  // Measured: 5e-7 and 6e-8; what is left is friction at the speed of the swing.
  EXPECT_NEAR(fit.parameters[0].value / 1e4, 1, 2e-6);
  EXPECT_NEAR(fit.parameters[1].value / sigma_1, 1, 2e-6);
}

}  // namespace
}  // namespace vesica::bench_experiments_test
