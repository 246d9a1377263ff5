// A contact as it is composed: any pair of shapes, any normal law, any friction law.
//
// Run-time composition (scenes) is the variant type Contact<T>; C++ users who know their types call
// calc_overlap and calc_contact_forces themselves. A new law is one header and one entry in a
// variant below (docs/howto/write_a_law.md).
//
// What is computed from a Contact is compiled once, for the scalars of contact_laws_*.cpp;
// include that header to use others (Ceres' Jet).
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "vesica/contact/adhesion.h"
#include "vesica/contact/andersson.h"
#include "vesica/contact/bristle.h"
#include "vesica/contact/brown_mcphee.h"
#include "vesica/contact/contact_forces.h"
#include "vesica/contact/coulomb_arctan.h"
#include "vesica/contact/foundation.h"
#include "vesica/contact/hollars.h"
#include "vesica/contact/hunt_crossley.h"
#include "vesica/contact/hyper_volumetric.h"
#include "vesica/contact/kelvin_voigt.h"
#include "vesica/contact/patch_friction.h"
#include "vesica/contact/specker.h"
#include "vesica/contact/volume_power.h"
#include "vesica/contact/volumetric_normal.h"
#include "vesica/interference/pair.h"

namespace vesica {

template <class P>
using NormalLaw =
    std::variant<VolumetricNormal<P>, VolumePower<P>, HuntCrossley<P>, LankaraniNikravesh<P>,
                 Hertz<P>, KelvinVoigt<P>, HyperVolumetric<P>, Foundation<P>, Adhesion<P>>;
template <class P>
using FrictionLaw =
    std::variant<NoFriction<P>, BrownMcPhee<P>, CoulombArctan<P>, Andersson<P>, Hollars<P>,
                 Specker<P>, Bristle<P>, VolumetricBristle<P>, PatchFriction<P>>;
inline constexpr int kMaxFrictionStates = 5;

// Two shapes, and where they sit on their bodies.
template <class P>
struct PlacedPair {
  ShapePair<P> pair;
  Pose<P> X_Ii, X_Jj;
  bool shapes_at_origin = true;
};

// P: the scalar of all sizes and parameters.
template <class P>
struct Contact : PlacedPair<P> {
  NormalLaw<P> normal;
  FrictionLaw<P> friction;
  ContactOptions options;
  // Constraint relaxation for fixed-step methods (Gonthier 3.44-3.45): the measure found at
  // touchdown is taken off, and comes back with this time constant [s]; 0: none.
  P relaxation_time{0.0};
  // The friction law's states before the first touchdown.
  std::array<P, kMaxFrictionStates> initial_states{};

  int friction_states() const {
    return std::visit([](const auto& law) { return kStateCount<std::decay_t<decltype(law)>>; },
                      friction);
  }
  bool relaxes() const { return value_of(relaxation_time) > 0; }
  // Continuous states: those of the friction law, then what is relaxed.
  int state_count() const { return friction_states() + (relaxes() ? 1 : 0); }
  Measure measure() const { return measure_of(normal); }
  // Whether a law integrates over the patch.
  bool needs_patch() const {
    return measure() == Measure::kField || std::holds_alternative<PatchFriction<P>>(friction);
  }
};

// Whether the elastic energy of the normal law is a function of the pose (PHYSICS: the normal is
// fixed by the geometry and the law's measure drives it, or the wrench is conservative); elsewhere
// the ledger reports the difference as non-potential work.
template <class P>
bool has_potential(const Contact<P>& contact, const PlacedPair<P>& placed) {
  if (contact.relaxes() || std::holds_alternative<VolumePower<P>>(contact.normal)) return false;
  // A pressure that is not linear in the length of a column that overhangs has none: lifting the
  // body presses less there, but leaves the column as long as it was. Caps hardly overhang.
  if (contact.measure() == Measure::kField && !row_of(placed.pair).caps) return false;
  return has_potential(placed.pair);
}

template <class P>
bool has_potential(const Contact<P>& contact) {
  return has_potential(contact, contact);
}

// What a contact does where rolling is so fast that the foundation would pull at the edge of the
// patch: it lifts there, exactly or in the closed form of caps; or in that form for a shape that is
// none, an approximation; or it pulls, as published.
enum class WhereItWouldPull { kLifts, kLiftsRoughly, kPulls };
WhereItWouldPull where_it_would_pull(const Contact<double>& contact,
                                     const PlacedPair<double>& placed);

// What a recording calls the contact's states, and their typical sizes for a solver's tolerance.
std::vector<std::string> contact_state_names(const Contact<double>& contact);
double contact_state_scale(const Contact<double>& contact, int state);
// The parameters of its bristles, null where the friction law has none.
const BristleParameters<double>* find_bristle(const Contact<double>& contact);

template <class P, class T>
Pose<T> calc_shape_pose(const Pose<T>& X_WB, const Pose<P>& X_BS) {
  return {X_WB.R_WB * X_BS.R_WB.template cast<T>(), X_WB * X_BS.p_WB.template cast<T>()};
}

template <class P, class A, class B>
Overlap<Promote<P, Promote<A, B>>> calc_overlap(const PlacedPair<P>& shapes, const Pose<A>& X_WI,
                                                const Pose<B>& X_WJ, Wanted wanted = {});

// The laws of a contact, given what its shapes, or two others (parts of the same bodies), share.
// `states` and `rates`: contact.state_count() numbers, or null for a contact without (and for one
// whose states are all zero).
template <class P, class A, class B, class T>
ContactForces<T> calc_contact_laws(const Contact<P>& contact, const PlacedPair<P>& shapes,
                                   const Overlap<T>& overlap, const Motion<A>& i,
                                   const Motion<B>& j, const ContactMemory<T>& memory,
                                   const T* states = nullptr, T* rates = nullptr);

// The per-contact call: pose and velocity of both bodies to the wrench on i. With P = double and
// A = Dual<N> it differentiates by the motion of i alone; with P = A by sizes and parameters too.
template <class P, class A, class B, class T>
ContactForces<T> calc_contact(const Contact<P>& contact, const Motion<A>& i, const Motion<B>& j,
                              const ContactMemory<T>& memory, const T* states = nullptr,
                              T* rates = nullptr) {
  const Wanted wanted{true, contact.measure() == Measure::kDepth};
  return calc_contact_laws(contact, contact, calc_overlap(contact, i.X_WB, j.X_WB, wanted), i, j,
                           memory, states, rates);
}

}  // namespace vesica
