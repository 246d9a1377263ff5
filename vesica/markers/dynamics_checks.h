// What speaks against joint moments before they are computed: frames whose poses are not to be
// relied on, a mass that the plates contradict, forces that are another trial's.
#pragma once

#include <string>
#include <vector>

#include "vesica/markers/dynamics.h"

namespace vesica::markers {

// The legs of segments whose poses are marked (frame_marks.h), with what the low-pass filter of the
// motion spreads of them; both legs for a segment of neither.
std::vector<UnknownStretch> find_marked_legs(const Run& run, size_t trial, const BodySegments& body,
                                             double motion_cutoff);

// A sentence where the mass given is more than 5 % from what whole strides on plates weigh.
std::string compare_mass(double mass, const std::vector<WeightEstimate>& weights);

// A sentence where the plates were loaded elsewhere, or at other times, than the feet stood.
std::string doubt_forces(const std::string& trial, const TrialAnalysis& forces);

}  // namespace vesica::markers
