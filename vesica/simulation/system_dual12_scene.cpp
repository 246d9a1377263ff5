// A scene whose numbers carry twelve derivatives (sensitivity.h).
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/system_rates.h"

namespace vesica {

template class System<Dual<12>>;
VESICA_SYSTEM(Dual<12>, Dual<12>)
template class FixedStepper<Dual<12>, Dual<12>>;
template void calc_tree_motions(const Tree<Dual<12>>&, double, const Dual<12>*, const Dual<12>*,
                                TreeData<Dual<12>>*);
template void factor_tree(const Tree<Dual<12>>&, TreeData<Dual<12>>*);

}  // namespace vesica
