// How two bodies move against each other at a point of their contact.
#pragma once

#include "vesica/interference/overlap.h"

namespace vesica {

// What a normal law measures the contact by.
enum class Measure {
  kDepth,   // of the deepest column: any pair
  kVolume,  // the shared volume: any pair of solids
  kField,  // the depth at every point of the patch: pairs with a patch (interference/patch/patch.h)
};

template <class T>
struct ContactKinematics {
  T closing_speed;  // c = -v_n: positive while approaching
  Vec3<T> v_t;      // tangential velocity of i against j at the point
  Vec3<T> w;        // relative spin
  T w_n;            // its component along n
};

template <class A, class B, class T>
VESICA_INLINE ContactKinematics<T> calc_kinematics(const Motion<A>& i, const Motion<B>& j,
                                                   const Vec3<T>& p_WQ, const Vec3<T>& n_W) {
  ContactKinematics<T> k;
  k.w = i.V_WB.w_WB - j.V_WB.w_WB;
  const Vec3<T> v = i.V_WB.v_WB + i.V_WB.w_WB.cross(p_WQ - i.X_WB.p_WB) - j.V_WB.v_WB -
                    j.V_WB.w_WB.cross(p_WQ - j.X_WB.p_WB);
  const T v_n = n_W.dot(v);
  k.closing_speed = -v_n;
  k.v_t = v - n_W * v_n;
  k.w_n = n_W.dot(k.w);
  return k;
}

// Where the law acts: at the deepest column for a law by depth, else at the centroid. A
// conservative contact closes as its potential grows: the rate of U is push c.
template <class A, class B, class T>
VESICA_INLINE ContactKinematics<T> calc_kinematics(const Motion<A>& i, const Motion<B>& j,
                                                   const Overlap<T>& o, Measure measure) {
  if (measure == Measure::kDepth) return calc_kinematics(i, j, o.p_WD, o.n_W);
  ContactKinematics<T> k = calc_kinematics(i, j, o.p_WC, o.n_W);
  if (o.is_conservative) k.closing_speed = k.closing_speed - o.lever.dot(k.w);
  return k;
}

}  // namespace vesica
