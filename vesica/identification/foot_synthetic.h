// A made-up stance of a foot whose contact is known: for tests, for the demonstration, and to see
// what a fit can find.
//
// The foot rolls over heel and ball as in walking: pitch, toe angle and vertical force follow
// smooth curves of the phase; the height is the one at which the foot, damping included, carries
// that force. The force that counts as measured is that of the motion that was found, so motion and
// force belong together exactly, until noise is added.
#pragma once

#include <cstdint>

#include "vesica/identification/foot_fit.h"

namespace vesica {

struct SyntheticFootWalk {
  double weight = 688;        // N
  double duration = 0.65;     // s of stance
  double rate = 128;          // Hz
  double speed = 1;           // 1: as it is; other strides roll and push by other amounts
  double stride = 0;          // -1 to 1: makes one stance differ from the next
  double pressure_rate = 64;  // Hz, of the mat's pictures; 0: no mat
};

FootStance make_synthetic_stance(const FootModel& foot, const SyntheticFootWalk& walk);

// What measurement adds.
struct SyntheticNoise {
  double force = 0;  // N, each sample of the plate at 1,024 Hz; a frame has the mean of its samples
  // Of the centre of pressure at body weight [m], each sample: a plate's moments err by a fixed
  // amount, so that it grows as the force falls.
  double cop = 0;
  double shift = 0, turn = 0;  // m, rad: slow errors of the pose (soft tissue), sums of a few waves
  double marker = 0;    // m, each of the foot's four markers and frames, before a filter of 15 Hz
  double pressure = 0;  // gain of each of the mat's cells, a share
};
void add_noise(const SyntheticNoise& noise, std::uint64_t seed, FootStance* stance);

}  // namespace vesica
