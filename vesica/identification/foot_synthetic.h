// A made-up stance of a foot whose contact is known: for tests, for the demonstration, and to see
// what a fit can find.
//
// The foot rolls over heel and ball as in walking: pitch, toe angle and vertical force follow
// smooth curves of the phase; the height is the one at which the foot carries that force
// (find_lift). The motion is then differentiated, and the force that counts as measured is the one
// of the full law, damping included. So motion and force belong together exactly, until noise is
// added.
#pragma once

#include <cstdint>

#include "vesica/identification/foot_fit.h"

namespace vesica {

struct SyntheticWalk {
  double weight = 688;     // N
  double duration = 0.65;  // s of stance
  double rate = 128;       // Hz
  double speed = 1;        // 1: as it is; other strides roll and push by other amounts
  double stride = 0;       // -1 to 1: makes one stance differ from the next
};

FootStance make_synthetic_stance(const FootModel& foot, const SyntheticWalk& walk);

// Independent noise on the measured force [N] and centre of pressure [m], and slowly varying errors
// of the foot's pose (soft tissue): sums of a few waves of these sizes.
struct SyntheticNoise {
  double force = 0, cop = 0;
  double shift = 0, turn = 0;  // m, rad
};
void add_noise(const SyntheticNoise& noise, std::uint64_t seed, FootStance* stance);

}  // namespace vesica
