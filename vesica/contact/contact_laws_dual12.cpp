#include "vesica/contact/contact_laws.h"

namespace vesica {

VESICA_CONTACT_LAWS(double, Dual<12>, Dual<12>, Dual<12>)
VESICA_CONTACT_LAWS(double, Dual<12>, double, Dual<12>)

}  // namespace vesica
