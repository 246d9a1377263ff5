#include "vesica/identification/foot2d_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/error.h"

namespace vesica {
namespace {

constexpr double kLittleLoad = 5;  // N

double calc_spread(const std::vector<double>& values) {
  double mean = 0, sum = 0;
  int count = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    mean += v;
    ++count;
  }
  mean /= std::max(1, count);
  for (const double v : values) {
    if (std::isfinite(v)) sum += (v - mean) * (v - mean);
  }
  return count > 1 ? std::sqrt(sum / (count - 1)) : 0.0;
}

// Least squares of |A f - b| for three factors between bounds, by turns: A' A and A' b are given.
// The factors' places do not hang on each other much, so that a few dozen turns are enough.
std::array<double, 3> solve_factors(const std::array<std::array<double, 3>, 3>& AA,
                                    const std::array<double, 3>& Ab,
                                    const std::array<double, 3>& lower,
                                    const std::array<double, 3>& upper) {
  std::array<double, 3> f = lower;
  for (int turn = 0; turn < 40; ++turn) {
    for (size_t i = 0; i < 3; ++i) {
      if (!(AA[i][i] > 0)) {
        f[i] = 1;  // it never touches: as it was
        continue;
      }
      double rest = Ab[i];
      for (size_t k = 0; k < 3; ++k) rest -= k == i ? 0.0 : AA[i][k] * f[k];
      f[i] = std::clamp(rest / AA[i][i], lower[i], upper[i]);
    }
  }
  return f;
}

}  // namespace

Foot2dProblem::Foot2dProblem(const Foot2dStance& stance, const Foot2dGeometry<double>& geometry,
                             const std::vector<Foot2dPose>& poses, const Foot2dType& type,
                             double cop_threshold)
    : type_(type),
      rows_(make_foot2d_rows(type)),
      step_(stance.step()),
      normal_(stance.normal),
      friction_(stance.friction),
      cop_(stance.cop) {
  const size_t n = stance.frames();
  if (poses.size() != n || normal_.size() != n || friction_.size() != n || cop_.size() != n) {
    throw InputError(stance.name + ": motion and force differ in their number of frames");
  }
  for (size_t f = 0; f < n; ++f) {
    if (!std::isfinite(normal_[f]) || !std::isfinite(friction_[f])) {
      throw InputError(
          fmt::format("{}: the force is not known at {:.3f} s", stance.name, stance.times[f]));
    }
    if (normal_[f] < cop_threshold) cop_[f] = std::numeric_limits<double>::quiet_NaN();
    const auto mounts = calc_foot2d_mounts(geometry, poses[f]);
    for (size_t e = 0; e < 3; ++e) mounts_[e].push_back(mounts[e]);
  }
  const double weight = 1 / std::sqrt(double(n));
  const auto scale = [&](const std::vector<double>& values, const char* what) {
    const double spread = calc_spread(values);
    if (!(spread > 0)) {
      throw InputError(fmt::format("{}: the measured {} does not vary", stance.name, what));
    }
    return weight / spread;
  };
  normal_scale_ = scale(normal_, "normal force");
  friction_scale_ = scale(friction_, "force along the walk");
  if (std::none_of(cop_.begin(), cop_.end(), [](double x) { return std::isfinite(x); })) {
    throw InputError(fmt::format(
        "{}: the normal force peaks at {:.0f} N and the centre of pressure counts above {:g} N: "
        "lower `cop_threshold`",
        stance.name, *std::max_element(normal_.begin(), normal_.end()), cop_threshold));
  }
  cop_scale_ = scale(cop_, "centre of pressure");
}

// `sums`: f_n, f_f and sum f_i (x_i - x^e); the Jacobian holds their derivatives and gets those of
// the residuals.
void Foot2dProblem::finish_row(size_t f, const double* sums, double* r, double* jacobian) const {
  r[0] = (sums[0] - normal_[f]) * normal_scale_;
  r[1] = (sums[1] - friction_[f]) * friction_scale_;
  const bool counts = std::isfinite(cop_[f]);
  const double inverse = 1 / (sums[0] + kLittleLoad), away = counts ? sums[2] * inverse : 0;
  r[2] = away * cop_scale_;
  if (jacobian == nullptr) return;
  const int n = variables();
  for (int k = 0; k < n; ++k) {
    const double by_load = jacobian[k];
    jacobian[2 * n + k] =
        counts ? (jacobian[2 * n + k] - away * by_load) * inverse * cop_scale_ : 0.0;
    jacobian[k] = by_load * normal_scale_;
    jacobian[n + k] *= friction_scale_;
  }
}

