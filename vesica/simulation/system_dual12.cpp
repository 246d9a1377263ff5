#include "vesica/simulation/system_rates.h"

namespace vesica {

VESICA_SYSTEM(double, Dual<12>)

}  // namespace vesica
