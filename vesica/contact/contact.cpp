#include "vesica/contact/contact.h"

namespace vesica {

std::vector<std::string> contact_state_names(const Contact<double>& contact) {
  std::vector<std::string> names;
  std::visit(
      [&](const auto& law) {
        using Law = std::decay_t<decltype(law)>;
        if constexpr (kStateCount<Law> != 0) {
          for (const auto name : law.kStateNames) names.emplace_back(name);
        }
      },
      contact.friction);
  if (contact.relaxes()) names.emplace_back("relaxed");
  return names;
}

double contact_state_scale(const Contact<double>& contact, int state) {
  if (state >= contact.friction_states()) {  // what is relaxed: a small part of the body
    // A point has no size, and a solver's tolerance must not be zero: as a body of 10 cm.
    const double size = calc_size(contact.pair);
    const double depth = 1e-3 * (size > 0 ? size : 0.1);
    return contact.measure() == Measure::kDepth ? depth : depth * depth * depth;
  }
  return std::visit(
      [&](const auto& law) {
        using Law = std::decay_t<decltype(law)>;
        if constexpr (kStateCount<Law> != 0) {
          return law.state_scale(state);
        } else {
          return 1.0;
        }
      },
      contact.friction);
}

WhereItWouldPull where_it_would_pull(const Contact<double>& contact,
                                     const PlacedPair<double>& placed) {
  if (contact.needs_patch()) return WhereItWouldPull::kLifts;
  if (!lifts_patch(contact.options)) return WhereItWouldPull::kPulls;
  return row_of(placed.pair).caps ? WhereItWouldPull::kLifts : WhereItWouldPull::kLiftsRoughly;
}

const BristleParameters<double>* find_bristle(const Contact<double>& contact) {
  if (const auto* point = std::get_if<Bristle<double>>(&contact.friction)) return &point->p;
  if (const auto* patch = std::get_if<VolumetricBristle<double>>(&contact.friction)) {
    return &patch->p;
  }
  return nullptr;
}

}  // namespace vesica
