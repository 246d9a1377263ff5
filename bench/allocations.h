// Counts calls of operator new in this program.
#pragma once

namespace vesica::bench {

long allocation_count();

}  // namespace vesica::bench
