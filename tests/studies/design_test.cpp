// Designs and distributions against closed forms, Boost.Math and Boost's own Sobol sequence.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/triangular.hpp>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <set>

#include "tests/support/support.h"
#include "vesica/studies/design.h"
#include "vesica/studies/distribution.h"
#include "vesica/studies/random.h"
#include "vesica/studies/sobol_sequence.h"

namespace vesica::studies::design_test {
namespace {

Distribution read(const std::string& text) {
  std::string unit;
  const auto d = read_distribution(InputFile::parse(text, "d.yaml").root(), &unit);
  return d.value();
}

TEST(Random, AnOrderTakesEveryPlaceOnce) {
  for (const std::uint64_t count : {1u, 2u, 3u, 17u, 64u, 1000u}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t k = 0; k < count; ++k) seen.insert(permute_index(k, count, 5));
    EXPECT_EQ(seen.size(), count);
    EXPECT_LT(*seen.rbegin(), count);
  }
  // Another key, another order: of 1000 places about one stays.
  int same = 0;
  for (std::uint64_t k = 0; k < 1000; ++k)
    same += permute_index(k, 1000, 5) == permute_index(k, 1000, 6);
  EXPECT_LT(same, 8);
}

// Mean 1/2, variance 1/12, no correlation of neighbours, to five standard errors of 1e5 draws.
TEST(Random, DrawsAreUniformAndIndependent) {
  constexpr int kCount = 100000;
  double sum = 0, squares = 0, products = 0, before = 0.5;
  for (int k = 0; k < kCount; ++k) {
    const double u = calc_uniform(7, static_cast<std::uint64_t>(k), 1) - 0.5;
    sum += u;
    squares += u * u;
    products += u * before;
    before = u;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / kCount));
  EXPECT_NEAR(products / kCount, 0, 5 * (1.0 / 12) / std::sqrt(kCount));
}

// Joe and Kuo's sequence as Boost has it, which walks it in Gray's order and leaves out the origin.
TEST(Sobol, IsBoostsSequence) {
  constexpr int kPoints = 4096;
  boost::random::sobol_engine<std::uint32_t, 32> engine(kSobolDimensions);
  for (std::uint32_t k = 1; k < kPoints; ++k) {
    const std::uint32_t gray = k ^ (k >> 1);
    for (int d = 0; d < kSobolDimensions; ++d) {
      ASSERT_EQ(calc_sobol_bits(gray, d), engine()) << "point " << k << ", dimension " << d;
    }
  }
}

// Of 2^k points every slice of width 2^-k has one, in every dimension, scrambled too.
TEST(Sobol, ScrambledPointsFillEverySliceOnce) {
  constexpr int kPoints = 1024;
  for (int d = 0; d < kSobolDimensions; ++d) {
    std::set<int> slices;
    for (std::uint32_t k = 0; k < kPoints; ++k) {
      const double u = calc_sobol(k, d, 11);
      ASSERT_TRUE(u > 0 && u < 1);
      slices.insert(static_cast<int>(u * kPoints));
    }
    EXPECT_EQ(slices.size(), static_cast<size_t>(kPoints)) << d;
  }
}

// The first two dimensions: one point in every box of 2^-a by 2^-(10-a).
TEST(Sobol, PairsFillBoxes) {
  for (int a = 0; a <= 10; ++a) {
    std::set<std::pair<int, int>> boxes;
    for (std::uint32_t k = 0; k < 1024; ++k) {
      boxes.emplace(static_cast<int>(calc_sobol(k, 0, 3) * (1 << a)),
                    static_cast<int>(calc_sobol(k, 1, 3) * (1 << (10 - a))));
    }
    EXPECT_EQ(boxes.size(), 1024u) << a;
  }
}

TEST(Distributions, QuantilesAreBoosts) {
  namespace math = boost::math;
  const Distribution normal = read("{distribution: normal, mean: 2, sd: 3}");
  const Distribution lognormal = read("{distribution: log_normal, median: 2, sigma: 0.5}");
  const Distribution triangle = read("{distribution: triangular, low: 1, mode: 2, high: 5}");
  const Distribution beta = read("{distribution: beta, low: 1, high: 3, alpha: 0.7, beta: 4}");
  for (const double u : {1e-9, 1e-3, 0.2, 0.25, 0.5, 0.9, 0.999, 1 - 1e-9}) {
    // 1e-12 of the scale is what quantiles.h states; measured 2e-15 to 3e-13.
    EXPECT_NEAR(normal.quantile(u), quantile(math::normal(2, 3), u), 1e-11) << u;
    EXPECT_NEAR(lognormal.quantile(u), quantile(math::lognormal(std::log(2), 0.5), u),
                1e-11 * lognormal.quantile(u))
        << u;
    EXPECT_NEAR(triangle.quantile(u), quantile(math::triangular(1, 2, 5), u), 1e-12) << u;
    EXPECT_NEAR(beta.quantile(u), 1 + 2 * quantile(math::beta_distribution<>(0.7, 4), u), 1e-12)
        << u;
  }
}

TEST(Distributions, TruncationKeepsTheShapeBetweenTheBounds) {
  namespace math = boost::math;
  const math::normal plain(2, 3);
  const Distribution d = read("{distribution: normal, mean: 2, sd: 3, low: 1, high: 9}");
  const double low = cdf(plain, 1), high = cdf(plain, 9);
  for (const double u : {0.0, 0.01, 0.5, 0.99, 1.0}) {
    const double x = d.quantile(u);
    EXPECT_GE(x, 1);
    EXPECT_LE(x, 9);
    EXPECT_NEAR(cdf(plain, x), low + u * (high - low), 1e-14) << u;
  }
  // Eight standard deviations out, on either side.
  const Distribution far = read("{distribution: normal, mean: 0, sd: 1, low: 5, high: 6}");
  EXPECT_NEAR(far.quantile(0.5),
              quantile(complement(math::normal(), 0.5 * (cdf(complement(math::normal(), 5)) +
                                                         cdf(complement(math::normal(), 6))))),
              1e-10);
}

