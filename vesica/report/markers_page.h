// A self-contained page about a fit: parameters with intervals, marker errors over time with gait
// events, joint angles, correlations, and a view in space that plays.
#pragma once

#include <string>

#include "vesica/markers/outputs.h"

namespace vesica {

std::string make_markers_page(const markers::Run& run);

}  // namespace vesica
