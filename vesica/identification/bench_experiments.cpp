#include "vesica/identification/bench_experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/identification/ring_down.h"

namespace vesica {
namespace {

using Eigen::VectorXd;

// An interval wider than the value itself says little: a warning, not a refusal.
constexpr double kWide = 1.0;

VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}
std::vector<double> as_list(const VectorXd& values) {
  return {values.data(), values.data() + values.size()};
}
VectorXd vector_of(std::initializer_list<double> values) {
  return as_vector(std::vector<double>(values));
}

// The logarithm of a positive parameter is a.x + offset.
Estimate make_positive(const CurveFit& fit, const std::string& name, const std::string& unit,
                       const VectorXd& a, double offset = 0) {
  const double middle = a.dot(fit.x) + offset, half = fit.t95 * fit.standard_error(a);
  return {name, unit, std::exp(middle), std::exp(middle - half), std::exp(middle + half)};
}
Estimate make_plain(const CurveFit& fit, const std::string& name, const std::string& unit, int k) {
  const double half = fit.t95 * fit.standard_error(k);
  return {name, unit, fit.x[k], fit.x[k] - half, fit.x[k] + half};
}

FittedCurve make_curve(const std::string& name, const std::string& x_name,
                       const std::string& y_name, const std::vector<double>& x,
                       const std::vector<double>& y, const VectorXd& fitted, int unknowns) {
  FittedCurve curve{name, x_name, y_name, x, y, as_list(fitted)};
  const VectorXd r = as_vector(y) - fitted;
  const double free = std::max(1.0, static_cast<double>(r.size() - unknowns));
  curve.rms = std::sqrt(r.squaredNorm() / free);
  const double largest = as_vector(y).cwiseAbs().maxCoeff();
  curve.rms_share = largest > 0 ? curve.rms / largest : 0;
  return curve;
}

void mark_open(Estimate* estimate) {
  estimate->determined = false;
  estimate->low = -std::numeric_limits<double>::infinity();
  estimate->high = std::numeric_limits<double>::infinity();
}

BenchFit start_result(const CurveFit& fit) {
  BenchFit result;
  result.iterations = fit.iterations;
  result.converged = fit.converged;
  if (!fit.converged) {
    result.warnings.push_back(fmt::format(
        "the fit stopped after {} iterations without settling; the intervals are not reliable",
        fit.iterations));
  }
  return result;
}

// Parameters whose interval is wide or open are said so, each with what would help.
void warn_wide(const std::string& remedy, BenchFit* result) {
  for (const Estimate& e : result->parameters) {
    if (!e.determined) {
      result->warnings.push_back(
          fmt::format("{} is not determined by these data: {}", e.name, remedy));
    } else if (e.high - e.low > 2 * kWide * std::abs(e.value)) {
      result->warnings.push_back(fmt::format(
          "{} is hardly determined: its interval is wider than +-100 %; {}", e.name, remedy));
    }
  }
}

double largest_of(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }
double smallest_of(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }

}  // namespace

BenchFit fit_indentation(const IndentationData& data, const FitOptions& options) {
  // log F = u + p log(d/d_0) about the middle of the curve, where both are nearly uncorrelated.
  const VectorXd d = as_vector(data.depth), F = as_vector(data.force);
  const double d_0 = largest_of(data.depth) / 2;
  const Curve curve = [&](const VectorXd& x) {
    VectorXd f(d.size());
    for (int i = 0; i < d.size(); ++i) {
      f[i] = d[i] > 0 ? std::exp(x[0] + x[1] * std::log(d[i] / d_0)) : 0;
    }
    return f;
  };
  const CurveFit fit = fit_curve(curve, F, options, vector_of({std::log(F.maxCoeff() / 2.8), 1.5}));
  BenchFit result = start_result(fit);
  result.parameters = {make_positive(fit, "stiffness", "N/m^p", vector_of({1, -std::log(d_0)})),
                       make_plain(fit, "exponent", "", 1)};
  const Estimate& p = result.parameters[1];
  if (!fit.determined[0] || !fit.determined[1]) {
    for (Estimate& e : result.parameters) mark_open(&e);
  }
  result.curves = {
      make_curve("indentation", "depth [m]", "force [N]", data.depth, data.force, fit.fitted, 2)};
  warn_wide("measure over a wider range of depths", &result);
  if (p.determined && p.high < 1) {
    result.warnings.emplace_back(
        "the exponent is below 1: infinitely stiff at touchdown, which no law here takes; is the "
        "zero of the depth where the bodies touch?");
  }
  if (p.determined && p.low <= 1.5 && p.high >= 1.5) {
    result.notes.emplace_back(
        "3/2 (Hertz: a ball or a rounded body) lies within the interval of the exponent");
  }
  result.scene = fmt::format("normal: {{law: hunt_crossley, stiffness: {:.6g}, exponent: {:.6g}}}",
                             result.parameters[0].value, p.value);
  return result;
}

