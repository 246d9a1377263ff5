// The set of spheres nearest to a foot's ellipsoids, for OpenSim 4 (SmoothSphereHalfSpaceForce).
//
// OpenSim has no ellipsoid and no force by volume. Its smooth sphere presses on a half-space by
// (Serrancoli et al. 2019, as Simbody 3.7 computes it), with depth d and closing speed c:
//   k    = E^(2/3)/2
//   f_H  = 4/3 k sqrt(R k) (d^2 + 1e-5)^(3/4) (1 + tanh(300 d))/2
//   f    = f_H (1 + 3/2 e c) (1 + tanh(50 (c + 2/(3 e))))/2
// E stiffness [N/m^2], e dissipation [s/m], R radius. It acts at the sphere's middle seen along the
// normal. The term 1e-5 m^2 is a depth of 3 mm: the force begins above the ground and never ends.
//
// Several spheres stand for one ellipsoid; places, radii, one stiffness and one dissipation are
// fitted so that force and centre of pressure on given motions are those of the ellipsoids. What is
// left is the error of this step, which is told with the set: it comes on top of the foot's own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vesica/biomechanics/foot_forces.h"

namespace vesica {

struct OsimSphere {
  std::string name;
  int segment = 0;
  Vec3d position = Vec3d::Zero();  // in the segment's frame [m]
  double radius = 0.02;            // m
};

struct OsimSpheres {
  std::vector<OsimSphere> spheres;
  double stiffness = 1e6;  // N/m^2
  double dissipation = 1;  // s/m
  double static_friction = 0.8, dynamic_friction = 0.8, viscous_friction = 0.5;
  double transition_velocity = 0.2;  // m/s
  // Against the ellipsoids, over the frames that it was fitted to: rms of the force as a share of
  // the weight, of the centre of pressure (above 50 N) as a share of 0.2 m; the largest of the
  // first.
  double force_error = 0, cop_error = 0, largest_force_error = 0;
};

// `weight` of the body [N]. Throws InputError where foot or frames make no sense.
OsimSpheres fit_osim_spheres(const FootModel& foot, std::span<const FootFrame> frames,
                             double weight, int per_ellipsoid = 2);

// Of all spheres; joints are the foot's.
FootLoad calc_sphere_load(const OsimSpheres& set, const FootModel& foot, const FootFrame& frame);

// An OpenSim 4 model: bodies calcn and toes (x forward, y up, z to the right), the toe joint, a
// floor, the spheres and their forces; loads as it is, or gives its sets to another model. `side`:
// "r" or "l", the ending of all names.
std::string write_osim(const OsimSpheres& set, const FootModel& foot, const std::string& side,
                       double mass);

}  // namespace vesica
