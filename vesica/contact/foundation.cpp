#include "vesica/contact/foundation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vesica {
namespace {

std::vector<double> read_numbers(const InputNode& node, const Dimension& dimension) {
  std::vector<double> values;
  for (const InputNode& item : node.items()) values.push_back(item.number(dimension));
  return values;
}

}  // namespace

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
Foundation<P> Foundation<P>::read(const InputNode& node) {
  Foundation law;
  law.curve = static_cast<Curve>(node.at("curve").choice({"logarithmic", "table", "formula"}));
  switch (law.curve) {
    case Curve::kLogarithmic: {
      node.allow(HystereticDamping<P>::allow(
          {"curve", "modulus", "young_modulus", "poisson_ratio", "thickness"}));
      law.thickness = node.at("thickness").template positive_scalar<P>(dimension::kLength);
      if (const auto modulus = node.find("modulus")) {
        if (node.find("young_modulus") || node.find("poisson_ratio")) {
          modulus->fail("give either 'modulus' or 'young_modulus' with 'poisson_ratio', not both");
        }
        law.modulus = modulus->template positive_scalar<P>(dimension::kPressure);
      } else {
        const P E = node.at("young_modulus").template positive_scalar<P>(dimension::kPressure);
        const P nu = node.at("poisson_ratio").template scalar<P>(dimension::kNumber);
        if (!(value_of(nu) > -1 && value_of(nu) < 0.5)) {
          node.at("poisson_ratio").fail("lies between -1 and 0.5; at 0.5 a bonded layer is rigid");
        }
        law.modulus = (P(1) - nu) * E / ((P(1) + nu) * (P(1) - P(2) * nu));
      }
      break;
    }
    case Curve::kTable: {
      node.allow(HystereticDamping<P>::allow({"curve", "depth", "pressure"}));
      try {
        law.table = std::make_shared<PressureTable>(
            PressureTable::make(read_numbers(node.at("depth"), dimension::kLength),
                                read_numbers(node.at("pressure"), dimension::kPressure)));
      } catch (const InputError& error) {
        node.at("pressure").fail(error.what());
      }
      break;
    }
    case Curve::kFormula: {
      node.allow(HystereticDamping<P>::allow({"curve", "pressure"}));
      const InputNode text = node.at("pressure");
      try {
        law.formula = std::make_shared<Expression>(Expression::parse(text.text(), "d"));
      } catch (const InputError& error) {
        text.fail(error.what());
      }
      // Where contacts happen it must be a pressure.
      for (const double d : {1e-9, 1e-6, 1e-5, 1e-4, 1e-3}) {
        const double p = (*law.formula)(d);
        if (!std::isfinite(p) || p < 0) {
          text.fail(fmt::format(
              "is {} Pa at a depth of {} m; a pressure is finite and not negative", p, d));
        }
      }
      break;
    }
  }
  law.damping = HystereticDamping<P>::read(node);
  return law;
}

template Foundation<double> Foundation<double>::read(const InputNode&);
template Foundation<Dual<4>> Foundation<Dual<4>>::read(const InputNode&);
template Foundation<Dual<12>> Foundation<Dual<12>>::read(const InputNode&);

}  // namespace vesica
