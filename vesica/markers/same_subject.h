// Whether recordings that are given together are of one person, who stands where that is asked for.
#pragma once

#include <string>

#include "vesica/markers/trial.h"

namespace vesica::markers {

// How the distances between markers of the same segment differ between two recordings. Skin and the
// way a marker is taped on leave some millimetres; bones of another person do not.
struct SizeDifference {
  int pairs = 0;                    // that both recordings show
  double rms = 0;                   // m, over the pairs, of medians over frames
  int a = 0, b = 0;                 // the pair that differs most
  double in_one = 0, in_other = 0;  // m, its distance
  int moved = -1;  // the marker that explains it: without its pairs the rest agrees; -1: none
  bool is_other() const;  // beyond 7 mm, with three pairs at least
};
SizeDifference compare_sizes(const Model& model, const Trial& one, const Trial& other);

// A sentence where the recordings look like two people's, or where a marker sits at another place
// (its distance to another one of its segment differs by more than 14 mm); empty otherwise.
std::string describe_other_person(const Model& model, const Trial& one, const Trial& other);

// Throws InputError where the markers of a standing trial move: of at least a quarter of them, 90 %
// of the positions are not within 5 cm.
void check_stands(const Model& model, const Trial& standing);

}  // namespace vesica::markers
