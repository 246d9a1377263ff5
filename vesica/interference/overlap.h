// What two solids share, as the contact laws see it. Every method of this folder produces it.
#pragma once

#include <algorithm>
#include <cmath>

#include "vesica/math/pose.h"
#include "vesica/math/symmetric.h"

namespace vesica {

template <class T>
struct Overlap {
  // Signed gap, continuous through touchdown: the distance between the solids when apart; when they
  // overlap, minus the depth. The depth of every method is: over the shared columns along n, the
  // largest top of j minus bottom of i; on a half-space that is how far the lowest point has sunk
  // in. Where the depth was not asked for (Wanted) a mean depth stands in: calc_mean_depth.
  T distance;
  T volume;           // 0 when apart
  Vec3<T> p_WC;       // centroid of the shared volume; when apart, the middle of the shortest line
                      // between the solids
  Vec3<T> p_WD;       // where laws by depth act: the middle of the deepest column, on a half-space
                      // the lowest point; p_WC where it was not asked for
  Symmetric3<T> M_W;  // second moment about the centroid [m^5]
  Vec3<T> n_W;        // unit, from j toward i
  T plane_offset;     // contact surface: s_c = p_WC + plane_offset n_W
  T potential;        // integral of the volume over the approach [m^4]: k times it is the elastic
                      // energy of F = k V n

  bool is_point = false;        // a pair that touches at a point: it shares no volume
  bool has_mean_depth = false;  // the depth was not asked for

  // Set by a method whose wrench is the gradient of the potential (docs/theory/energy.md): on i,
  // per unit stiffness, a force push n_W at p_WC and a torque push lever [m]. Elsewhere the force
  // is volume n_W at p_WC.
  bool is_conservative = false;
  T push{0.0};
  Vec3<T> lever = Vec3<T>::Zero();

  // Relative, of the volume, where the method missed its tolerance; else 0.
  double method_error = 0;
};

// What is wanted beyond what two shapes share. Either may cost more than the overlap; methods that
// have them for nothing give them in any case.
struct Wanted {
  bool gap = true;    // between shapes that do not overlap; else they are just far_apart()
  bool depth = true;  // and p_WD; else a mean depth
};

// Contact means shared volume, whatever the depth; for points, which share none, a closed gap.
template <class T>
Mask<T> is_touching(const Overlap<T>& o) {
  return o.is_point ? o.distance < T(0) : o.volume > T(0);
}

// Shared volume over the area that it is pressed through: zero at touchdown and of the order of the
// depth. `area`: length of the area vector, which vanishes for a body inside another.
inline double calc_mean_depth(double volume, double area) {
  return volume > 0 ? volume / std::max(area, std::pow(volume, 2.0 / 3)) : 0;
}

// Of two shapes that are nowhere near each other.
template <class T>
Overlap<T> far_apart() {
  const T zero(0.0);
  const Vec3<T> none(zero, zero, zero);
  Overlap<T> o{};
  o.distance = T(1.0);
  o.volume = o.plane_offset = o.potential = zero;
  o.p_WC = o.p_WD = none;
  o.M_W = Symmetric3<T>::zero();
  o.n_W = Vec3<T>(zero, zero, T(1.0));
  return o;
}

// Seen from the other body: i and j change places.
template <class T>
Overlap<T> swapped(Overlap<T> o) {
  o.n_W = -o.n_W;
  o.plane_offset = -o.plane_offset;
  if (o.is_conservative) o.lever = -o.lever;
  return o;
}

// From the wrench on i about p_WC per unit stiffness: n_W becomes its direction. Without a force
// (one body deep in the other) n_W stays and the torque is lost.
inline void set_conservative(const Wrench<double>& F, Overlap<double>* o) {
  o->is_conservative = true;
  o->push = F.f_W.norm();
  o->lever = Vec3d::Zero();
  if (!(o->push > 0)) return;
  o->n_W = F.f_W / o->push;
  o->lever = F.tau_W / o->push;
}

// What a report wants to know beyond the Overlap; not needed to compute forces.
struct PatchFigures {
  double shadow_area = 0;   // projection of the shared volume along n
  double section_area = 0;  // on the contact plane; 0 where there is none (one inside the other)
  bool has_section = false;
  double max_depth = 0;  // longest column of the shared volume along n
};

// Where, in the coordinates s = origin + u u_W + v v_W of the contact plane, the shadow of the
// shared volume lies. Empty (u_max < u_min) when apart.
struct ShadowBounds {
  double u_min, u_max, v_min, v_max;
};

}  // namespace vesica
