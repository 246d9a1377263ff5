#include "bench/contact_with_jets.h"

#include "vesica/contact/contact_laws.h"

namespace vesica::bench {

ContactForces<Jet> calc_with_jets(const Contact<double>& contact, const Motion<Jet>& i,
                                  const Motion<double>& j) {
  return calc_contact(contact, i, j, ContactMemory<Jet>{Jet(0.0)});
}

}  // namespace vesica::bench