TEST(Distributions, SayWhatIsMissing) {
  const auto error = [](const std::string& text) {
    return test::input_error_of([&] { read(text); });
  };
  EXPECT_NE(error("{distribution: normal, mean: 2}").find("needs 'sd'"), std::string::npos);
  EXPECT_NE(error("{low: 2, high: 1}").find("empty"), std::string::npos);
  EXPECT_NE(error("{low: 2 mm, high: 1 m}").find("one unit"), std::string::npos);
  EXPECT_NE(error("{distribution: log_uniform, low: 0, high: 1}").find("above 0"),
            std::string::npos);
  EXPECT_NE(error("{distribution: normal, mean: 0, sd: 1, mode: 3}").find("no parameter"),
            std::string::npos);
  EXPECT_NE(error("{distribution: gauss, low: 0, high: 1}").find("normal"), std::string::npos);
}

Design make_design(Method method, std::uint64_t samples, std::vector<std::uint64_t> sizes) {
  Design d;
  d.method = method;
  d.samples = samples;
  d.sizes = std::move(sizes);
  return d;
}

TEST(Designs, LatinHypercubeTakesEverySliceOnce) {
  const Design d = make_design(Method::kLatinHypercube, 100, {0, 0, 0});
  for (size_t f = 0; f < 3; ++f) {
    std::set<int> slices;
    for (std::uint64_t k = 0; k < 100; ++k) {
      slices.insert(static_cast<int>(calc_point(d, k)[f].probability * 100));
    }
    EXPECT_EQ(slices.size(), 100u);
  }
}

TEST(Designs, GridHasEveryCombinationAndSweepOneFactorAtATime) {
  const Design grid = make_design(Method::kGrid, 0, {2, 3, 4});
  std::set<std::array<std::uint64_t, 3>> seen;
  for (std::uint64_t k = 0; k < grid.points(); ++k) {
    const auto p = calc_point(grid, k);
    seen.insert({p[0].level, p[1].level, p[2].level});
  }
  EXPECT_EQ(grid.points(), 24u);
  EXPECT_EQ(seen.size(), 24u);
  const Design sweep = make_design(Method::kSweep, 0, {2, 3});
  ASSERT_EQ(sweep.points(), 6u);
  for (std::uint64_t k = 1; k < 6; ++k) {
    const auto p = calc_point(sweep, k);
    EXPECT_EQ(p[0].is_nominal + p[1].is_nominal, 1) << k;
  }
}

// A Gaussian copula of correlation r has Spearman's 6/pi asin(r/2); the margins stay uniform.
TEST(Designs, CorrelatesRanksAsTheCopulaSays) {
  Design d = make_design(Method::kMonteCarlo, 20000, {0, 0, 0});
  d.copula = factor_correlations({1, 0.6, 0, 0.6, 1, 0, 0, 0, 1}, 3);
  double s01 = 0, s02 = 0, variance = 0;
  for (std::uint64_t k = 0; k < d.samples; ++k) {
    const auto p = calc_point(d, k);
    const double u[3] = {p[0].probability - 0.5, p[1].probability - 0.5, p[2].probability - 0.5};
    s01 += u[0] * u[1];
    s02 += u[0] * u[2];
    variance += u[1] * u[1];
  }
  const double n = 20000;
  EXPECT_NEAR(12 * s01 / n, 6 / M_PI * std::asin(0.3), 0.02);  // measured 0.58197, expected 0.58192
  EXPECT_NEAR(12 * s02 / n, 0, 0.03);
  EXPECT_NEAR(variance / n, 1.0 / 12, 0.002);
  EXPECT_TRUE(factor_correlations({1, 0.9, 0.9, 1, 0.9, -0.9, 0.9, -0.9, 1}, 3).empty());
}

TEST(Designs, MorrisMovesEveryFactorOnceByTheStep) {
  const Design d = make_design(Method::kMorris, 20, {0, 0, 0, 0});
  for (std::uint64_t t = 0; t < d.samples; ++t) {
    const auto steps = calc_morris_steps(d, t);
    std::set<std::uint64_t> moved;
    for (std::uint64_t k = 0; k < 4; ++k) {
      const auto a = calc_point(d, t * 5 + k), b = calc_point(d, t * 5 + k + 1);
      for (size_t f = 0; f < 4; ++f) {
        const double change = b[f].probability - a[f].probability;
        EXPECT_NEAR(change, f == steps[k].factor ? steps[k].change : 0, 1e-12);
        EXPECT_TRUE(b[f].probability >= 0 && b[f].probability <= 1);
      }
      EXPECT_NEAR(std::abs(steps[k].change), 2.0 / 3, 1e-12);  // p/(2 (p - 1)) of four levels
      moved.insert(steps[k].factor);
    }
    EXPECT_EQ(moved.size(), 4u);
  }
}

TEST(Designs, SobolIndicesMixTwoSamples) {
  const Design d = make_design(Method::kSobolIndices, 8, {0, 0});
  for (std::uint64_t row = 0; row < 8; ++row) {
    const auto a = calc_point(d, 4 * row), b = calc_point(d, 4 * row + 1);
    for (size_t f = 0; f < 2; ++f) {
      const auto mixed = calc_point(d, 4 * row + 2 + f);
      EXPECT_EQ(mixed[f].probability, b[f].probability);
      EXPECT_EQ(mixed[1 - f].probability, a[1 - f].probability);
    }
  }
}

}  // namespace
}  // namespace vesica::studies::design_test
