// A page of predicted ground forces: bands, measured forces and baselines where there are plates.
#pragma once

#include <string>

#include "vesica/forces/outputs.h"

namespace vesica {

std::string make_forces_page(const forces::PredictedTrial& trial);

}  // namespace vesica
