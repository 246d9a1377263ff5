// Spheres on a half-space in plain numbers, for an engine whose headers are of another standard.
#pragma once

#include <array>
#include <vector>

namespace vesica::test {

struct PeerSphere {
  std::array<double, 3> center, velocity, spin;  // of its body, whose origin is its middle; z up
  double radius, stiffness, dissipation;
};

// Simbody's SmoothSphereHalfSpaceForce on the plane z = 0: force on each sphere, and where the sum
// of their normal parts acts.
std::vector<std::array<double, 3>> calc_simbody_forces(const std::vector<PeerSphere>& spheres);

}  // namespace vesica::test
