// Rotations and translations of one body against another as clinicians read them (Grood and Suntay
// 1983, J Biomech Eng 105:136): a hinge fixed to the upper body, an axis fixed to the lower one,
// and the floating axis square to both.
//
// Frames: x to the subject's right, y anterior, z proximal, on both sides of the body. With i of
// the upper (femur) and k of the lower body (tibia), and H from the upper origin to the lower:
//   e1 = x_U, e3 = z_L, e2 = e3 x e1/|e3 x e1|
//   flexion            atan2(-z_U . e2, y_U . e2)
//   adduction          asin(x_U . z_L)                   right; left: minus that
//   internal rotation  atan2(x_L . e2, y_L . e2)         right; left: minus that
//   lateral            H . e1                            right; left: minus that
//   anterior           H . e2
//   distraction        -H . e3
// Smoothness: C-infinity but at 90 deg of adduction, where e2 is not defined (all are then zero).
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "vesica/math/pose.h"

namespace vesica {

inline constexpr std::array<const char*, 6> kGroodSuntayNames = {
    "flexion", "adduction", "internal_rotation", "lateral", "anterior", "distraction"};

// The six in their order, [rad] and [m].
template <class T>
std::array<T, 6> calc_grood_suntay(const Pose<T>& X_WU, const Pose<T>& X_WL, bool is_left) {
  using std::atan2;
  using std::sqrt;
  const Vec3<T> e1 = X_WU.R_WB.col(0), e3 = X_WL.R_WB.col(2);
  const Vec3<T> floating = e3.cross(e1);
  const T n2 = floating.squaredNorm();
  if (value_of(n2) == 0) return {T(0), T(0), T(0), T(0), T(0), T(0)};
  const T n = sqrt(n2);
  const Vec3<T> e2 = floating / n;
  const Vec3<T> y_U = X_WU.R_WB.col(1), z_U = X_WU.R_WB.col(2);
  const Vec3<T> x_L = X_WL.R_WB.col(0), y_L = X_WL.R_WB.col(1);
  const Vec3<T> H = X_WL.p_WB - X_WU.p_WB;
  const T sign(is_left ? -1.0 : 1.0);
  // asin by atan2, |e3 x e1| being the cosine: rounding never leaves its domain.
  return {T(atan2(T(-z_U.dot(e2)), T(y_U.dot(e2)))),
          T(sign * atan2(T(e1.dot(e3)), n)),
          T(sign * atan2(T(x_L.dot(e2)), T(y_L.dot(e2)))),
          T(sign * H.dot(e1)),
          T(H.dot(e2)),
          T(-H.dot(e3))};
}

// Between a frame on each of two bodies, as columns of a recording.
template <class P>
struct GroodSuntay {
  std::string name;
  int body_u = 0, body_l = 0;
  Pose<P> X_UF, X_LF;
  bool is_left = false;
};

template <class P, class T>
std::array<T, 6> calc_grood_suntay(const GroodSuntay<P>& measure,
                                   const std::vector<Motion<T>>& motions) {
  const auto place = [&](int body, const Pose<P>& X_BF) {
    const Pose<T>& X_WB = motions[static_cast<size_t>(body)].X_WB;
    return Pose<T>{X_WB.R_WB * X_BF.R_WB.template cast<T>(), X_WB * X_BF.p_WB.template cast<T>()};
  };
  return calc_grood_suntay(place(measure.body_u, measure.X_UF), place(measure.body_l, measure.X_LF),
                           measure.is_left);
}

}  // namespace vesica
