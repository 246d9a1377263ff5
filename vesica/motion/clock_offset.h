// Whether markers and force plates run on one clock.
#pragma once

#include <span>

#include "vesica/motion/gait_events.h"

namespace vesica {

struct ClockOffset {
  int stances = 0;       // that were compared; 0: nothing can be told
  double seconds = 0.0;  // median over them of plate minus markers: above zero the forces are late
  double spread = 0.0;   // s, largest distance of a stance from the median
  int agreeing = 0;      // stances within 20 ms of the median

  // Beyond what markers leave open: 35 ms where most of the stances, and at least two, agree; 60 ms
  // of a single one. docs/theory/motion.md has the figures.
  bool is_off() const;
};

// A foot on the ground stands still. For each stance that a plate saw from its beginning to its
// end, the stretch is found in which the slowest marker of that foot is slower than 0.5 m/s
// (against its median velocity under load, which is the belt's on a treadmill), and the two
// stretches are laid middle on middle: the shift at which a box of load and a box of stillness
// correlate best. Stances whose two ends disagree by more than 0.15 s are left out: a foot partly
// on the plate.
ClockOffset find_clock_offset(const MarkerTracks& markers, const GaitMarkers& gait,
                              std::span<const Stance> stances);

}  // namespace vesica
