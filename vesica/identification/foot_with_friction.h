// The source's first way to fit a stance: friction beside normal force, centre of pressure and
// pressure (Brown 5.3.3, Table 5.5), by the velocity-based law, in the inverse simulation, on the
// loads of the simulated foot itself.
//
// One unknown more, ln mu_d; v_t is the source's 0.01 m/s, and mu_s = mu_d, which it leaves open.
// To (5.52) come the shear over the largest that was measured and, where it was measured, the free
// moment over its largest, with weights of 1. Derivatives of these rows are differences.
//
// It is here to show what the source found: a foot that sticks has the noise of its measurement as
// speed, so that this spoils the normal force and finds a coefficient that no floor has.
#pragma once

#include "vesica/identification/foot_forward.h"

namespace vesica {

struct FootFrictionRun {
  FootFit fit;             // without intervals
  ShearErrors shear;       // of its own simulated loads
  double coefficient = 0;  // mu_d
};

// One stance, with its shear (InputError).
FootFrictionRun fit_with_friction(const FootModel& start, const FootStance& stance,
                                  const FootFitSettings& settings);

}  // namespace vesica
