// Whether two recordings hold the same frames.
#pragma once

#include <cstddef>

#include "vesica/io/motion_data.h"

namespace vesica {

// Frames of `b` that are frames of `a` too: the markers that both name lie at the same places (20
// um, what files round to) over a stretch that they share, which may begin later in one of them, in
// 90 % of its frames and at least ten (or all). Names, times and formats may differ. Of recordings
// without markers: rows of their tables, which must be equal. 0 where they do not hold the same.
std::size_t count_shared_frames(const MotionTrial& a, const MotionTrial& b);

}  // namespace vesica
