// A contact as it is composed: any pair of shapes, any normal law, any friction law.
//
// Run-time composition (scenes) is the variant type Contact<T>; C++ users who know their types call
// calc_overlap and calc_contact_forces themselves. A new law is one header and one entry in a variant
// below.
#pragma once

#include <variant>

#include "vesica/contact/contact_forces.h"
#include "vesica/interference/pair.h"

namespace vesica {

template <class T>
using NormalLaw = std::variant<VolumetricNormal<T>>;
template <class T>
using FrictionLaw = std::variant<NoFriction<T>, BrownMcPhee<T>>;

template <class T>
struct Contact {
  ShapePair<T> pair;
  // Where the shapes sit on their bodies.
  Pose<T> X_Ii, X_Jj;
  bool shapes_at_origin = true;
  NormalLaw<T> normal;
  FrictionLaw<T> friction;
  ContactOptions options;
};

template <class T>
Pose<T> compose(const Pose<T>& X_WB, const Pose<T>& X_BQ) {
  return {X_WB.R_WB * X_BQ.R_WB, X_WB * X_BQ.p_WB};
}

template <class T>
Overlap<T> calc_overlap(const Contact<T>& contact, const Pose<T>& X_WI, const Pose<T>& X_WJ) {
  if (contact.shapes_at_origin) return calc_overlap(contact.pair, X_WI, X_WJ);
  return calc_overlap(contact.pair, compose(X_WI, contact.X_Ii), compose(X_WJ, contact.X_Jj));
}

// The per-contact call: pose and velocity of both bodies to the wrench on i.
template <class T>
ContactForces<T> calc_contact(const Contact<T>& contact, const Motion<T>& i, const Motion<T>& j,
                              const ContactMemory<T>& memory) {
  const Overlap<T> overlap = calc_overlap(contact, i.X_WB, j.X_WB);
  return std::visit(
      [&](const auto& normal, const auto& friction) {
        return calc_contact_forces(overlap, i, j, normal, friction, contact.options, memory);
      },
      contact.normal, contact.friction);
}

}  // namespace vesica
