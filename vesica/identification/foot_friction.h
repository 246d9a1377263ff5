// Friction under a foot from measured shear: velocity-based and bristle friction on the same data,
// in the inverse simulation (the motion as measured) and in forward dynamics (the foot carried by
// springs, so that it may stick).
//
// Unknowns are fitted by their logarithms, x = ln(p/p0)/s with a spread s as prior: minimised is
// the sum of squares of (shear - measured)/(s_r sqrt(tau)) plus |x|^2, with the size s_r and the
// correlated length tau of the residuals found by fitting twice. Standard errors follow from the
// same; a parameter counts as identifiable where the data narrow its prior to less than half.
//
// In the inverse simulation the normal load of every ellipsoid is that of the foot pressed until it
// carries the measured force (find_lift), so that errors of the height, worth 80 N a millimetre, do
// not become errors of friction.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "vesica/identification/foot_forward.h"

namespace vesica {

struct FrictionUnknown {
  std::string name, unit;
  double start = 0;
  double spread = 1;  // of its logarithm
};

// A law with unknowns: brown_mcphee (mu_d, mu_s - mu_d, v_t) or bristle (mu_C, mu_S - mu_C,
// sigma_0, v_S; sigma_1 = 2 sqrt(sigma_0/g), no dwell).
struct FrictionCandidate {
  std::string law;
  std::vector<FrictionUnknown> unknowns;
  std::function<FrictionLaw<double>(std::span<const double>)> make;
};
FrictionCandidate make_velocity_candidate();
FrictionCandidate make_bristle_candidate();

struct FrictionParameter {
  std::string name, unit;
  double value = 0, low = 0, high = 0;  // 95 %
  bool identifiable = false;
};

struct FrictionFit {
  std::string law, simulation;  // inverse, forward
  std::vector<FrictionParameter> parameters;
  FrictionLaw<double> friction;
  double drive_stiffness = 0;  // forward [N/m]
  double strongest_correlation = 0;
  std::string strongest_pair;
  ShearErrors errors;  // mean over the stances
  bool converged = false;
  int evaluations = 0;
  double seconds = 0;
};

// What friction meets under every ellipsoid at every frame, the measured normal force imposed.
class FrictionTrack {
 public:
  FrictionTrack(const FootModel& foot, const FootStance& stance, const FootCurves& curves);
  // On the foot [N], a frame each. Laws with states are integrated from frame to frame (inputs
  // linear between them), at rest at touchdown.
  // `free_moment`, where it is given: of all of them about the vertical through the point where the
  // normal force acts [N m].
  std::vector<Eigen::Vector2d> calc_shear(const FrictionLaw<double>& law,
                                          std::vector<double>* free_moment = nullptr) const;

 private:
  std::vector<double> times_;
  std::vector<std::vector<Eigen::Vector2d>> points_;        // of pressure: [ellipsoid][frame]
  std::vector<std::vector<FrictionInput<double>>> inputs_;  // [ellipsoid][frame]
};

struct FrictionFitSettings {
  double prior_weight = -1;  // of the prior against (shear/weight)^2 a frame; below 0: as above
  int iterations = 40;
  double difference = 1e-4;  // of x, for slopes
  bool one_sided = false;    // slopes by one run each
  std::function<bool()> stop;
};

// Stances need their shear (InputError). Curves: one for each stance.
FrictionFit fit_friction_inverse(const FrictionCandidate& candidate, const FootModel& foot,
                                 const std::vector<FootStance>& stances,
                                 const std::vector<FootCurves>& curves,
                                 const FrictionFitSettings& settings = {});
// The drive's stiffness along the ground is one more unknown.
FrictionFit fit_friction_forward(const FrictionCandidate& candidate, const FootModel& foot,
                                 const std::vector<FootStance>& stances,
                                 const std::vector<FootCurves>& curves,
                                 FrictionFitSettings settings = {});

// The same stance with the shear that was measured reversed in time: what fits it as well does not
// know friction.
FootStance reverse_shear(const FootStance& stance);

}  // namespace vesica
