// A contact on Ceres' Jets, in a file of its own: whoever includes contact_laws.h compiles all of
// it again, and the benchmark would time that copy in place of the library's.
#pragma once

#include "vesica/contact/contact.h"
#include "vesica/math/jet.h"

namespace vesica::bench {

using Jet = ceres::Jet<double, 12>;

ContactForces<Jet> calc_with_jets(const Contact<double>& contact, const Motion<Jet>& i,
                                  const Motion<double>& j);

}  // namespace vesica::bench