BenchFit fit_impact(const ImpactData& data, ImpactModel model, const FitOptions& options) {
  const VectorXd c = as_vector(data.impact_speed), r = as_vector(data.rebound_speed);
  const Curve constant = [&](const VectorXd& x) { return VectorXd(x[0] * c); };
  const Curve slope = [&](const VectorXd& x) {
    return VectorXd(c.array() * (1 - x[0] * c.array()));
  };
  const CurveFit by_constant = fit_curve(constant, r, options, vector_of({0.5}));
  const CurveFit by_slope =
      fit_curve(slope, r, options, vector_of({0.1 / largest_of(data.impact_speed)}));
  bool sloped = model == ImpactModel::kSlope;
  if (model == ImpactModel::kBetter) sloped = by_slope.rms < by_constant.rms;
  const CurveFit& fit = sloped ? by_slope : by_constant;
  BenchFit result = start_result(fit);
  result.parameters = {sloped ? make_plain(fit, "restitution_slope", "s/m", 0)
                              : make_plain(fit, "restitution", "", 0)};
  result.curves = {make_curve("impact", "impact_speed [m/s]", "rebound_speed [m/s]",
                              data.impact_speed, data.rebound_speed, fit.fitted, 1)};
  Estimate& e = result.parameters[0];
  if (!fit.determined[0]) mark_open(&e);
  warn_wide("measure more impacts, over a wider range of speeds", &result);

  const double other = sloped ? by_constant.rms : by_slope.rms;
  if (other < 0.9 * fit.rms) {
    result.warnings.push_back(fmt::format(
        "{} fits better: its residuals are {:.2g} of these; set 'model: {}'",
        sloped ? "a constant e" : "e = 1 - a c", other / fit.rms, sloped ? "constant" : "slope"));
  } else if (model == ImpactModel::kBetter && other < 1.1 * fit.rms) {
    result.warnings.emplace_back(
        "a constant e and e = 1 - a c fit about equally well; measure a wider range of speeds, or "
        "choose with 'model'");
  }
  if (sloped && e.low <= 0 && e.high >= 0) {
    result.notes.emplace_back("the interval contains 0: no loss of restitution with speed is seen");
  }
  if (!sloped && e.value > 1) {
    result.warnings.emplace_back(
        "e is above 1: the rebound is faster than the impact; are the "
        "columns swapped?");
  }
  if (sloped && e.value * largest_of(data.impact_speed) > 1) {
    result.warnings.emplace_back(
        "1 - a c is below 0 at the fastest impact; the law holds it at "
        "0.01");
  }
  result.scene = fmt::format("normal: {{{}: {:.6g}, v_small: {:.3g}}}",
                             sloped ? "restitution_slope" : "restitution", e.value,
                             0.1 * smallest_of(data.impact_speed));
  return result;
}

BenchFit fit_sliding(const SlidingData& data, const FitOptions& options) {
  const VectorXd v = as_vector(data.speed).cwiseAbs(), f_n = as_vector(data.normal_force);
  VectorXd friction = as_vector(data.friction_force);
  for (int i = 0; i < v.size(); ++i) {
    if (data.speed[static_cast<size_t>(i)] < 0) friction[i] = -friction[i];
  }
  const double v_0 = v.mean();
  const Curve curve = [&](const VectorXd& x) {
    return VectorXd(f_n.array() * (x[0] + x[1] * v.array() / v_0));
  };
  const double ratio = friction.sum() / f_n.sum();
  const CurveFit fit = fit_curve(curve, friction, options, vector_of({ratio, 0.0}));
  BenchFit result = start_result(fit);
  Estimate sigma_2 = make_plain(fit, "sigma_2", "s/m", 1);
  for (double* x : {&sigma_2.value, &sigma_2.low, &sigma_2.high}) *x /= v_0;
  result.parameters = {make_plain(fit, "mu_C", "", 0), sigma_2};
  for (size_t k = 0; k < 2; ++k) {
    if (!fit.determined[k]) mark_open(&result.parameters[k]);
  }
  result.curves = {make_curve("sliding", "speed [m/s]", "friction_force [N]", as_list(v),
                              as_list(friction), fit.fitted, 2)};
  const bool none = sigma_2.low <= 0 && sigma_2.high >= 0 && fit.determined[1];
  if (!none) {
    warn_wide("slide at speeds that differ more", &result);
  } else {
    result.notes.push_back(fmt::format(
        "the interval of sigma_2 contains 0: viscous friction is not seen at these speeds (at most "
        "{:.2g} of mu_C at the fastest)",
        sigma_2.high * v.maxCoeff() / fit.x[0]));
  }
  if (fit.determined[1] && sigma_2.high < 0) {
    result.warnings.emplace_back(
        "friction falls with speed: the slow rows belong to the Stribeck region; leave them out "
        "with 'slowest'");
  }
  result.scene = fmt::format("friction: {{mu_C: {:.6g}, sigma_2: {:.6g}}}", fit.x[0],
                             std::max(0.0, sigma_2.value));
  return result;
}

