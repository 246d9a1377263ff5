// Where data are missing, and honest filling: what was filled is marked, and how far off such a
// fill is on this very signal is measured rather than assumed.
#pragma once

#include <span>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/math/vector.h"

namespace vesica {

// A run of missing samples [first, first + count).
struct Gap {
  int first = 0;
  int count = 0;
  bool at_start = false, at_end = false;  // nothing on one side: never filled
};

std::vector<Gap> find_gaps(std::span<const Vec3d> track);

struct GapStatistics {
  int frames = 0;
  int present = 0;
  int longest = 0;  // frames
  std::vector<Gap> gaps;
  double fraction_present() const {
    return frames == 0 ? 0.0 : static_cast<double>(present) / frames;
  }
};
GapStatistics calc_gap_statistics(std::span<const Vec3d> track);

struct GapFillOptions {
  int max_frames = 10;  // longer gaps stay open
  int neighbours = 3;   // samples on either side that the curve is fitted through
};

struct FilledGap {
  Gap gap;
  // Rms distance in m between fill and truth when gaps of the same length are cut into complete
  // stretches of the same track (at most 50, evenly spread); NaN where no stretch is long enough.
  double expected_error = 0.0;
};

// Fills inner gaps of at most max_frames by one cubic polynomial per component, fitted by weighted
// least squares to up to `neighbours` samples on either side (those next to the gap count most) and
// blended so that it meets both edges without a step. Needs 2 samples on either side. Returns what
// was filled; nothing else changes.
//
// What it cannot know: a heel strike inside the gap. `expected_error` is the average over the
// trial; at fast instants a fill is worse.
std::vector<FilledGap> fill_gaps(std::span<Vec3d> track, const GapFillOptions& options);

}  // namespace vesica
