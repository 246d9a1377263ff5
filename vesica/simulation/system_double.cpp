#include "vesica/simulation/system_rates.h"

namespace vesica {

template class System<double>;
VESICA_SYSTEM(double, double)

}  // namespace vesica
