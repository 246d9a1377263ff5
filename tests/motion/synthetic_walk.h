// The walker of vesica/motion, for tests.
#pragma once

#include "vesica/motion/synthetic_walk.h"

namespace vesica::test {
using vesica::SyntheticWalk;
}  // namespace vesica::test
