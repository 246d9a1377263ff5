#include "vesica/biomechanics/foot2d_table.h"

#include <algorithm>
#include <limits>

#include "vesica/error.h"

namespace vesica {
namespace {

using Slot = Foot2dRow::Slot;
using Scale = Foot2dRow::Scale;

constexpr double kUnknownOptimum = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<double, 3> kNoOptimum = {kUnknownOptimum, kUnknownOptimum, kUnknownOptimum};
constexpr double kReferenceDepth = 0.01;   // [m]
constexpr double kReferenceVolume = 1e-5;  // [m^3]
constexpr double kLeastForce = 0.1, kMostForce = 1e5;
constexpr double kMostDamping = 1e4;      // [s/m]
constexpr double kDampingNearZero = 0.1;  // [s/m], where its variable turns from linear to log

std::array<double, 3> all(double value) { return {value, value, value}; }

// What the tables give for one type.
struct SourceTable {
  const char *stiffness, *stiffness_unit, *damping, *damping_unit;
  std::array<double, 3> k, a, size, exponent, mu, v_s, dx, dy;
};
const SourceTable kSpringTable = {"k_S",
                                  "N/m^n",
                                  "a_S",
                                  "s/m",
                                  {9.8e3, 2.2e3, 6.6e4},
                                  {85.7, 1.3e3, 15.8},
                                  {0.055, 0.050, 0.042},
                                  {0.93, 0.95, 0.89},
                                  {0.33, 0.41, 0.45},
                                  {0.062, 0.035, 0.055},
                                  {-0.0142, -0.0129, -0.0006},
                                  {-0.0093, 0.0084, 0.0182}};
const SourceTable kLinearTable = {"k_V",
                                  "N/m^3",
                                  "a_V",
                                  "s/m",
                                  {1.94e6, 2.08e6, 4.12e5},
                                  {1.6, 0.53, 0.31},
                                  {0.056, 0.054, 0.043},
                                  {1, 1, 1},
                                  {0.24, 0.28, 0.34},
                                  {0.029, 0.052, 0.059},
                                  {-0.0119, -0.0134, -0.0008},
                                  {-0.0108, 0.0079, 0.0178}};
const SourceTable kHyperTable = {"k_h",
                                 "N/m^3H",
                                 "a_h",
                                 "N s/m^4",
                                 {7.4e5, 1.1e6, 6.8e5},
                                 {4.1e7, 6.3e5, 1.9e7},
                                 {0.054, 0.052, 0.043},
                                 {0.78, 0.85, 0.83},
                                 {0.24, 0.27, 0.35},
                                 {0.031, 0.048, 0.061},
                                 {-0.0120, -0.0131, 0.0021},
                                 {-0.0106, 0.0083, 0.0185}};

const SourceTable& table_of(const Foot2dType& type) {
  if (type.element == Foot2dElement::kSpring) return kSpringTable;
  return type.is_hyper() ? kHyperTable : kLinearTable;
}

double reference_of(const Foot2dType& type) {
  return type.element == Foot2dElement::kSpring ? kReferenceDepth : kReferenceVolume;
}

// Upper bounds of L_0 and R_V.
constexpr std::array<double, 3> kMostSize = {0.060, 0.055, 0.045};

template <class T>
T& slot_of(Foot2dParameters<T>& p, Slot slot) {
  switch (slot) {
    case Slot::kStiffness:
      return p.stiffness;
    case Slot::kDamping:
      return p.damping;
    case Slot::kExponent:
      return p.exponent;
    case Slot::kSize:
      return p.size;
    case Slot::kHeight:
      return p.height;
    case Slot::kTilt:
      return p.tilt;
    case Slot::kMu:
      return p.mu;
    case Slot::kSlip:
      return p.v_s;
    case Slot::kDx:
      return p.dx;
    case Slot::kDy:
      return p.dy;
    case Slot::kSigma:
      return p.sigma_0;
    case Slot::kTau:
      break;
  }
  return p.tau;
}

template <class T>
T from_variable(const Foot2dRow& row, size_t point, const T& u) {
  using std::exp;
  const double low = row.lower[point], high = row.upper[point];
  switch (row.scale) {
    case Scale::kLinear:
      return T(low) + u * (high - low);
    case Scale::kLog:
      return exp(u * std::log(high / low)) * low;
    case Scale::kFromZero:
      break;
  }
  return (exp(u * std::log1p(high / kDampingNearZero)) - 1.0) * kDampingNearZero;
}
// Beyond its bounds: outside 0 and 1.
double to_variable(const Foot2dRow& row, size_t point, double value) {
  const double low = row.lower[point], high = row.upper[point];
  constexpr double kNothing = 1e-300;
  switch (row.scale) {
    case Scale::kLinear:
      return (value - low) / (high - low);
    case Scale::kLog:
      return std::log(std::max(value, kNothing) / low) / std::log(high / low);
    case Scale::kFromZero:
      break;
  }
  return std::log1p(std::max(0.0, value) / kDampingNearZero) / std::log1p(high / kDampingNearZero);
}

std::vector<double> to_variables(const Foot2dType& type, const std::vector<Foot2dRow>& rows,
                                 int point, Foot2dParameters<double> p) {
  const double reference = reference_of(type);
  p.stiffness *= std::pow(reference, p.exponent);
  if (type.is_hyper() && p.stiffness > 0) p.damping *= reference / p.stiffness;
  std::vector<double> variables;
  for (const Foot2dRow& row : rows) {
    variables.push_back(to_variable(row, static_cast<size_t>(point), slot_of(p, row.slot)));
  }
  return variables;
}

}  // namespace

std::vector<Foot2dRow> make_foot2d_rows(const Foot2dType& type) {
  const SourceTable& t = table_of(type);
  const bool source = !type.is_ellipsoid() && type.friction == Foot2dFriction::kArctan;
  const auto optimum = [&](const std::array<double, 3>& values) {
    return source ? values : kNoOptimum;
  };
  const bool spring = type.element == Foot2dElement::kSpring;
  std::vector<Foot2dRow> rows;
  rows.push_back({Slot::kStiffness, t.stiffness, t.stiffness_unit, "stiffness", Scale::kLog,
                  all(kLeastForce), all(kMostForce), optimum(t.k)});
  rows.push_back({Slot::kDamping, t.damping, t.damping_unit, "damping", Scale::kFromZero, all(0),
                  all(kMostDamping), optimum(t.a)});
  if (type.is_ellipsoid()) {
    rows.push_back({Slot::kSize, "r_x", "m", "half-axis along", Scale::kLinear, all(0.001),
                    kMostSize, kNoOptimum});
    rows.push_back({Slot::kHeight, "r_y", "m", "half-axis across", Scale::kLinear, all(0.001),
                    kMostSize, kNoOptimum});
    rows.push_back({Slot::kTilt, "tilt", "rad", "of the half-axis r_x against its segment",
                    Scale::kLinear, all(-kPi / 4), all(kPi / 4), kNoOptimum});
  } else {
    rows.push_back({Slot::kSize, spring ? "L_0" : "R_V", "m", spring ? "rest length" : "radius",
                    Scale::kLinear, all(0.001), kMostSize, optimum(t.size)});
  }
  if (spring || type.is_hyper()) {
    rows.push_back({Slot::kExponent, spring ? "n_S" : "H", "",
                    spring ? "exponent of the depth" : "exponent of the volume", Scale::kLog,
                    all(0.1), all(10), optimum(t.exponent)});
  }
  rows.push_back(
      {Slot::kMu, "mu_f", "", "friction", Scale::kLinear, all(1e-3), all(1), optimum(t.mu)});
  rows.push_back({Slot::kSlip, "v_s", "m/s", "slip over which friction rises", Scale::kLog,
                  all(1e-6), all(0.1), optimum(t.v_s)});
  rows.push_back({Slot::kDx, "dx", "m", "place along its segment", Scale::kLinear, all(-0.02),
                  all(0.02), optimum(t.dx)});
  rows.push_back({Slot::kDy, "dy", "m", "place across its segment", Scale::kLinear, all(-0.02),
                  all(0.02), optimum(t.dy)});
  if (type.friction == Foot2dFriction::kBristle) {
    rows.push_back({Slot::kSigma, "sigma_0", "1/m", "stiffness of the bristles over the load",
                    Scale::kLog, all(1), all(1e5), kNoOptimum});
    rows.push_back({Slot::kTau, "tau_br", "s", "time over which bristles follow", Scale::kLog,
                    all(1e-4), all(0.1), kNoOptimum});
  }
  return rows;
}

const std::vector<std::string_view>& foot2d_element_names() {
  static const std::vector<std::string_view> names = {"spring", "linear", "hyper", "ellipsoid",
                                                      "hyper_ellipsoid"};
  return names;
}
std::string_view name_of(Foot2dElement element) {
  return foot2d_element_names()[static_cast<size_t>(element)];
}
std::string_view name_of(Foot2dFriction friction) {
  return friction == Foot2dFriction::kArctan ? "arctan" : "bristle";
}

std::vector<std::string> name_foot2d_parameters(const Foot2dType& type) {
  std::vector<std::string> names;
  const std::vector<Foot2dRow> rows = make_foot2d_rows(type);
  for (const std::string_view point : kFoot2dPointNames) {
    for (const Foot2dRow& row : rows) names.push_back(row.name + "." + std::string(point));
  }
  return names;
}

template <class T>
Foot2dParameters<T> as_foot2d_parameters(const Foot2dType& type, const std::vector<Foot2dRow>& rows,
                                         int point, const T* variables) {
  using std::exp;
  Foot2dParameters<T> p;
  for (size_t r = 0; r < rows.size(); ++r) {
    slot_of(p, rows[r].slot) = from_variable(rows[r], static_cast<size_t>(point), variables[r]);
  }
  const double reference = reference_of(type);
  if (type.is_hyper()) p.damping = p.damping * p.stiffness * (1 / reference);
  p.stiffness = p.stiffness * exp(-p.exponent * std::log(reference));
  return p;
}
template Foot2dParameters<double> as_foot2d_parameters(const Foot2dType&,
                                                       const std::vector<Foot2dRow>&, int,
                                                       const double*);
template Foot2dParameters<Dual<8>> as_foot2d_parameters(const Foot2dType&,
                                                        const std::vector<Foot2dRow>&, int,
                                                        const Dual<8>*);
template Foot2dParameters<Dual<12>> as_foot2d_parameters(const Foot2dType&,
                                                         const std::vector<Foot2dRow>&, int,
                                                         const Dual<12>*);

std::vector<double> as_foot2d_variables(const Foot2dType& type, const std::vector<Foot2dRow>& rows,
                                        int point, const Foot2dParameters<double>& parameters) {
  std::vector<double> variables = to_variables(type, rows, point, parameters);
  for (double& u : variables) u = std::clamp(u, 0.0, 1.0);
  return variables;
}

std::vector<double> as_foot2d_variables_of_raw(const Foot2dType& type,
                                               const std::vector<Foot2dRow>& rows, int point,
                                               const double* raw) {
  const bool spring = type.element == Foot2dElement::kSpring;
  Foot2dParameters<double> p;
  for (size_t r = 0; r < rows.size(); ++r) {
    double low = rows[r].lower[static_cast<size_t>(point)];
    double high = rows[r].upper[static_cast<size_t>(point)];
    if (rows[r].slot == Slot::kStiffness) {
      low = 0;
      high = spring ? 1e6 : 1e8;
    } else if (rows[r].slot == Slot::kDamping) {
      high = spring ? 1e4 : type.is_hyper() ? 1e9 : 100;
    }
    slot_of(p, rows[r].slot) = low + raw[r] * (high - low);
  }
  return to_variables(type, rows, point, p);
}

std::array<double, 2> calc_foot2d_bounds(const Foot2dType& type, const std::vector<Foot2dRow>& rows,
                                         int point, Slot slot) {
  std::array<double, 2> bounds = {kInfinity, -kInfinity};
  // It grows or falls with each variable, so that its extremes are at corners; it hangs on its own
  // and at most on stiffness and exponent.
  for (unsigned corner = 0; corner < 8; ++corner) {
    std::vector<double> u(rows.size(), 0.5);
    for (size_t r = 0; r < rows.size(); ++r) {
      const unsigned bit = rows[r].slot == slot               ? 1u
                           : rows[r].slot == Slot::kStiffness ? 2u
                           : rows[r].slot == Slot::kExponent  ? 4u
                                                              : 0u;
      if (bit > 0) u[r] = (corner & bit) > 0 ? 1 : 0;
    }
    Foot2dParameters<double> p = as_foot2d_parameters(type, rows, point, u.data());
    const double value = slot_of(p, slot);
    bounds = {std::min(bounds[0], value), std::max(bounds[1], value)};
  }
  return bounds;
}

double calc_foot2d_turn(const Foot2dType& type, const Foot2dRow& row,
                        const Foot2dParameters<double>& parameters) {
  if (row.scale == Scale::kLinear) return kInfinity;
  if (row.scale == Scale::kLog) return 0;
  if (!type.is_hyper()) return kDampingNearZero;
  const double reference = reference_of(type);  // a_h = a F_ref/ref
  return kDampingNearZero * parameters.stiffness * std::pow(reference, parameters.exponent - 1);
}

template <class T>
const T& parameter_of(const Foot2dParameters<T>& p, Slot slot) {
  return slot_of(const_cast<Foot2dParameters<T>&>(p), slot);  // NOLINT: read only
}
template const double& parameter_of(const Foot2dParameters<double>&, Slot);
template const Dual<8>& parameter_of(const Foot2dParameters<Dual<8>>&, Slot);
template const Dual<12>& parameter_of(const Foot2dParameters<Dual<12>>&, Slot);

Foot2dParameters<double> make_shourijeh_element(const Foot2dType& type, int point) {
  if (type.is_ellipsoid() || type.friction != Foot2dFriction::kArctan) {
    throw InputError("the source has springs, linear and hyper-volumetric spheres with arctan");
  }
  Foot2dParameters<double> p;
  for (const Foot2dRow& row : make_foot2d_rows(type)) {
    slot_of(p, row.slot) = row.source[static_cast<size_t>(point)];
  }
  return p;
}

}  // namespace vesica
