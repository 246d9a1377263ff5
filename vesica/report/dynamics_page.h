// A page of joint moments and powers.
#pragma once

#include <string>
#include <vector>

#include "vesica/markers/dynamics.h"

namespace vesica {

std::string make_dynamics_page(const std::vector<markers::Dynamics>& trials);

}  // namespace vesica
