// When a scene's forces, signals and given motions begin, end or have a kink, and how fast they
// change between: no step may reach across the first, and adaptive steps stay below the second, or
// a short push falls between two steps unseen.
#pragma once

#include <vector>

#include "vesica/simulation/scene.h"

namespace vesica {

// Ascending, without repetition, in (0, end).
std::vector<double> find_switch_times(const Scene<double>& scene, double end);

// An eighth of the shortest period, and the spacing of recorded series; infinite without either.
double calc_signal_step(const Scene<double>& scene);

}  // namespace vesica
