#include "vesica/contact/foundation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace vesica {

PressureTable PressureTable::make(std::vector<double> depth, std::vector<double> pressure) {
  const size_t n = depth.size();
  if (n < 2 || pressure.size() != n) {
    throw InputError("a table needs as many pressures as depths, at least two of each");
  }
  if (depth[0] != 0 || pressure[0] != 0) throw InputError("a table starts at depth 0, pressure 0");
  for (size_t k = 1; k < n; ++k) {
    if (!(depth[k] > depth[k - 1])) throw InputError("depths grow from one point to the next");
    if (pressure[k] < 0) throw InputError("a pressure is not negative: contacts do not pull");
  }
  PressureTable t;
  // Slopes by Fritsch and Carlson: harmonic mean of the neighbouring rises, zero at an extreme.
  std::vector<double> rise(n - 1);
  for (size_t k = 0; k + 1 < n; ++k) {
    rise[k] = (pressure[k + 1] - pressure[k]) / (depth[k + 1] - depth[k]);
  }
  t.slope.assign(n, 0.0);
  t.slope.front() = rise.front();
  t.slope.back() = rise.back();
  for (size_t k = 1; k + 1 < n; ++k) {
    if (rise[k - 1] * rise[k] > 0) t.slope[k] = 2 / (1 / rise[k - 1] + 1 / rise[k]);
  }
  t.depth = std::move(depth);
  t.pressure = std::move(pressure);
  t.energy.assign(n, 0.0);
  for (size_t k = 0; k + 1 < n; ++k) {
    const double h = t.depth[k + 1] - t.depth[k];
    t.energy[k + 1] = t.energy[k] + h * (0.5 * (t.pressure[k] + t.pressure[k + 1]) +
                                         h * (t.slope[k] - t.slope[k + 1]) / 12);
  }
  return t;
}

size_t PressureTable::interval(double d) const {
  const auto above = std::upper_bound(depth.begin(), depth.end(), d);
  return above == depth.begin() ? 0 : static_cast<size_t>(above - depth.begin()) - 1;
}

template <class P>
void Foundation<P>::describe(Fields<P>& f) {
  f.choice({.key = "curve", .meaning = "logarithmic, table or formula"},
           {"logarithmic", "table", "formula"}, &curve);
  const bool all = f.lists_all();
  if (curve == Curve::kLogarithmic || all) describe_layer(f);
  if (curve == Curve::kTable || all) describe_table(f);
  if (curve == Curve::kFormula || all) describe_formula(f);
  damping.describe(f);
}

template <class P>
void Foundation<P>::describe_layer(Fields<P>& f) {
  f.number({"thickness", dimension::kLength, Rule::kPositive, "logarithmic: h, of the layer"},
           &thickness);
  const bool direct = f.has("modulus", !has_material);
  const bool material = f.has("young_modulus", has_material);
  const bool all = f.lists_all();
  f.check(!direct || (!material && !f.has("poisson_ratio", has_material)), "modulus",
          "give either 'modulus' or 'young_modulus' with 'poisson_ratio', not both");
  has_material = !direct;
  if (direct) {
    f.number({"modulus", dimension::kPressure, Rule::kPositive,
              "logarithmic: K, or instead of it the two below"},
             &modulus);
  }
  if (direct && !all) return;
  f.number({"young_modulus", dimension::kPressure, Rule::kPositive, "logarithmic: E"},
           &young_modulus);
  f.number({"poisson_ratio", dimension::kNumber, Rule::kAny, "logarithmic: nu, between -1 and 0.5"},
           &poisson_ratio);
  const P& nu = poisson_ratio;
  f.check(value_of(nu) > -1 && value_of(nu) < 0.5, "poisson_ratio",
          "lies between -1 and 0.5; at 0.5 a bonded layer is rigid");
  if (f.has_values()) {
    modulus = (P(1) - nu) * young_modulus / ((P(1) + nu) * (P(1) - P(2) * nu));
  }
}

template <class P>
void Foundation<P>::describe_table(Fields<P>& f) {
  std::vector<double> depth, pressure;
  if (table) {
    depth = table->depth;
    pressure = table->pressure;
  }
  f.plain([&](Fields<double>& d) {
    d.numbers({"depth", dimension::kLength, Rule::kAny, "table: a list that grows from 0"}, &depth);
    d.numbers({"pressure", dimension::kPressure, Rule::kAny,
               "table: a list that begins with 0; formula: text in d [m]"},
              &pressure);
  });
  if (!f.has_values()) return;
  const bool grows = std::is_sorted(depth.begin(), depth.end(), std::less_equal<>());
  try {
    table =
        std::make_shared<PressureTable>(PressureTable::make(std::move(depth), std::move(pressure)));
  } catch (const InputError& error) {
    f.fail(grows ? "pressure" : "depth", error.what());
  }
}

template <class P>
void Foundation<P>::describe_formula(Fields<P>& f) {
  std::string text = formula ? formula->text() : std::string();
  f.text({.key = "pressure"}, &text);
  if (!f.has_values()) return;
  try {
    formula = std::make_shared<Expression>(Expression::parse(text, "d"));
  } catch (const InputError& error) {
    f.fail("pressure", error.what());
    return;
  }
  // Where contacts happen it must be a pressure.
  for (const double d : {1e-9, 1e-6, 1e-5, 1e-4, 1e-3}) {
    const double p = (*formula)(d);
    if (!std::isfinite(p) || p < 0) {
      f.fail(
          "pressure",
          fmt::format("is {} Pa at a depth of {} m; a pressure is finite and not negative", p, d));
    }
  }
}

template void Foundation<double>::describe(Fields<double>&);
template void Foundation<Dual<4>>::describe(Fields<Dual<4>>&);
template void Foundation<Dual<12>>::describe(Fields<Dual<12>>&);

}  // namespace vesica
