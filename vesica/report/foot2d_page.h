// A page of a study of planar feet.
#pragma once

#include <string>

#include "vesica/identification/foot2d_study.h"

namespace vesica {

std::string make_foot2d_page(const Foot2dStudy& study, const std::string& subtitle);

}  // namespace vesica
