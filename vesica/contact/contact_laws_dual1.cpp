#include "vesica/contact/contact_laws.h"

namespace vesica {

VESICA_CONTACT_LAWS(Dual<1>, Dual<1>, Dual<1>, Dual<1>)

}  // namespace vesica
