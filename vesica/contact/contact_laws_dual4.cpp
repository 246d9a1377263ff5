#include "vesica/contact/contact_laws.h"

namespace vesica {

VESICA_CONTACT_LAWS(Dual<4>, Dual<4>, Dual<4>, Dual<4>)

}  // namespace vesica
