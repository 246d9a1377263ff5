#include "vesica/studies/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "vesica/math/quantiles.h"

namespace vesica::studies {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<std::string_view, 6> kKindNames = {"uniform",    "log_uniform", "normal",
                                                        "log_normal", "triangular",  "beta"};

// I_x(a, b), on the side where its continued fraction converges quickly.
double calc_beta_part(double a, double b, double x) {
  const double log_front =
      a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
  return std::exp(log_front) * detail::calc_beta_fraction(a, b, x) / a;
}

double calc_beta_probability(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x < (a + 1) / (a + b + 2) ? calc_beta_part(a, b, x) : 1 - calc_beta_part(b, a, 1 - x);
}

// z of a normal between two bounds; from the nearer tail, so that far bounds keep their digits.
double calc_truncated_quantile(double u, double low, double high) {
  if (low == -kInfinity && high == kInfinity) return calc_normal_quantile(u);
  if (low > 0) return -calc_truncated_quantile(1 - u, -high, -low);
  const double p_low = calc_normal_probability(low), p_high = calc_normal_probability(high);
  const double z = calc_normal_quantile(p_low + u * (p_high - p_low));
  return std::clamp(z, low, high);
}

double at_least(const InputNode& node, double value, double least, const char* what) {
  if (!(value > least)) node.fail(fmt::format("{}", what));
  return value;
}

}  // namespace

double calc_normal_probability(double z) { return 0.5 * std::erfc(-z * M_SQRT1_2); }

// Bisection, from the nearer end: the other has lost the digits of 1 - u.
double calc_beta_quantile(double u, double a, double b) {
  if (u > 0.5) return 1 - calc_beta_quantile(1 - u, b, a);
  double low = 0, high = 1;
  for (int k = 0; k < 60; ++k) {
    const double x = 0.5 * (low + high);
    (calc_beta_probability(a, b, x) < u ? low : high) = x;
    if (high - low < 1e-16) break;
  }
  return 0.5 * (low + high);
}

bool Distribution::has_low() const {
  return low != -kInfinity && !(kind == Kind::kLogNormal && low == 0);
}
bool Distribution::has_high() const { return high != kInfinity; }

