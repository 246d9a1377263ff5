// What a Contact computes: the definitions behind contact.h.
#pragma once

#include <type_traits>

#include "vesica/contact/contact.h"
#include "vesica/contact/patch_forces.h"

namespace vesica {

template <class P, class A, class B>
Overlap<Promote<P, Promote<A, B>>> calc_overlap(const PlacedPair<P>& shapes, const Pose<A>& X_WI,
                                                const Pose<B>& X_WJ, Wanted wanted) {
  if (shapes.shapes_at_origin) return calc_overlap(shapes.pair, X_WI, X_WJ, wanted);
  return calc_overlap(shapes.pair, calc_shape_pose(X_WI, shapes.X_Ii),
                      calc_shape_pose(X_WJ, shapes.X_Jj), wanted);
}

namespace detail {
// All laws in one function: what passes between them stays in registers. A wrench takes 119 ns
// instead of 132 (ellipsoid on a half-space); dual numbers would gain nothing and compile twice as
// long.
template <class... Arguments>
__attribute__((flatten)) ContactForces<double> calc_flattened_forces(const Arguments&... a) {
  return calc_contact_forces(a...);
}
}  // namespace detail

template <class P, class A, class B, class T>
ContactForces<T> calc_contact_laws(const Contact<P>& contact, const PlacedPair<P>& shapes,
                                   const Overlap<T>& overlap, const Motion<A>& i,
                                   const Motion<B>& j, const ContactMemory<T>& memory,
                                   const T* states, T* rates) {
  std::array<T, kMaxFrictionStates + 1> zeros, unused;
  const int count = contact.state_count();
  if (count > 0 && !states) {
    zeros.fill(T(0));
    states = zeros.data();
  }
  if (count > 0 && !rates) rates = unused.data();
  T relaxed(0);
  if (contact.relaxes()) {
    relaxed = states[count - 1];
    rates[count - 1] = -relaxed / contact.relaxation_time;
  }
  // A bristle writes its rates; apart, nothing moves.
  const bool touching = is_touching(overlap);
  if (!touching) {
    for (int k = 0; k < count; ++k) rates[k] = T(0);
  }
  if (contact.needs_patch() && touching) {
    return calc_patch_forces(contact, shapes, overlap, i, j, memory, states, rates);
  }
  if constexpr (std::is_same_v<T, double>) {
    return detail::calc_flattened_forces(overlap, i, j, contact.normal, contact.friction,
                                         contact.options, memory, states, rates, relaxed);
  } else {
    return calc_contact_forces(overlap, i, j, contact.normal, contact.friction, contact.options,
                               memory, states, rates, relaxed);
  }
}

// Compiled in contact_laws_*.cpp: parameters, body i, body j.
#define VESICA_CONTACT_LAWS(P, A, B, T)                                                           \
  template Overlap<T> calc_overlap(const PlacedPair<P>&, const Pose<A>&, const Pose<B>&, Wanted); \
  template ContactForces<T> calc_contact_laws(                                                    \
      const Contact<P>&, const PlacedPair<P>&, const Overlap<T>&, const Motion<A>&,               \
      const Motion<B>&, const ContactMemory<T>&, const T*, T*);

}  // namespace vesica
