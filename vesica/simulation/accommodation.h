// Force-moment accommodation: a serial arm that follows a given velocity of its tip and gives way
// to the force that a contact puts on it (Gonthier 5.1.4; "10 N per mm/s plus a 10 N dead-band").
//
//   twist   = given(t) + gain dead_band(F)         F: wrench of the contact on the tip body, taken
//   at
//                                                  the tip's frame; per component, in world axes
//   r'      = J^-1 twist                           reference angles r: the controller's states
//   tau     = inverse dynamics of u' = k_v (r' - u) + k_p (r - q), weight compensated
// dead_band(x) = x - b for x > b, x + b for x < -b, 0 between: C0 at +-b. At rest under load
// the commanded speed c and the force are in balance at F = b + c/gain.
// Perfect actuators and a perfect sensor; friction in the joints is not compensated. It needs one
// chain of exactly six joints of one speed each from the world to the tip, away from singular
// poses (a pivot of J below kSingular stops the run with forces that are not finite).
#pragma once

#include <vector>

#include "vesica/contact/contact_forces.h"
#include "vesica/multibody/dynamics.h"

namespace vesica {

template <class P>
struct Accommodation {
  int body = 0;                              // the tip
  Vec3<P> p_BT = Vec3<P>::Zero();            // where its velocity is meant
  int contact = 0;                           // whose force is felt
  bool body_is_i = true;                     // the tip is the contact's first body
  std::vector<Signal<P>> velocity;           // x y z [m/s], then spins [rad/s]
  P gain{0.0}, turning_gain{0.0};            // [m/s/N], [rad/s/(N m)]
  P dead_band{0.0}, turning_dead_band{0.0};  // [N], [N m]
  P k_p{0.0}, k_v{0.0};                      // [1/s^2], [1/s]
  std::vector<int> speeds;                   // of the chain, from the base
  std::vector<int> coordinates;

  int state_count() const { return 6; }
};

template <class T>
struct AccommodationData {  // scratch
  MatrixX<T> J;
  std::vector<T> rates, tau;
  std::vector<Wrench<T>> weights;

  void resize(int nu, int bodies) {
    J.resize(6, nu);
    rates.assign(static_cast<size_t>(nu), T(0));
    tau.assign(static_cast<size_t>(nu), T(0));
    weights.resize(static_cast<size_t>(bodies));
  }
};

namespace detail {

constexpr double kSingular = 1e-9;

// Solves A x = b in place (b becomes x) by elimination with row pivoting.
template <class T>
void solve_six(T (*A)[6], T* b) {
  for (int c = 0; c < 6; ++c) {
    int best = c;
    for (int r = c + 1; r < 6; ++r) {
      if (std::abs(value_of(A[r][c])) > std::abs(value_of(A[best][c]))) best = r;
    }
    if (best != c) {
      for (int k = 0; k < 6; ++k) std::swap(A[c][k], A[best][k]);
      std::swap(b[c], b[best]);
    }
    if (std::abs(value_of(A[c][c])) < kSingular) A[c][c] = T(0);
    const T inverse = T(1) / A[c][c];
    for (int r = c + 1; r < 6; ++r) {
      const T factor = A[r][c] * inverse;
      for (int k = c; k < 6; ++k) A[r][k] -= factor * A[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (int c = 5; c >= 0; --c) {
    for (int k = c + 1; k < 6; ++k) b[c] -= A[c][k] * b[k];
    b[c] = b[c] / A[c][c];
  }
}

template <class T>
T dead_band(const T& x, const T& b) {
  return select(x > b, T(x - b), select(x < -b, T(x + b), T(0)));
}

}  // namespace detail

// Adds the controller's torques to tau [nu]; fills the rates of its states; returns the motors'
// power. Evaluates the inverse dynamics in `data`.
template <class P, class T>
T calc_accommodation(const Accommodation<P>& c, const Tree<P>& tree, const Vec3<P>& gravity,
                     double t, const T* q, const T* u, const ContactForces<T>& contact,
                     const T* states, T* state_rates, TreeData<T>* data,
                     AccommodationData<T>* scratch, T* tau) {
  const Motion<T>& tip = data->motions[static_cast<size_t>(c.body)];
  const Vec3<T> p_WT = tip.X_WB * c.p_BT.template cast<T>();
  const double sign = c.body_is_i ? 1 : -1;
  const Vec3<T> force = contact.F_Ic_W.f_W * T(sign);
  const Vec3<T> moment = contact.F_Ic_W.tau_W * T(sign) + Vec3<T>(contact.p_WC - p_WT).cross(force);

  calc_jacobian(tree, *data, c.body, p_WT, &scratch->J);
  T A[6][6], rate[6];
  for (int k = 0; k < 3; ++k) {
    rate[k] = c.velocity[static_cast<size_t>(3 + k)].at(t, data->time_shift).value +
              c.turning_gain * detail::dead_band(moment[k], T(c.turning_dead_band));
    rate[3 + k] = c.velocity[static_cast<size_t>(k)].at(t, data->time_shift).value +
                  c.gain * detail::dead_band(force[k], T(c.dead_band));
    for (int j = 0; j < 6; ++j) {
      A[k][j] = scratch->J(k, c.speeds[static_cast<size_t>(j)]);
      A[3 + k][j] = scratch->J(3 + k, c.speeds[static_cast<size_t>(j)]);
    }
  }
  detail::solve_six(A, rate);

  for (T& x : scratch->rates) x = T(0);
  for (int j = 0; j < 6; ++j) {
    const auto at = static_cast<size_t>(j);
    state_rates[j] = rate[j];
    scratch->rates[static_cast<size_t>(c.speeds[at])] =
        c.k_v * (rate[j] - u[c.speeds[at]]) + c.k_p * (states[j] - q[c.coordinates[at]]);
  }
  const Vec3<T> none(T(0), T(0), T(0));
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    scratch->weights[b] = {gravity.template cast<T>() * T(tree.bodies()[b].inertia.mass), none};
  }
  calc_inverse_dynamics(tree, scratch->weights, scratch->rates.data(), scratch->tau.data(), data);
  T power(0);
  for (int speed : c.speeds) {
    const T& torque = scratch->tau[static_cast<size_t>(speed)];
    tau[speed] += torque;
    power += torque * u[speed];
  }
  return power;
}

}  // namespace vesica
