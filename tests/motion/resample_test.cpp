#include "vesica/motion/resample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/support.h"

namespace vesica::resample_test {
namespace {

using std::numbers::pi;

TEST(CubicSpline, ReproducesCubicsOnUnevenTimes) {
  const std::vector<double> t = {0.0, 0.1, 0.25, 0.3, 0.7, 1.0};
  const auto cubic = [](double s) { return 2.0 - s + 3.0 * s * s - 4.0 * s * s * s; };
  std::vector<double> y;
  for (const double s : t) y.push_back(cubic(s));
  const CubicSpline spline(t, y);
  for (double s = 0.0; s <= 1.0; s += 0.01) {
    EXPECT_NEAR(spline.value(s), cubic(s), 1e-13);
    EXPECT_NEAR(spline.derivative(s), -1.0 + 6.0 * s - 12.0 * s * s, 1e-12);
  }
  EXPECT_NE(test::input_error_of([&] { (void)spline.value(1.1); }).find("outside"),
            std::string::npos);
}

TEST(CubicSpline, ConvergesWithFourthOrder) {
  const auto error_of = [](int n) {
    std::vector<double> t(n + 1), y(n + 1);
    for (int i = 0; i <= n; ++i) {
      t[i] = static_cast<double>(i) / n;
      y[i] = std::sin(2.0 * pi * t[i] + 0.7);
    }
    const CubicSpline spline(t, y);
    double worst = 0.0;
    for (int i = 200; i <= 800; ++i) {  // away from the ends, whose error has another constant
      const double s = i / 1000.0;
      worst = std::max(worst, std::abs(spline.value(s) - std::sin(2.0 * pi * s + 0.7)));
    }
    return worst;
  };
  EXPECT_NEAR(std::log2(error_of(40) / error_of(80)), 4.0, 0.1);
}

TEST(Resample, LeavesGapsOpenAndKeepsSamples) {
  const std::vector<double> t = {0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06};
  const double missing = std::nan("");
  const std::vector<double> y = {1.0, 2.0, 3.0, missing, 5.0, 6.0, 7.0};
  const std::vector<double> fine = make_even_times(0.0, 0.06, 200.0);
  ASSERT_EQ(fine.size(), 13u);
  const std::vector<double> values = resample(t, y, fine);
  for (size_t i = 0; i < fine.size(); ++i) {
    const bool in_gap = fine[i] > 0.0201 && fine[i] < 0.0399;
    EXPECT_EQ(std::isnan(values[i]), in_gap) << fine[i];
    if (!in_gap) {
      EXPECT_NEAR(values[i], 1.0 + 100.0 * fine[i], 1e-10);
    }
  }
}

TEST(Resample, GoingDownDoesNotAlias) {
  // 60 Hz hum sampled at 1000 Hz, brought to 50 Hz: plain picking would leave a 10 Hz sway of full
  // height; the 1 Hz motion below must stay.
  std::vector<double> t, hum, motion;
  for (int i = 0; i < 4000; ++i) {
    t.push_back(i / 1000.0);
    hum.push_back(std::sin(2.0 * pi * 60.0 * t.back()));
    motion.push_back(std::sin(2.0 * pi * t.back()));
  }
  const std::vector<double> coarse = make_even_times(0.5, 3.5, 50.0);
  double worst_hum = 0.0, worst_motion = 0.0;
  const auto hum_50 = change_rate(t, hum, 1000.0, 50.0, coarse);
  const auto motion_50 = change_rate(t, motion, 1000.0, 50.0, coarse);
  for (size_t i = 0; i < coarse.size(); ++i) {
    worst_hum = std::max(worst_hum, std::abs(hum_50[i]));
    worst_motion = std::max(worst_motion, std::abs(motion_50[i] - std::sin(2.0 * pi * coarse[i])));
  }
  EXPECT_LT(worst_hum, 1e-3);
  EXPECT_LT(worst_motion, 1e-6);
}

}  // namespace
}  // namespace vesica::resample_test