template <class T>
void Foot2dProblem::evaluate_as(const double* x, double* r, double* jacobian) const {
  constexpr int kDirections = ScalarTraits<T>::kDerivatives;
  const int own = static_cast<int>(rows_.size()), n = 3 * own;
  const size_t frames = normal_.size();
  std::vector<double> sums(3 * frames, 0.0);
  if (jacobian != nullptr) std::fill(jacobian, jacobian + 3 * frames * n, 0.0);
  for (int e = 0; e < 3; ++e) {
    std::array<T, 12> v;
    for (int k = 0; k < own; ++k) {
      if constexpr (kDirections > 0) {
        v[static_cast<size_t>(k)] = T::variable(x[own * e + k], k);
      } else {
        v[static_cast<size_t>(k)] = x[own * e + k];
      }
    }
    const Foot2dParameters<T> p = as_foot2d_parameters(type_, rows_, e, v.data());
    Foot2dBristle<T> bristle;
    for (size_t f = 0; f < frames; ++f) {
      const Foot2dForce<T> force = calc_foot2d_force(type_, p, mounts_[e][f], step_, &bristle);
      if (!force.touches) continue;
      const double at = std::isfinite(cop_[f]) ? cop_[f] : 0.0;
      const T terms[3] = {force.normal, force.friction, force.normal * (force.x - at)};
      for (size_t c = 0; c < 3; ++c) {
        sums[3 * f + c] += value_of(terms[c]);
        if constexpr (kDirections > 0) {
          double* row = jacobian + (3 * f + c) * static_cast<size_t>(n) + own * e;
          for (int k = 0; k < own; ++k) row[k] = terms[c].v[k];
        }
      }
    }
  }
  for (size_t f = 0; f < frames; ++f) {
    finish_row(f, sums.data() + 3 * f, r + 3 * f,
               jacobian == nullptr ? nullptr : jacobian + 3 * f * static_cast<size_t>(n));
  }
}

void Foot2dProblem::evaluate(const double* x, double* r, double* jacobian) const {
  if (jacobian == nullptr) {
    evaluate_as<double>(x, r, nullptr);
  } else if (rows_.size() <= 8) {
    evaluate_as<Dual<8>>(x, r, jacobian);
  } else {
    evaluate_as<Dual<12>>(x, r, jacobian);
  }
}

Foot2dObjective Foot2dProblem::objective(const double* x) const {
  std::vector<double> r(static_cast<size_t>(residuals()));
  evaluate(x, r.data(), nullptr);
  Foot2dObjective out;
  for (size_t k = 0; k < r.size(); k += 3) {
    out.normal += r[k] * r[k];
    out.friction += r[k + 1] * r[k + 1];
    out.cop += r[k + 2] * r[k + 2];
  }
  return out;
}

Foot2dObjective Foot2dProblem::objective(const Foot2dCurves& curves) const {
  Foot2dObjective out;
  for (size_t f = 0; f < normal_.size(); ++f) {
    const bool counts = std::isfinite(cop_[f]) && std::isfinite(curves.cop[f]);
    const double load = curves.normal[f];
    const double sums[3] = {load, curves.friction[f],
                            counts ? load * (curves.cop[f] - cop_[f]) : 0.0};
    double r[3];
    finish_row(f, sums, r, nullptr);
    out.normal += r[0] * r[0];
    out.friction += r[1] * r[1];
    out.cop += r[2] * r[2];
  }
  return out;
}

double Foot2dProblem::objective(const double* x, double* gradient) const {
  if (gradient == nullptr) return objective(x).total();
  const int rows = residuals(), n = variables();
  std::vector<double> r(static_cast<size_t>(rows)), J(static_cast<size_t>(rows) * n);
  evaluate(x, r.data(), J.data());
  std::fill(gradient, gradient + n, 0.0);
  double sum = 0;
  for (int k = 0; k < rows; ++k) {
    sum += r[k] * r[k];
    for (int c = 0; c < n; ++c) gradient[c] += 2 * r[k] * J[static_cast<size_t>(k) * n + c];
  }
  return sum;
}

Foot2dParameters<double> Foot2dProblem::element(const double* x, int point) const {
  return as_foot2d_parameters(type_, rows_, point, x + rows_.size() * static_cast<size_t>(point));
}

