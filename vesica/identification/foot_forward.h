// A foot integrated through a stance (forward dynamics): the scene of biomechanics/foot_scene.h,
// run, and what it says beside what was measured.
//
// Two drives, both springs in six directions between the measured motion and the foot:
//   held      rigid but along the ground, where a soft spring (N/m, one number) lets the foot
//   stick:
//             nothing of the measured force enters. Vertical force and centre of pressure are those
//             of the inverse simulation with inertia; the shear is foretold from the motion alone.
//   carried   soft in all directions, and the measured load is given to the drive, as a leg that
//             knows its task: whether contact and friction carry it in place is what is found out.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "vesica/biomechanics/foot_scene.h"
#include "vesica/identification/foot_fit.h"

namespace vesica {

enum class FootDriveMode { kHeld, kCarried };
const char* name_of(FootDriveMode mode);

struct FootForwardOptions {
  FootDriveMode mode = FootDriveMode::kHeld;
  FrictionLaw<double> friction = NoFriction<double>{};
  // Along the ground (held), or in every direction (carried) [N/m].
  double drive_stiffness = 2e4;
  double mass = 0.96;  // kg
  double tolerance = 1e-7;
  bool ledger = true;
};
// Of a carried foot: a millimetre that motion and contact do not agree on is 2 N.
inline constexpr double kCarriedStiffness = 2e3;

struct FootForward {
  std::vector<FootLoad> loads;         // N, N x, N y, a frame each
  std::vector<Eigen::Vector2d> shear;  // on the foot [N]
  std::vector<double> free_moment;     // on the foot, about the vertical through the point of N
                                       // [N m]
  std::vector<FootFrame> frames;       // as the foot moved; fewer where the run failed
  double drift = 0;                    // m, the farthest that the foot's mass centre strays along
                                       // the ground from where it was measured while loaded
  double ledger_residual = 0;          // of the energy that passed, share
  double seconds = 0;
  std::string failure;  // empty: it reached the end
};

FootForward simulate_forward(const FootModel& foot, const FootStance& stance,
                             const FootCurves& curves, const FootForwardOptions& options);

// The scene that it runs.
FootScene make_forward_scene(const FootModel& foot, const FootStance& stance,
                             const FootCurves& curves, const FootForwardOptions& options);

// Of shear against the measured one: rms along and across the foot, shares of body weight, and
// (5.54) of both together, as a share of the largest that was measured. Of the free moment the
// same, over frames where it was measured; NaN where it was not.
struct ShearErrors {
  double along = 0, across = 0, of_largest = 0;
  double free_moment = std::numeric_limits<double>::quiet_NaN();
};
ShearErrors calc_shear_errors(const FootStance& stance, const std::vector<Eigen::Vector2d>& shear,
                              const std::vector<double>& free_moment = {});

// The foot's direction along the ground in the middle of the stance, of unit length.
Eigen::Vector2d calc_heading(const FootStance& stance);

}  // namespace vesica
