#include "vesica/motion/butterworth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/support.h"

namespace vesica::butterworth_test {
namespace {

using std::numbers::pi;

// The response as separate code: poles of the analog prototype, mapped by z = (1+s)/(1-s),
// evaluated on the unit circle; both passes give the squared magnitude.
double closed_form_gain(int pass_order, double cutoff, double rate, double frequency) {
  using Complex = std::complex<double>;
  const double corner =
      std::tan(pi * cutoff / rate) / std::pow(std::sqrt(2.0) - 1.0, 1.0 / (2.0 * pass_order));
  const Complex z = std::polar(1.0, 2.0 * pi * frequency / rate);
  Complex response = 1.0;
  for (int k = 0; k < pass_order; ++k) {
    const Complex s = corner * std::polar(1.0, pi * (0.5 + (2.0 * k + 1.0) / (2.0 * pass_order)));
    const Complex pole = (1.0 + s) / (1.0 - s);
    response *= (z + 1.0) / (z - pole) * (1.0 - pole) / 2.0;
  }
  return std::norm(response);
}

// Amplitude and phase that a long sinusoid comes out with, by projection over whole periods in the
// middle.
std::complex<double> measured_gain(const ZeroPhaseFilter& filter, int periods_in, int samples) {
  std::vector<double> x(3 * samples);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::cos(2.0 * pi * periods_in * i / samples + 0.3);
  filter_signal(filter, x);
  std::complex<double> sum = 0.0;
  for (int i = samples; i < 2 * samples; ++i) {
    sum += x[i] * std::polar(1.0, -2.0 * pi * periods_in * i / samples - 0.3);
  }
  return 2.0 * sum / static_cast<double>(samples);
}

TEST(Butterworth, MeasuredResponseIsTheClosedForm) {
  double worst = 0.0;
  for (const int order : {2, 4, 6, 8, 16}) {
    for (const double cutoff : {6.0, 15.0, 40.0}) {
      const ZeroPhaseFilter filter = make_low_pass(cutoff, 100.0, order);
      for (const int periods : {5, 30, 60, 150, 250, 400, 480}) {
        const double frequency = periods / 10.0;  // 1000 samples at 100 Hz
        const double expected = closed_form_gain(order / 2, cutoff, 100.0, frequency);
        EXPECT_NEAR(filter.gain(frequency), expected, 1e-12);
        worst = std::max(worst, std::abs(measured_gain(filter, periods, 1000) - expected));
      }
    }
  }
  EXPECT_LT(worst, 1e-9);  // measured 2e-12: rounding; includes the phase, which is zero
}

TEST(Butterworth, IsThreeDecibelDownAtTheCutoff) {
  for (const int order : {2, 4, 6, 10}) {
    for (const double cutoff : {0.5, 6.0, 45.0}) {
      EXPECT_NEAR(make_low_pass(cutoff, 100.0, order).gain(cutoff), std::sqrt(0.5), 1e-12);
      EXPECT_NEAR(closed_form_gain(order / 2, cutoff, 100.0, cutoff), std::sqrt(0.5), 1e-12);
    }
  }
}

TEST(Butterworth, BandSpecificationIsMetWithTheLowestOrder) {
  const BandSpecification bands{10.0, 25.0, 0.5, 50.0};
  const ZeroPhaseFilter filter = make_low_pass(bands, 200.0);
  const auto decibel = [](double gain) { return -20.0 * std::log10(gain); };
  const auto gain_of = [&](double f) {
    return closed_form_gain(filter.pass_order, filter.cutoff, 200.0, f);
  };
  EXPECT_NEAR(decibel(gain_of(10.0)), 0.5, 1e-9);
  EXPECT_GE(decibel(gain_of(25.0)), 50.0);
  // One order less, its pass band met as well, misses the stop band.
  const int n = filter.pass_order - 1;
  const double pass = std::pow(10.0, 0.5 / 20.0) - 1.0;
  const double ratio = std::tan(pi * 25.0 / 200.0) / std::tan(pi * 10.0 / 200.0);
  EXPECT_LT(20.0 * std::log10(1.0 + pass * std::pow(ratio, 2.0 * n)), 50.0);
}

TEST(Butterworth, StraightLinesPassUnchangedToTheEnds) {
  const ZeroPhaseFilter filter = make_low_pass(6.0, 100.0);
  std::vector<double> x(200);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 3.0 - 0.25 * i;
  std::vector<double> y = x;
  filter_signal(filter, y);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], x[i], 1e-8);  // measured 3e-9
}

TEST(Butterworth, ReversedInputGivesReversedOutput) {
  std::mt19937_64 random(7);
  const ZeroPhaseFilter filter = make_low_pass(8.0, 150.0, 6);
  std::vector<double> x(400);
  for (double& value : x) value = test::random_between(random, -1.0, 1.0);
  std::vector<double> reversed(x.rbegin(), x.rend());
  filter_signal(filter, x);
  filter_signal(filter, reversed);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], reversed[x.size() - 1 - i], 1e-8);
}

TEST(Butterworth, EndsFollowASmoothMotion) {
  // A 1 Hz swing through a 10 Hz filter: the ends cut it at an arbitrary phase and must not swing
  // off. The point-reflected signal has a kink in curvature there, which is the error.
  const ZeroPhaseFilter filter = make_low_pass(10.0, 100.0);
  double worst = 0.0;
  for (int phase = 0; phase < 16; ++phase) {
    std::vector<double> x(150);
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(2.0 * pi * (0.01 * i + phase / 16.0));
    std::vector<double> y = x;
    filter_signal(filter, y);
    for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  }
  EXPECT_LT(worst, 0.01);  // measured below; a start from zero state would be off by 1
}

TEST(Butterworth, NoValueCrossesAGap) {
  const ZeroPhaseFilter filter = make_low_pass(6.0, 100.0);
  std::mt19937_64 random(3);
  std::vector<double> x(120);
  for (double& value : x) value = test::random_between(random, -1.0, 1.0);
  for (int i = 50; i < 60; ++i) x[i] = std::nan("");
  x[62] = std::nan("");  // 60 and 61 are a run too short to filter
  std::vector<double> head(x.begin(), x.begin() + 50);
  std::vector<double> tail(x.begin() + 63, x.end());
  const double kept = x[60];
  EXPECT_EQ(filter_between_gaps(filter, x), 2);
  filter_signal(filter, head);
  filter_signal(filter, tail);
  EXPECT_EQ(x[60], kept);
  EXPECT_TRUE(std::isnan(x[55]));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(x[i], head[i]);
  for (int i = 63; i < 120; ++i) EXPECT_EQ(x[i], tail[i - 63]);
}

TEST(Butterworth, RefusesWhatMakesNoSense) {
  EXPECT_NE(test::input_error_of([] { make_low_pass(60.0, 100.0); }).find("50 Hz"),
            std::string::npos);
  EXPECT_NE(test::input_error_of([] { make_low_pass(6.0, 100.0, 3); }).find("even"),
            std::string::npos);
  EXPECT_NE(test::input_error_of([] {
              make_low_pass(BandSpecification{10.0, 10.1}, 100.0);
            }).find("move the bands apart"),
            std::string::npos);
  std::vector<double> few(5);
  EXPECT_NE(test::input_error_of([&] {
              filter_signal(make_low_pass(6.0, 100.0), few);
            }).find("at least 7"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::butterworth_test
