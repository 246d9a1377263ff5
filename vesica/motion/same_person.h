// Whether two recordings are of one person, by the distances between markers that keep theirs.
#pragma once

#include <string>

#include "vesica/io/motion_data.h"

namespace vesica {

// Pairs of markers that both recordings name, 5 to 60 cm apart, whose distance stays within 5 mm
// (robust standard deviation) in either. Skin and the way a marker is taped on leave some
// millimetres between recordings, another person's bones more.
struct PersonDifference {
  int pairs = 0;
  double rms = 0.0;                     // m, of the pairs' medians
  std::string a, b;                     // the pair that differs most
  double in_one = 0.0, in_other = 0.0;  // m, its distance
  std::string moved;      // the marker without which the others agree; empty where there is none
  bool is_other() const;  // beyond 7 mm, six pairs at least
};
PersonDifference compare_people(const MarkerTracks& one, const MarkerTracks& other);

}  // namespace vesica
