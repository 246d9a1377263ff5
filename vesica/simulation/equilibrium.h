// The pose in which a scene rests: no generalised force on any coordinate that is not locked.
//
// Newton's method on the generalised forces at rest, r(q) = tau + sum J^T F, with exact Jacobians
// by dual numbers and a step that is halved until it comes nearer; where no length of it helps (a
// line that is slack, a contact that is open: the Jacobian says nothing of them) it is turned
// towards the gradient of |r|^2 (Levenberg, Marquardt); where that helps no more, downhill in the
// energy. Contacts push with their elastic part; friction that depends on the slip alone has none
// at rest, and bristles stay as they start. A measure may be held at a value: whatever generalised
// force holds it, lambda grad(measure), is part of the balance; it is led there in steps, shorter
// ones where a step is not met.
//
// The pose is stable if it can be: where the stiffness on motions that keep what is held has a
// negative direction (a saddle: a pendulum upside down), the search goes on along it, down to a
// minimum of the energy. A saddle is kept, and the result says so, where none is found nearby.
//
// Limits: no loops; where nothing holds a coordinate (a free body in the air, a ball that may roll)
// the Jacobian is singular, and the smallest step is taken: lock what is to stay. Forces that turn
// with a body have no energy: their stiffness counts with its symmetric part.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "vesica/simulation/system.h"

namespace vesica {

// One of the six numbers of a measure (grood_suntay.h), kept at a value.
struct HeldMeasure {
  int measure = 0, part = 0;
  double value = 0;
};

struct EquilibriumResult {
  bool converged = false;
  int iterations = 0;
  double residual = 0;        // largest force or torque left, over the weight of the scene
  double force_residual = 0;  // the same in N or N m
  std::vector<double> held;   // what holds each held measure: N m or N
  std::string message;        // empty if it converged

  bool is_stable = true;     // no motion that keeps what is held leads away
  bool left_saddle = false;  // one that was met first was not
  int gives_way = -1;        // the speed that leads away most, of the saddle

  // Of the forces on open speeds and the held measures, by the open coordinates along their speeds
  // and the holding forces: what the pose answers to a change of the scene.
  std::vector<int> open;
  Eigen::MatrixXd jacobian;
  double weight = 0;  // of the scene: of a radian or a metre that a held measure misses
};

// y with its coordinates moved along the speeds `open`; quaternions of unit length again.
std::vector<double> move_coordinates(const Tree<double>& tree, const std::vector<int>& open,
                                     const Eigen::VectorXd& step, const std::vector<double>& y);

// Moves the coordinates in y (a state of the system) to rest, speeds to zero. `locked`: indices of
// speeds whose coordinates stay.
EquilibriumResult find_equilibrium(const System<double>& system, const std::vector<int>& locked,
                                   const std::vector<HeldMeasure>& held, std::vector<double>* y);
inline EquilibriumResult find_equilibrium(const System<double>& system,
                                          const std::vector<int>& locked, std::vector<double>* y) {
  return find_equilibrium(system, locked, {}, y);
}

// Generalised forces at rest, in any scalar; `rates` is scratch of the state's size.
template <class P, class T>
void calc_forces_at_rest(const System<P>& system, const T* y, const Memory<T>& memory, T* rates,
                         Evaluation<T>* data, T* forces) {
  system.calc_rates(0, y, memory, rates, data);
  const Tree<P>& tree = system.scene().tree;
  const std::vector<T> zeros(static_cast<size_t>(tree.nu()), T(0));
  calc_inverse_dynamics(tree, data->wrenches, zeros.data(), forces,
                        static_cast<TreeData<T>*>(data));
  for (int k = 0; k < tree.nu(); ++k) {
    forces[k] = data->tau[static_cast<size_t>(k)] - forces[k];
  }
}

// What `locked` of a scene may name, one per speed: "arm.joint.angle", "ball.position.x",
// "ball.rotation.x".
std::vector<std::string> make_lock_names(const System<double>& system);

}  // namespace vesica
