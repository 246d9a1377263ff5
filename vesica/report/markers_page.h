// A self-contained page about a fit: parameters with intervals, marker errors over time with gait
// events, joint angles, correlations, and a 3-D view that plays.
#pragma once

#include "vesica/markers/outputs.h"

namespace vesica::markers {

std::string make_markers_page(const Run& run);

}  // namespace vesica::markers