Foot2dCurves Foot2dProblem::simulate(const double* x) const {
  const size_t frames = normal_.size();
  Foot2dCurves out{std::vector<double>(frames, 0.0), std::vector<double>(frames, 0.0),
                   std::vector<double>(frames, 0.0)};
  for (int e = 0; e < 3; ++e) {
    const Foot2dParameters<double> p = element(x, e);
    Foot2dBristle<double> bristle;
    for (size_t f = 0; f < frames; ++f) {
      const auto force = calc_foot2d_force(type_, p, mounts_[e][f], step_, &bristle);
      out.normal[f] += force.normal;
      out.friction[f] += force.friction;
      out.cop[f] += force.normal * force.x;
    }
  }
  for (size_t f = 0; f < frames; ++f) {
    out.cop[f] = out.normal[f] > kLittleLoad ? out.cop[f] / out.normal[f]
                                             : std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

void Foot2dProblem::tune(double* x) const {
  const size_t own = rows_.size(), frames = normal_.size();
  std::array<std::vector<Foot2dForce<double>>, 3> forces;
  for (size_t e = 0; e < 3; ++e) {
    const Foot2dParameters<double> p = element(x, static_cast<int>(e));
    Foot2dBristle<double> bristle;
    for (size_t f = 0; f < frames; ++f) {
      forces[e].push_back(calc_foot2d_force(type_, p, mounts_[e][f], step_, &bristle));
    }
  }
  // The factors by which the variables of one row may change its parameter.
  const auto scale_row = [&](Foot2dRow::Slot slot, const auto& add) {
    size_t row = 0;
    while (rows_[row].slot != slot) ++row;
    const Foot2dRow& r = rows_[row];
    std::array<std::array<double, 3>, 3> AA{};
    std::array<double, 3> Ab{}, now{}, lower{}, upper{};
    for (size_t f = 0; f < frames; ++f) add(f, AA, Ab);
    const bool log = r.scale == Foot2dRow::Scale::kLog;
    for (size_t e = 0; e < 3; ++e) {
      const double u = x[own * e + row], ratio = r.upper[e] / r.lower[e];
      now[e] = log ? r.lower[e] * std::pow(ratio, u) : r.lower[e] + u * (r.upper[e] - r.lower[e]);
      lower[e] = r.lower[e] / now[e];
      upper[e] = r.upper[e] / now[e];
    }
    const auto factors = solve_factors(AA, Ab, lower, upper);
    for (size_t e = 0; e < 3; ++e) {
      const double value = factors[e] * now[e];
      x[own * e + row] = log ? std::log(value / r.lower[e]) / std::log(r.upper[e] / r.lower[e])
                             : (value - r.lower[e]) / (r.upper[e] - r.lower[e]);
      x[own * e + row] = std::clamp(x[own * e + row], 0.0, 1.0);
      for (auto& force : forces[e]) {  // friction goes along with the load
        force.normal *= factors[e];
        force.friction *= factors[e];
      }
    }
  };
  const auto accumulate = [](const std::array<double, 3>& a, double b, auto& AA, auto& Ab) {
    for (size_t i = 0; i < 3; ++i) {
      for (size_t k = 0; k < 3; ++k) AA[i][k] += a[i] * a[k];
      Ab[i] += a[i] * b;
    }
  };
  scale_row(Foot2dRow::Slot::kStiffness, [&](size_t f, auto& AA, auto& Ab) {
    std::array<double, 3> a{}, away{};
    for (size_t e = 0; e < 3; ++e) {
      a[e] = forces[e][f].normal * normal_scale_;
      if (!std::isfinite(cop_[f])) continue;
      away[e] = forces[e][f].normal * (forces[e][f].x - cop_[f]) * cop_scale_ /
                (normal_[f] + kLittleLoad);
    }
    accumulate(a, normal_[f] * normal_scale_, AA, Ab);
    accumulate(away, 0.0, AA, Ab);
  });
  scale_row(Foot2dRow::Slot::kMu, [&](size_t f, auto& AA, auto& Ab) {
    std::array<double, 3> a{};
    for (size_t e = 0; e < 3; ++e) a[e] = forces[e][f].friction * friction_scale_;
    accumulate(a, friction_[f] * friction_scale_, AA, Ab);
  });
}

Foot2dStance make_reversed(const Foot2dStance& stance) {
  Foot2dStance out = stance;
  out.name += ", forces reversed";
  const auto first = std::lower_bound(stance.times.begin(), stance.times.end(), stance.begin) -
                     stance.times.begin();
  const auto last =
      std::upper_bound(stance.times.begin(), stance.times.end(), stance.end) - stance.times.begin();
  std::reverse(out.normal.begin() + first, out.normal.begin() + last);
  std::reverse(out.friction.begin() + first, out.friction.begin() + last);
  return out;
}

}  // namespace vesica
