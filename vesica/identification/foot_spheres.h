// A foot of six spheres as OpenSim's users have it, for comparison: the same stances, the same toe
// joint, another contact.
//
// SmoothSphereHalfSpaceForce (Serrancoli et al. 2019): with k = E^(2/3)/2, depth d of a sphere of
// radius R and closing speed c
//   f_H = 4/3 k sqrt(R k) (d^2 + 1e-5)^(3/4) (1 + tanh(300 d))/2
//   f   = f_H (1 + 3/2 a c) (1 + tanh(50 (c + 2/(3 a))))/2
// at the sphere's centre as seen from above. Fitted are the stiffness E, the dissipation a, and
// place and radius of each sphere, with priors as wide as those of the ellipsoids.
#pragma once

#include <array>

#include "vesica/identification/foot_fit.h"

namespace vesica {

struct FootSphere {
  std::string name;
  int segment = 0;
  double radius = 0.03;
  Vec3d position = Vec3d::Zero();
};

struct SphereFoot {
  double stiffness = 1e6;  // E, the plane strain modulus [N/m^2]
  double dissipation = 2;  // a [s/m]
  FootModel carrier;       // its joints carry the spheres
  std::vector<FootSphere> spheres;
};

// Heel, lateral rear foot, lateral and medial mid foot, lateral and medial toe, under the
// ellipsoids of `foot`.
SphereFoot make_six_spheres(const FootModel& foot);

FootLoad calc_sphere_load(const SphereFoot& foot, const FootFrame& frame);

// One toe curve for all stances, no corrections; derivatives by differences.
struct SphereFit {
  SphereFoot foot;
  FootCurves curves;
  double cost = 0;
};
SphereFit fit_spheres(const SphereFoot& start, const std::vector<FootStance>& stances,
                      const FootFitSettings& settings);
std::vector<FootLoad> simulate_stance(const SphereFit& fit, const FootStance& stance);

}  // namespace vesica