namespace {

// x = [log f_n sigma_0]: the push. A bend says that sliding began.
Curve make_push(const PreslidingData& data) {
  return [&data](const VectorXd& x) {
    return VectorXd(data.normal_force * std::exp(x[0]) * as_vector(data.displacement));
  };
}

void warn_bend(const PreslidingData& data, BenchFit* result) {
  const VectorXd x = as_vector(data.displacement) / largest_of(data.displacement);
  const Curve bent = [&](const VectorXd& a) {
    return VectorXd(a[0] * x.array() + a[1] * x.array().square());
  };
  const CurveFit fit =
      fit_curve(bent, as_vector(data.force), Weighting::kConstant, vector_of({1, 0}));
  // Four standard errors and a tenth of the slope: neither noise nor a trifle.
  if (std::abs(fit.x[1]) > 4 * fit.standard_error(1) && std::abs(fit.x[1]) > 0.1 * fit.x[0]) {
    result->warnings.emplace_back(
        "the push is not straight: sliding has begun, or the zero is off; keep the rows before "
        "with 'until'");
  }
}

// [log sigma_0, 2 decay as sigma_1, offset, start, slope] -> the ring-down.
RingDown make_ring_down(const PreslidingData& data, const VectorXd& x) {
  const double per_mass = data.normal_force / data.mass;
  return {per_mass * std::exp(x[0]), 0.5 * per_mass * x[1], x[2], x[3], x[4]};
}
Curve make_swing(const PreslidingData& data) {
  return [&data](const VectorXd& x) { return calc_ring_down(make_ring_down(data, x), data.time); };
}
VectorXd find_swing_start(const PreslidingData& data) {
  const RingDown start = find_ring_down_start(data.time, data.swing);
  const double per_mass = data.normal_force / data.mass;
  return vector_of({std::log(start.frequency2 / per_mass), 2 * start.decay / per_mass, start.offset,
                    start.position, start.speed});
}

}  // namespace

BenchFit fit_presliding(const PreslidingData& data, const FitOptions& options) {
  const bool push = !data.force.empty(), swing = !data.swing.empty();
  const VectorXd force = as_vector(data.force), displacement = as_vector(data.swing);
  CurveFit by_push, by_swing, both;
  if (push) {
    const double slope =
        force.dot(as_vector(data.displacement)) / as_vector(data.displacement).squaredNorm();
    by_push = fit_curve(make_push(data), force, options,
                        vector_of({std::log(std::max(slope, 1e-300) / data.normal_force)}));
  }
  // The errors of a ring-down are those of a displacement pick-up: of equal size.
  if (swing) {
    FitOptions alike = options;
    alike.weighting = Weighting::kConstant;
    by_swing = fit_curve(make_swing(data), displacement, alike, find_swing_start(data));
  }
  if (push && swing) {
    // Both share sigma_0; each weighs with its own residuals.
    const Curve curve = [&](const VectorXd& x) {
      VectorXd f(force.size() + displacement.size());
      f << make_push(data)(x), make_swing(data)(x);
      return f;
    };
    VectorXd y(force.size() + displacement.size()), weights(y.size());
    y << force, displacement;
    VectorXd push_weights = VectorXd::Constant(force.size(), 1 / by_push.rms);
    if (options.weighting == Weighting::kRelative) push_weights.array() /= by_push.fitted.array();
    weights << push_weights, VectorXd::Constant(displacement.size(), 1 / by_swing.rms);
    if (weights.allFinite()) {
      both = fit_curve(curve, y, weights, by_swing.x, options.stop);
    } else {  // without any noise there is nothing to weigh
      both = by_swing;
    }
  }
  const CurveFit& fit = push && swing ? both : push ? by_push : by_swing;
  BenchFit result = start_result(fit);
  VectorXd first = VectorXd::Zero(fit.x.size());
  first[0] = 1;
  result.parameters = {make_positive(fit, "sigma_0", "1/m", first)};
  if (!fit.determined[0]) mark_open(&result.parameters[0]);
  if (swing) {
    result.parameters.push_back(make_plain(fit, "sigma_1", "s/m", 1));
    if (!fit.determined[1]) mark_open(&result.parameters[1]);
  }
  if (push) {
    result.curves.push_back(make_curve("push", "displacement [m]", "force [N]", data.displacement,
                                       data.force, make_push(data)(fit.x), 1));
    warn_bend(data, &result);
  }
  if (swing) {
    const VectorXd fitted = make_swing(data)(fit.x);
    result.curves.push_back(
        make_curve("ring_down", "time [s]", "displacement [m]", data.time, data.swing, fitted, 5));
    if (const std::string doubt = find_ring_down_doubt(make_ring_down(data, fit.x), data.time);
        !doubt.empty()) {
      result.warnings.push_back(doubt);
    }
  }
  if (push && swing) {
    const double apart = std::abs(by_push.x[0] - by_swing.x[0]) /
                         std::hypot(by_push.standard_error(0), by_swing.standard_error(0));
    if (apart > 4) {
      result.warnings.push_back(fmt::format(
          "push and ring-down disagree: sigma_0 = {:.4g} and {:.4g} 1/m, {:.1f} standard errors "
          "apart; is mass or normal force another, or did the push slide?",
          std::exp(by_push.x[0]), std::exp(by_swing.x[0]), apart));
    }
  }
  warn_wide(swing ? "record a longer ring-down, or at a higher rate" : "push further", &result);
  result.scene = fmt::format("friction: {{sigma_0: {:.6g}", result.parameters[0].value);
  if (swing) result.scene += fmt::format(", sigma_1: {:.6g}", result.parameters[1].value);
  result.scene += "}";
  return result;
}

