// Faults of marker labelling and tracking: jumps, swapped labels, relabelled clusters, sides
// exchanged. Found, named and located; never repaired silently.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

enum class MarkerFaultKind {
  kJump,  // leaves its path from one frame to the next (and may come back: `frames` says when)
  kSwap,  // two markers exchange their labels
  kFlip,  // three or more labels of a rigid cluster are permuted, or the cluster is mirrored
  kSide,  // a left and a right marker carry each other's name throughout
  kStray  // far from where a marker model expects it (markers/recording.h)
};
const char* name_of(MarkerFaultKind kind);

struct MarkerFault {
  MarkerFaultKind kind = MarkerFaultKind::kJump;
  std::vector<int>
      markers;          // one for a jump or stray, two for a swap or side, three or more for a flip
  int first_frame = 0;  // zero-based; the first frame that is wrong
  int frames = 0;       // how many, up to where it comes back; to the end where it does not
  bool comes_back = false;
  // m: length of the jump, distance of what was swapped, misfit of a flip, largest error of a stray
  double size = 0.0;
};

struct MarkerCheckOptions {
  // A frame is off its path where it misses the prediction from the two frames before by more than
  // this acceleration explains, and by more than `least_jump`. A heel that is put down hard reaches
  // 220 m/s^2 in recordings at 100 Hz.
  double acceleration = 300.0;  // m/s^2
  double least_jump = 0.010;    // m
  // Markers are one rigid cluster where all their distances vary by less than this (robust standard
  // deviation). Skin moves by some mm within a segment.
  double rigid_spread = 0.005;  // m
  double flip_misfit = 0.015;   // m rms, above which a cluster frame is looked at
};

// The distance between two markers over a recording.
struct PairDistance {
  double middle = 0.0;  // m
  double spread = 1e9;  // m, 1.48 times the median deviation; as it is where fewer than 20 frames
                        // of some 400 show both
};
PairDistance calc_pair_distance(const MarkerTracks& tracks, size_t i, size_t j);

// Clusters of 4 to 6 markers that move rigidly together, found from the data. No marker is in two.
std::vector<std::vector<int>> find_rigid_clusters(const MarkerTracks& tracks,
                                                  const MarkerCheckOptions& options);

std::vector<MarkerFault> find_marker_faults(const MarkerTracks& tracks,
                                            const MarkerCheckOptions& options = {});

// A plain sentence: "R.Heel jumps by 45 mm at 1.207 s (frame 182) and is back after 3 frames."
std::string describe(const MarkerFault& fault, const MarkerTracks& tracks);

}  // namespace vesica
