// What is done to every recording before anything is computed from it, so that what is missing is
// missing (NaN) and every index counts the same step of time. Each change is a sentence in the
// trial's warnings.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

// Markers and table in turn:
//  - a table whose rows share times: times that were printed too coarsely become even again; other
//    repeated rows are left out, the first one stays
//  - holes in time become frames without markers, rows of NaN: filters, splines, differences and
//    predictions stop there as at any other gap. A hole of more rows than twice the recording's own
//    (and 1000) becomes one such row in its middle
//  - uneven times stay as they are and are told; a leap of more than five steps gets such a row
//  - a marker exactly at the origin is missing there
//  - frames in which no marker moves at all stay, and are told
void tidy(MotionTrial* trial);

// The part of it that turns holes in time into frames without markers.
void mark_holes(MarkerTracks* markers);

// Some systems write zeros where a marker was not seen; one that is there in every frame in which
// it is seen, and in fewer than five, is a position. Returns the number of positions that became
// NaN.
std::size_t drop_origin(std::span<Vec3d> track);

// Five frames or more in a row in which all markers, three at least, have the same positions to the
// last digit. Zero-based, inclusive.
struct FrozenStretch {
  std::size_t first = 0, last = 0;
};
std::vector<FrozenStretch> find_frozen(const MarkerTracks& markers);

// Throws InputError unless find_clock() calls the times even: a filter counts samples, not seconds.
// `what` begins the message: the file, "table forces".
void require_even_clock(std::span<const double> times, const std::string& what);

}  // namespace vesica
