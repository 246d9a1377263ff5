#include "vesica/simulation/system_rates.h"

namespace vesica {

template class System<Dual<1>>;
VESICA_SYSTEM(Dual<1>, Dual<1>)

}  // namespace vesica
