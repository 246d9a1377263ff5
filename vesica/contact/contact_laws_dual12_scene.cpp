// A scene whose numbers carry twelve derivatives (simulation/sensitivity.h).
#include "vesica/contact/contact_laws.h"

namespace vesica {

VESICA_CONTACT_LAWS(Dual<12>, Dual<12>, Dual<12>, Dual<12>)

}  // namespace vesica
