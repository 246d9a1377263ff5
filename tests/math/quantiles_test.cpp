// Against Boost.Math, printed tables (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.1
// and 1.3.6.7.2) and closed forms.
#include "vesica/math/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace vesica::quantiles_test {
namespace {

constexpr double kProbabilities[] = {1e-12, 1e-6,  1e-3, 0.01,  0.025, 0.05,    0.1, 0.2,
                                     0.25,  0.4,   0.49, 0.5,   0.6,   0.749,   0.8, 0.9,
                                     0.95,  0.975, 0.99, 0.995, 0.999, 1 - 1e-6};

double calc_error(double value, double expected) {
  return std::abs(value - expected) / (expected == 0 ? 1.0 : std::abs(expected));
}

TEST(Quantiles, AreThoseOfBoost) {
  double student = 0, normal = 0;
  for (const double p : kProbabilities) {
    for (int n = 1; n <= 1000; ++n) {
      for (const double dof : {n + 0.0, n + 0.37}) {
        const boost::math::students_t boosts(dof);
        student =
            std::max(student, calc_error(calc_student_t_quantile(p, dof), quantile(boosts, p)));
      }
    }
    normal =
        std::max(normal, calc_error(calc_normal_quantile(p), quantile(boost::math::normal(), p)));
  }
  EXPECT_LT(student, 1e-12);  // measured 2.5e-14, at 958 degrees of freedom
  EXPECT_LT(normal, 1e-14);   // measured 2.9e-16
}

TEST(Quantiles, ManyDegreesOfFreedomLeadToTheNormal) {
  // Where the expansion takes over, at 2e4, nothing jumps; against Boost on both sides.
  for (const double p : kProbabilities) {
    for (const double dof : {1e4, 1.99e4, 2.01e4, 1e5, 1e7}) {
      const double expected = quantile(boost::math::students_t(dof), p);
      // Measured 4.9e-14.
      EXPECT_LT(calc_error(calc_student_t_quantile(p, dof), expected), 1e-12) << p << ' ' << dof;
    }
  }
}

TEST(Quantiles, OutsideTheirRangeThereIsNone) {
  for (const double p : {-1.0, 0.0, 1.0, 2.0, std::nan("")}) {
    EXPECT_TRUE(std::isnan(calc_normal_quantile(p)));
    EXPECT_TRUE(std::isnan(calc_student_t_quantile(p, 5)));
  }
  for (const double dof : {-1.0, 0.5, std::nan("")}) {
    EXPECT_TRUE(std::isnan(calc_student_t_quantile(0.9, dof)));
  }
}

TEST(Quantiles, AreThoseOfTables) {
  // Half a unit of the last printed digit.
  EXPECT_NEAR(calc_student_t_quantile(0.975, 3), 3.182, 5e-4);
  EXPECT_NEAR(calc_student_t_quantile(0.975, 4), 2.776, 5e-4);
  EXPECT_NEAR(calc_student_t_quantile(0.975, 10), 2.228, 5e-4);
  EXPECT_NEAR(calc_student_t_quantile(0.975, 19), 2.093, 5e-4);
  EXPECT_NEAR(calc_student_t_quantile(0.975, 30), 2.042, 5e-4);
  EXPECT_NEAR(calc_student_t_quantile(0.975, 100), 1.984, 5e-4);
  EXPECT_NEAR(calc_student_t_quantile(0.90, 5), 1.476, 5e-4);
  EXPECT_NEAR(calc_student_t_quantile(0.999, 7), 4.785, 5e-4);
  EXPECT_NEAR(calc_normal_quantile(0.975), 1.960, 5e-4);
  EXPECT_NEAR(calc_normal_quantile(0.999), 3.090, 5e-4);
}

TEST(Quantiles, StudentsWithOneAndTwoDegreesOfFreedomAreElementary) {
  for (const double p : {0.01, 0.3, 0.6, 0.975, 0.9999}) {
    // Measured: 3.8e-15 of the value. From the nearer tail: tan near pi/2 loses digits.
    const double one = p < 0.5 ? -1 / std::tan(M_PI * p) : 1 / std::tan(M_PI * (1 - p));
    EXPECT_NEAR(calc_student_t_quantile(p, 1), one, 1e-13 * std::abs(one));
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(calc_student_t_quantile(p, 2), two, 1e-13 * std::abs(two));
  }
}

TEST(Quantiles, InvertTheNormalDistribution) {
  for (const double p : {1e-8, 0.02, 0.5, 0.8, 0.975}) {
    const double z = calc_normal_quantile(p);
    // Measured: 5.2e-16.
    EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2)), p, 1e-14 * std::max(p, 0.01));
  }
}

}  // namespace
}  // namespace vesica::quantiles_test