BenchFit fit_stick_slip(const StickSlipData& data, const FitOptions& options) {
  const StickSlipRig& rig = data.rig;
  const VectorXd peaks = as_vector(data.peak_friction);
  const Curve curve = [&](const VectorXd& x) {
    VectorXd f(peaks.size());
    for (int i = 0; i < f.size(); ++i) {
      check_stop(options.stop);
      f[i] = calc_peak_friction(rig, data.belt_speed[static_cast<size_t>(i)], std::exp(x[0]));
    }
    return f;
  };
  // Belt speeds bound what can be seen: at tau_dw = T stick-slip just ends (stick_slip.h). The
  // curve has flat ends, so the start is searched for.
  const double range = 2 * rig.normal_force * (rig.mu_S - rig.mu_C) / rig.spring_stiffness;
  const double longest = std::log(range / smallest_of(data.belt_speed)) + 0.5;
  const double shortest = std::log(range / largest_of(data.belt_speed)) - 3;
  double best = std::numeric_limits<double>::infinity(), start = shortest;
  constexpr int kStarts = 60;
  for (int k = 0; k <= kStarts; ++k) {
    const double x = shortest + (longest - shortest) * k / kStarts;
    const double cost = (peaks - curve(vector_of({x}))).squaredNorm();
    if (cost < best) {
      best = cost;
      start = x;
    }
  }
  const CurveFit fit = fit_curve(curve, peaks, options, vector_of({start}));
  BenchFit result = start_result(fit);
  result.parameters = {make_positive(fit, "tau_dw", "s", vector_of({1}))};
  if (!fit.determined[0] || fit.covariance(0, 0) == 0) mark_open(&result.parameters[0]);
  result.curves = {make_curve("stick_slip", "belt_speed [m/s]", "peak_friction [N]",
                              data.belt_speed, data.peak_friction, fit.fitted, 1)};
  const double low = rig.normal_force * rig.mu_C, high = rig.normal_force * rig.mu_S;
  const double bond = (peaks.mean() - low) / (high - low);
  if (bond > 0.95) {
    result.warnings.push_back(
        fmt::format("every peak is close to mu_S f_n = {:.4g} N: the bond forms within one stick; "
                    "only an upper "
                    "limit of tau_dw can be seen; run the belt faster",
                    high));
  } else if (bond < 0.05) {
    result.warnings.push_back(fmt::format(
        "every peak is close to mu_C f_n = {:.4g} N: there is hardly any stick-slip; run the belt "
        "slower, or use a softer spring",
        low));
  }
  const double spread = result.curves[0].rms / (high - low);
  if (spread > 0.3) {
    result.warnings.push_back(
        fmt::format("the residuals are {:.0f} % of (mu_S - mu_C) f_n: the rig's numbers or the "
                    "model do not fit",
                    100 * spread));
  }
  warn_wide("choose belt speeds near 2 f_n (mu_S - mu_C)/(k tau_dw)", &result);
  result.scene = fmt::format("friction: {{tau_dw: {:.6g}}}", result.parameters[0].value);
  return result;
}

}  // namespace vesica
