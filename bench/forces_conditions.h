// The same people recorded otherwise: fewer frames, a belt, recordings that end within a stance.
#pragma once

#include <string>
#include <vector>

#include "vesica/forces/train.h"

namespace vesica::bench {

// `folders` are those of the people, in their order.
void print_conditions(const std::vector<std::string>& folders,
                      const std::vector<const forces::Person*>& people,
                      const forces::Population& bands);

}  // namespace vesica::bench
