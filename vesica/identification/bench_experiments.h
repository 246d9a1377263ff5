// Parameters of contact laws from bench experiments, each with a 95 % interval (Gonthier, section
// 3.3, says which experiment gives which parameter; the fits are ours).
//
//   indentation  k, p of F = k d^p                     quasi-static press: depth, force
//   impact       e, or a of e = 1 - a c                speeds before and after an impact
//   sliding      mu_C, sigma_2 of F = f_n (mu_C + sigma_2 v)       sliding at several speeds
//   presliding   sigma_0 of F = f_n sigma_0 x          slow push that does not slide, and/or
//                sigma_0, sigma_1 of m x'' + f_n sigma_1 x' + f_n sigma_0 x = 0 (3.47)   ring-down
//   stick_slip   tau_dw from the friction at breakaway on a moving belt (stick_slip.h)
//
// Errors are taken to be in the second quantity of each (force, rebound speed, friction,
// displacement of the ring-down, peak), independent, of equal size or in proportion (Weighting).
// Cannot see: errors of the first quantity, drift, a wrong zero of the instrument.
//
// (3.50) calls w_d of x'' + 2 zeta w_d x' + w_d^2 x = 0 the damped frequency; it is the undamped
// one. The ring-down is fitted as a curve, so that no frequency is read off.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vesica/identification/least_squares.h"
#include "vesica/identification/stick_slip.h"

namespace vesica {

struct Estimate {
  std::string name, unit;
  double value = 0, low = 0, high = 0;  // 95 %
  bool determined = true;               // false: the data leave it open, the limits are infinite
};

// What was fitted, to be plotted.
struct FittedCurve {
  std::string name, x_name, y_name;  // with units
  std::vector<double> x, measured, fitted;
  double rms = 0;        // of the residuals, over the degrees of freedom, in units of y
  double rms_share = 0;  // the same over the largest |y|
};

struct BenchFit {
  std::vector<Estimate> parameters;
  std::vector<FittedCurve> curves;
  std::vector<std::string> warnings;  // what makes the figures doubtful
  std::vector<std::string> notes;
  std::string scene;  // the keys of a law that these parameters make, for a scene
  int iterations = 0;
  bool converged = false;
};

struct IndentationData {
  std::vector<double> depth, force;
};
BenchFit fit_indentation(const IndentationData& data, const FitOptions& options);

struct ImpactData {
  std::vector<double> impact_speed, rebound_speed;
};
enum class ImpactModel {
  kConstant,  // e
  kSlope,     // e = 1 - a c
  kBetter,    // the one with the smaller residuals; both have one parameter
};
BenchFit fit_impact(const ImpactData& data, ImpactModel model, const FitOptions& options);

struct SlidingData {
  std::vector<double> speed, friction_force, normal_force;
};
BenchFit fit_sliding(const SlidingData& data, const FitOptions& options);

struct PreslidingData {
  std::vector<double> displacement, force;  // empty: no push
  std::vector<double> time, swing;          // empty: no ring-down
  double normal_force = 0;                  // of both
  double mass = 0;                          // of the ring-down
};
BenchFit fit_presliding(const PreslidingData& data, const FitOptions& options);

struct StickSlipData {
  std::vector<double> belt_speed, peak_friction;
  StickSlipRig rig;
};
BenchFit fit_stick_slip(const StickSlipData& data, const FitOptions& options);

}  // namespace vesica
