#include "vesica/contact/contact_laws.h"

namespace vesica {

VESICA_CONTACT_LAWS(double, double, double, double)

}  // namespace vesica
