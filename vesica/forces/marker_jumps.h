// Positions that nothing on a body can have: frozen recordings, markers that jump.
#pragma once

#include <string>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica::forces {

inline constexpr double kLongestGap = 0.1;  // s, filled by a cubic

// Frames in which all markers repeat the frame before to the last digit become missing. The
// recording's warnings have told of them (motion/trial_tidy.h).
void drop_frozen(MarkerTracks* markers, std::vector<std::string>* notes);

// Where a marker with one of these roles leaps from one frame to the next by more than 25 mm (below
// 60 Hz: 100 m/s^2) beyond what it did before and after, the longest part between leaps stays, and
// those that go on from it within kLongestGap; the rest becomes missing. Walks of thirteen people
// at 150 Hz: 12 mm at most. A sentence for each of the first four markers.
void drop_jumps(const std::vector<std::string>& roles, double rate, MarkerTracks* markers,
                std::vector<std::string>* notes);

}  // namespace vesica::forces