double Distribution::quantile(double u) const {
  if (u <= 0) return low;
  if (u >= 1) return high;
  switch (kind) {
    case Kind::kUniform:
      return low + u * (high - low);
    case Kind::kLogUniform:
      return std::clamp(low * std::exp(u * std::log(high / low)), low, high);
    case Kind::kNormal:
      return std::clamp(a + b * calc_truncated_quantile(u, (low - a) / b, (high - a) / b), low,
                        high);
    case Kind::kLogNormal: {
      const double z = calc_truncated_quantile(u, low > 0 ? std::log(low / a) / b : -kInfinity,
                                               std::log(high / a) / b);
      return std::clamp(a * std::exp(b * z), low, high);
    }
    case Kind::kTriangular: {
      const double width = high - low, rising = (a - low) / width;
      return u < rising ? low + std::sqrt(u * width * (a - low))
                        : high - std::sqrt((1 - u) * width * (high - a));
    }
    case Kind::kBeta:
      return low + (high - low) * calc_beta_quantile(u, a, b);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double Distribution::least() const { return has_low() ? low : quantile(0x1p-54); }
double Distribution::greatest() const { return has_high() ? high : quantile(1 - 0x1p-53); }

std::string_view name_of(Distribution::Kind kind) { return kKindNames[static_cast<size_t>(kind)]; }

NumberWithUnit read_number_with_unit(const InputNode& node) {
  if (!node.is_scalar()) node.fail("expected a number, with a unit where it has one (20 mm)");
  const std::string text = node.text();
  const char* begin = text.data();
  while (*begin == ' ' || *begin == '+') ++begin;
  NumberWithUnit number;
  const auto [end, code] = std::from_chars(begin, text.data() + text.size(), number.value);
  if (code != std::errc() || !std::isfinite(number.value)) {
    node.fail(fmt::format(
        "'{}' is not a number; expected one, with a unit where it has one (20 mm)", text));
  }
  number.unit = std::string(end, text.data() + text.size());
  number.unit.erase(0, number.unit.find_first_not_of(' '));
  while (!number.unit.empty() && number.unit.back() == ' ') number.unit.pop_back();
  return number;
}

std::optional<Distribution> read_distribution(const InputNode& factor, std::string* unit) {
  const bool has_any = factor.find("distribution") || factor.find("low") || factor.find("high");
  if (!has_any) return std::nullopt;
  Distribution d;
  if (const auto kind = factor.find("distribution")) {
    d.kind = static_cast<Distribution::Kind>(kind->choice({kKindNames.begin(), kKindNames.end()}));
  }
  using Kind = Distribution::Kind;
  bool has_unit = false;
  const auto read = [&](const InputNode& node) {
    const NumberWithUnit number = read_number_with_unit(node);
    if (has_unit && number.unit != *unit) {
      node.fail(
          fmt::format("has the unit '{}', another number of this factor '{}'; give all of "
                      "them in one unit",
                      number.unit, *unit));
    }
    has_unit = true;
    *unit = number.unit;
    return number.value;
  };
  const auto demand = [&](const char* key) {
    const auto node = factor.find(key);
    if (!node) {
      factor.fail(fmt::format("a {} distribution needs '{}'", name_of(d.kind), key));
    }
    return *node;
  };
  const auto plain = [&](const char* key, const char* what) {
    const InputNode node = demand(key);
    return at_least(node, node.number(dimension::kNumber), 0, what);
  };
  const bool bounded = d.kind != Kind::kNormal && d.kind != Kind::kLogNormal;
  d.low = d.kind == Kind::kLogNormal ? 0 : -kInfinity;
  d.high = kInfinity;
  if (bounded || factor.find("low")) d.low = read(demand("low"));
  if (bounded || factor.find("high")) d.high = read(demand("high"));
  if (!(d.low < d.high)) {
    factor.find("high")
        .value_or(factor.at("low"))
        .fail(fmt::format("the range from {:.6g} to {:.6g} is empty; 'high' must be above 'low'",
                          d.low, d.high));
  }
  std::vector<std::string_view> own;
  switch (d.kind) {
    case Kind::kUniform:
      break;
    case Kind::kLogUniform:
      at_least(factor.at("low"), d.low, 0, "must be above 0: the logarithm is uniform");
      break;
    case Kind::kNormal:
      d.a = read(demand("mean"));
      d.b = at_least(demand("sd"), read(demand("sd")), 0, "must be above 0");
      own = {"mean", "sd"};
      break;
    case Kind::kLogNormal:
      d.a = at_least(demand("median"), read(demand("median")), 0, "must be above 0");
      d.b = plain("sigma", "the standard deviation of the logarithm must be above 0");
      if (d.low < 0) factor.at("low").fail("a log-normal value is never below 0");
      own = {"median", "sigma"};
      break;
    case Kind::kTriangular:
      d.a = read(demand("mode"));
      if (d.a < d.low || d.a > d.high) demand("mode").fail("must lie between 'low' and 'high'");
      own = {"mode"};
      break;
    case Kind::kBeta:
      d.a = plain("alpha", "must be above 0");
      d.b = plain("beta", "must be above 0");
      own = {"alpha", "beta"};
      break;
  }
  for (const char* key : {"mean", "sd", "median", "sigma", "mode", "alpha", "beta"}) {
    const bool known = std::find(own.begin(), own.end(), key) != own.end();
    if (const auto node = factor.find(key); node && !known) {
      node->fail(fmt::format("is no parameter of a {} distribution", name_of(d.kind)));
    }
  }
  if (!bounded) {
    // A truncated range that holds next to nothing has no digits left in its quantiles.
    const double z_low = d.kind == Kind::kNormal
                             ? (d.low - d.a) / d.b
                             : (d.low > 0 ? std::log(d.low / d.a) / d.b : -kInfinity);
    const double z_high =
        d.kind == Kind::kNormal ? (d.high - d.a) / d.b : std::log(d.high / d.a) / d.b;
    const double held = z_low > 0
                            ? calc_normal_probability(-z_low) - calc_normal_probability(-z_high)
                            : calc_normal_probability(z_high) - calc_normal_probability(z_low);
    if (!(held > 1e-12)) {
      factor.fail(fmt::format("the bounds leave {:.1g} of the distribution; check them", held));
    }
  }
  return d;
}

}  // namespace vesica::studies
