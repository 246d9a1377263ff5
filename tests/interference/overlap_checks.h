// Checks that overlaps of any method share: all outputs as a list, derivatives against differences.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "vesica/interference/overlap.h"

namespace vesica::test {

template <class T>
std::vector<T> list_outputs(const Overlap<T>& o) {
  std::vector<T> list = {o.distance,  o.volume,   o.p_WC.x(), o.p_WC.y(), o.p_WC.z(),
                         o.M_W.xx,    o.M_W.yy,   o.M_W.zz,   o.M_W.xy,   o.M_W.xz,
                         o.M_W.yz,    o.n_W.x(),  o.n_W.y(),  o.n_W.z(),  o.plane_offset,
                         o.potential, o.p_WD.x(), o.p_WD.y(), o.p_WD.z()};
  if (o.is_conservative) {
    list.insert(list.end(), {o.push, o.lever.x(), o.lever.y(), o.lever.z()});
  }
  return list;
}
inline const char* output_name(std::size_t k) {
  static constexpr const char* kNames[] = {
      "distance", "volume", "p.x",  "p.y",  "p.z",     "M.xx",    "M.yy",         "M.zz",
      "M.xy",     "M.xz",   "M.yz", "n.x",  "n.y",     "n.z",     "plane_offset", "potential",
      "d.x",      "d.y",    "d.z",  "push", "lever.x", "lever.y", "lever.z"};
  return kNames[k];
}

// Directions as seed_motion has them: 0-2 position, 3-5 rotation about the body's origin.
inline Pose<double> move_pose(const Pose<double>& X, int direction, double step) {
  Pose<double> Y = X;
  if (direction < 3) {
    Y.p_WB[direction] += step;
  } else {
    const Vec3d turn = step * Vec3d(Vec3d::Unit(direction - 3));
    Y.R_WB = as_rotation(quaternion_from_rotation_vector(turn)) * X.R_WB;
  }
  return Y;
}

// `f(X_WI, X_WJ)` gives an Overlap for poses of any scalar. Every derivative by both poses against
// fourth-order differences of step `h`, as a fraction of the largest derivative of that output
// (and at least of the output over a metre). Returns the worst, and says in `where` which.
// `rounding`: by how much the value may differ where there are derivatives, of the value.
template <class F>
double find_worst_derivative(const F& f, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                             double h, std::string* where, double rounding = 0) {
  double worst = 0;
  const auto plain = list_outputs(f(X_WI, X_WJ));
  for (const bool of_j : {false, true}) {
    const auto seeded = seed_motion({of_j ? X_WJ : X_WI, {}}).X_WB;
    const auto dual = list_outputs(of_j ? f(X_WI, seeded) : f(seeded, X_WJ));
    std::vector<std::vector<double>> difference(6);
    std::vector<double> largest(plain.size());
    for (std::size_t k = 0; k < plain.size(); ++k) largest[k] = std::abs(plain[k]);
    for (int d = 0; d < 6; ++d) {
      const auto at = [&](double s) {
        return list_outputs(of_j ? f(X_WI, move_pose(X_WJ, d, s)) : f(move_pose(X_WI, d, s), X_WJ));
      };
      const auto p1 = at(h), m1 = at(-h), p2 = at(2 * h), m2 = at(-2 * h);
      for (std::size_t k = 0; k < plain.size(); ++k) {
        difference[d].push_back((8 * (p1[k] - m1[k]) - (p2[k] - m2[k])) / (12 * h));
        largest[k] = std::max(largest[k], std::abs(difference[d][k]));
      }
    }
    for (std::size_t k = 0; k < plain.size(); ++k) {
      EXPECT_NEAR(dual[k].a, plain[k], rounding * std::abs(plain[k])) << output_name(k);
      for (int d = 0; d < 6; ++d) {
        const double error =
            std::abs(dual[k].v[d] - difference[d][k]) / std::max(largest[k], 1e-300);
        if (!(error <= worst)) {
          worst = error;
          *where = fmt::format("{} by direction {} of {}: {} against {}", output_name(k), d,
                               of_j ? "j" : "i", dual[k].v[d], difference[d][k]);
        }
      }
    }
  }
  return worst;
}

}  // namespace vesica::test
