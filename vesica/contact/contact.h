// A contact as it is composed: any pair of shapes, any normal law, any friction law.
//
// Run-time composition (scenes) is the variant type Contact<T>; C++ users who know their types call
// calc_overlap and calc_contact_forces themselves. A new law is one header and one entry in a
// variant below.
#pragma once

#include <variant>

#include "vesica/contact/contact_forces.h"
#include "vesica/interference/pair.h"

namespace vesica {

template <class P>
using NormalLaw = std::variant<VolumetricNormal<P>>;
template <class P>
using FrictionLaw = std::variant<NoFriction<P>, BrownMcPhee<P>>;

// P: the scalar of all sizes and parameters.
template <class P>
struct Contact {
  ShapePair<P> pair;
  // Where the shapes sit on their bodies.
  Pose<P> X_Ii, X_Jj;
  bool shapes_at_origin = true;
  NormalLaw<P> normal;
  FrictionLaw<P> friction;
  ContactOptions options;
};

template <class P, class T>
Pose<T> calc_shape_pose(const Pose<T>& X_WB, const Pose<P>& X_BS) {
  return {X_WB.R_WB * X_BS.R_WB.template cast<T>(), X_WB * X_BS.p_WB.template cast<T>()};
}

template <class P, class A, class B>
auto calc_overlap(const Contact<P>& contact, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  if (contact.shapes_at_origin) return calc_overlap(contact.pair, X_WI, X_WJ);
  return calc_overlap(contact.pair, calc_shape_pose(X_WI, contact.X_Ii),
                      calc_shape_pose(X_WJ, contact.X_Jj));
}

// The laws of a contact, given what the shapes share.
template <class P, class A, class B, class T>
ContactForces<T> calc_contact_laws(const Contact<P>& contact, const Overlap<T>& overlap,
                                   const Motion<A>& i, const Motion<B>& j,
                                   const ContactMemory<T>& memory) {
  return std::visit(
      [&](const auto& normal, const auto& friction) {
        return calc_contact_forces(overlap, i, j, normal, friction, contact.options, memory);
      },
      contact.normal, contact.friction);
}

// The per-contact call: pose and velocity of both bodies to the wrench on i. With P = double and
// A = Dual<N> it differentiates by the motion of i alone; with P = A by sizes and parameters too.
template <class P, class A, class B, class T>
ContactForces<T> calc_contact(const Contact<P>& contact, const Motion<A>& i, const Motion<B>& j,
                              const ContactMemory<T>& memory) {
  return calc_contact_laws(contact, Overlap<T>(calc_overlap(contact, i.X_WB, j.X_WB)), i, j,
                           memory);
}

}  // namespace vesica
