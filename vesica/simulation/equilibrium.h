// The pose in which a scene rests: no generalised force on any coordinate that is not locked.
//
// Newton's method on the generalised forces at rest, r(q) = tau + sum J^T F, with exact Jacobians
// by dual numbers and a step that is halved until |r| falls. Contacts push with their elastic part;
// friction that depends on the slip alone has none at rest, and bristles stay as they start.
// Limits: no loops; where nothing holds a coordinate (a free body in the air, a ball that may roll)
// the Jacobian is singular, and the smallest step is taken: lock what is to stay. A saddle is an
// equilibrium too.
#pragma once

#include <string>
#include <vector>

#include "vesica/simulation/system.h"

namespace vesica {

struct EquilibriumResult {
  bool converged = false;
  int iterations = 0;
  double residual = 0;  // largest force or torque left, over the weight of the scene
  std::string message;  // empty if it converged
};

// Moves the coordinates in y (a state of the system) to rest, speeds to zero. `locked`: indices of
// speeds whose coordinates stay.
EquilibriumResult find_equilibrium(const System<double>& system, const std::vector<int>& locked,
                                   std::vector<double>* y);

// What `locked` of a scene may name, one per speed: "arm.joint.angle", "ball.position.x",
// "ball.rotation.x".
std::vector<std::string> make_lock_names(const System<double>& system);

}  // namespace vesica
