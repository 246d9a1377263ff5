#include "vesica/studies/design.h"

#include <algorithm>
#include <cmath>

#include "vesica/math/quantiles.h"
#include "vesica/studies/distribution.h"
#include "vesica/studies/random.h"
#include "vesica/studies/sobol_sequence.h"

namespace vesica::studies {
namespace {

// What is drawn where: apart from each other for one counter and factor.
enum Stream : std::uint64_t {
  kDraw = 1ull << 32,
  kSlice = 2ull << 32,
  kWithinSlice = 3ull << 32,
  kBase = 4ull << 32,
  kOrder = 5ull << 32,
  kSign = 6ull << 32,
};

std::vector<double> draw_latin(const Design& d, std::uint64_t row, std::uint64_t rows) {
  std::vector<double> u(d.factors());
  for (std::uint64_t f = 0; f < u.size(); ++f) {
    const std::uint64_t key = calc_random_bits(d.seed, f, kSlice);
    const auto slice = static_cast<double>(permute_index(row, rows, key));
    u[f] = (slice + calc_uniform(d.seed, row, kWithinSlice + f)) / static_cast<double>(rows);
  }
  return u;
}

std::vector<double> draw_random(const Design& d, std::uint64_t row) {
  std::vector<double> u(d.factors());
  for (std::uint64_t f = 0; f < u.size(); ++f) u[f] = calc_uniform(d.seed, row, kDraw + f);
  return u;
}

std::vector<double> draw_sobol(const Design& d, std::uint64_t row, std::uint64_t first) {
  std::vector<double> u(d.factors());
  for (std::uint64_t f = 0; f < u.size(); ++f) {
    u[f] = calc_sobol(static_cast<std::uint32_t>(row), static_cast<int>(first + f), d.seed);
  }
  return u;
}

// Gaussian copula: the normal scores are correlated, the margins stay as they are.
void correlate(const Design& d, std::vector<double>* u) {
  if (d.copula.empty()) return;
  std::vector<double> z(u->size());
  for (size_t k = 0; k < z.size(); ++k) z[k] = calc_normal_quantile((*u)[k]);
  size_t at = 0;
  for (size_t r = 0; r < z.size(); ++r) {
    double sum = 0;
    bool alone = true;
    for (size_t c = 0; c <= r; ++c, ++at) {
      sum += d.copula[at] * z[c];
      alone = alone && (c == r || d.copula[at] == 0);
    }
    // A factor without correlation to those before keeps the digits of its draw.
    if (!alone) (*u)[r] = std::clamp(calc_normal_probability(sum), 0x1p-54, 1 - 0x1p-53);
  }
}

std::vector<FactorPlace> place(const Design& d, const std::vector<double>& u) {
  std::vector<FactorPlace> places(u.size());
  for (size_t f = 0; f < u.size(); ++f) {
    places[f].probability = u[f];
    if (d.sizes[f] == 0) continue;
    const auto size = static_cast<double>(d.sizes[f]);
    places[f].level = std::min(d.sizes[f] - 1, static_cast<std::uint64_t>(u[f] * size));
  }
  return places;
}

std::vector<FactorPlace> calc_sweep_point(const Design& d, std::uint64_t point) {
  std::vector<FactorPlace> places(d.factors(), {.is_nominal = true});
  if (point == 0) return places;
  --point;
  for (size_t f = 0; f < places.size(); ++f) {
    if (point < d.sizes[f]) {
      places[f] = {.level = point};
      break;
    }
    point -= d.sizes[f];
  }
  return places;
}

std::vector<FactorPlace> calc_grid_point(const Design& d, std::uint64_t point) {
  std::vector<FactorPlace> places(d.factors());
  for (size_t f = places.size(); f-- > 0;) {  // the last factor changes first
    places[f].level = point % d.sizes[f];
    point /= d.sizes[f];
  }
  return places;
}

// Morris (1991): from a random point of the grid one factor after the other moves by
// Delta = p / (2 (p - 1)), up where there is room, else down.
std::vector<double> calc_morris_base(const Design& d, std::uint64_t trajectory) {
  std::vector<double> base(d.factors());
  for (std::uint64_t f = 0; f < base.size(); ++f) {
    const auto cell = calc_random_bits(d.seed, trajectory, kBase + f) % d.levels;
    base[f] = static_cast<double>(cell) / static_cast<double>(d.levels - 1);
  }
  return base;
}

}  // namespace

const std::vector<std::string_view>& method_names() {
  static const std::vector<std::string_view> kNames = {
      "list",        "sweep",  "grid",          "latin_hypercube", "sobol",
      "monte_carlo", "morris", "sobol_indices", "multi_start",     "cross_validation"};
  return kNames;
}
std::string_view name_of(Method method) { return method_names()[static_cast<size_t>(method)]; }

bool is_sampled(Method method) {
  return method >= Method::kLatinHypercube && method <= Method::kMultiStart;
}

std::uint64_t Design::points() const {
  std::uint64_t count = 0;
  switch (method) {
    case Method::kList:
      for (const std::uint64_t size : sizes) count = std::max(count, size);
      return count;
    case Method::kSweep:
      count = 1;
      for (const std::uint64_t size : sizes) count += size;
      return count;
    case Method::kGrid:
      count = 1;
      for (const std::uint64_t size : sizes) count *= size;
      return count;
    case Method::kMorris:
      return samples * (factors() + 1);
    case Method::kSobolIndices:
      return samples * calc_row_length(*this);
    default:
      return samples;
  }
}

std::vector<MorrisStep> calc_morris_steps(const Design& d, std::uint64_t trajectory) {
  const auto p = static_cast<double>(d.levels);
  const double delta = p / (2 * (p - 1));
  const auto base = calc_morris_base(d, trajectory);
  const std::uint64_t key = calc_random_bits(d.seed, trajectory, kOrder);
  std::vector<MorrisStep> steps(d.factors());
  for (std::uint64_t k = 0; k < steps.size(); ++k) {
    const std::uint64_t f = permute_index(k, steps.size(), key);
    steps[k] = {f, base[f] + delta <= 1 + 1e-12 ? delta : -delta};
  }
  return steps;
}

std::vector<FactorPlace> calc_point(const Design& d, std::uint64_t point) {
  switch (d.method) {
    case Method::kList: {
      std::vector<FactorPlace> places(d.factors());
      for (FactorPlace& p : places) p.level = point;
      return places;
    }
    case Method::kSweep:
      return calc_sweep_point(d, point);
    case Method::kGrid:
      return calc_grid_point(d, point);
    case Method::kLatinHypercube: {
      auto u = draw_latin(d, point, d.samples);
      correlate(d, &u);
      return place(d, u);
    }
    case Method::kSobol: {
      auto u = draw_sobol(d, point, 0);
      correlate(d, &u);
      return place(d, u);
    }
    case Method::kMonteCarlo: {
      auto u = draw_random(d, point);
      correlate(d, &u);
      return place(d, u);
    }
    case Method::kMorris: {
      const std::uint64_t length = d.factors() + 1, trajectory = point / length;
      auto u = calc_morris_base(d, trajectory);
      const auto steps = calc_morris_steps(d, trajectory);
      for (std::uint64_t k = 0; k < point % length; ++k) {
        double& x = u[steps[k].factor];
        x = std::clamp(x + steps[k].change, 0.0, 1.0);
      }
      return place(d, u);
    }
    case Method::kSobolIndices: {
      const std::uint64_t row = point / calc_row_length(d), part = point % calc_row_length(d);
      auto u = draw_sobol(d, row, part == 1 ? d.factors() : 0);
      if (part >= 2) u[part - 2] = draw_sobol(d, row, d.factors())[part - 2];
      return place(d, u);
    }
    case Method::kMultiStart:
      if (point == 0) return std::vector<FactorPlace>(d.factors(), {.is_nominal = true});
      return place(d, draw_latin(d, point - 1, d.samples - 1));
    case Method::kCrossValidation:
      return std::vector<FactorPlace>(d.factors(), {.level = point});
  }
  return {};
}

std::vector<double> factor_correlations(const std::vector<double>& matrix, std::uint64_t size) {
  std::vector<double> lower;
  const auto at = [&](size_t r, size_t c) { return lower[r * (r + 1) / 2 + c]; };
  for (size_t r = 0; r < size; ++r) {
    for (size_t c = 0; c <= r; ++c) {
      double sum = matrix[r * size + c];
      for (size_t k = 0; k < c; ++k) sum -= at(r, k) * at(c, k);
      if (c < r) {
        lower.push_back(sum / at(c, c));
      } else if (sum > 1e-12) {
        lower.push_back(std::sqrt(sum));
      } else {
        return {};
      }
    }
  }
  return lower;
}

}  // namespace vesica::studies
