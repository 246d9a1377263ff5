#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/system_rates.h"

namespace vesica {

template class System<Dual<4>>;
VESICA_SYSTEM(Dual<4>, Dual<4>)
template class FixedStepper<Dual<4>, Dual<4>>;
template void calc_tree_motions(const Tree<Dual<4>>&, double, const Dual<4>*, const Dual<4>*,
                                TreeData<Dual<4>>*);
template void factor_tree(const Tree<Dual<4>>&, TreeData<Dual<4>>*);

}  // namespace vesica
