// Normative curves over the gait cycle, from a CSV file.
#pragma once

#include <string>
#include <vector>

#include "vesica/motion/gait_cycles.h"

namespace vesica {

struct NormativeCurve {
  std::string name;         // of the signal
  Foot foot = Foot::kBoth;  // both: for either side
  CycleValues mean{}, sd{};
};

// Columns: `percent`, increasing from 0 to 100, then NAME_mean and NAME_sd for every signal, or
// NAME_left_mean, NAME_left_sd, NAME_right_mean, NAME_right_sd; in the unit of the signal ("[unit]"
// behind a name is allowed and must be that unit). Linear between rows. Throws InputError for a
// column of another name, a mean without its sd, a signal that `summary` does not have, another
// unit, what is no number, a negative sd.
std::vector<NormativeCurve> load_normative(const std::string& path, const GaitSummary& summary);

// How a mean curve lies to its normative one.
struct NormativeDeviation {
  double rms = 0.0;      // of the difference of the means, in the signal's unit
  double outside = 0.0;  // % of the cycle more than two sd away
};
NormativeDeviation calc_deviation(const CycleCurve& curve, const NormativeCurve& normative);

// The one that belongs to a curve; null where there is none.
const NormativeCurve* find_normative(const std::vector<NormativeCurve>& normatives,
                                     const CycleCurve& curve);

}  // namespace vesica
