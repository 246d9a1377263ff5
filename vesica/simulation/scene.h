// A scene: bodies, contacts, forces. Immutable while it runs; P is the scalar of all its numbers,
// so that a scene made with seeds (make_scene.h) carries derivatives by its own parameters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vesica/contact/part_pairs.h"
#include "vesica/multibody/bushing.h"
#include "vesica/multibody/forces.h"
#include "vesica/multibody/grood_suntay.h"
#include "vesica/multibody/joint_forces.h"
#include "vesica/multibody/line_element.h"
#include "vesica/multibody/loops.h"
#include "vesica/multibody/prescribed_motion.h"
#include "vesica/simulation/accommodation.h"

namespace vesica {

// A shape of a body that touches others, seen from an end of a line: what lies inside it.
// Half-spaces and ellipsoids; what is inside other shapes is not looked for.
struct ContactSurface {
  Pose<double> X_BS;
  Vec3d radii = Vec3d::Zero();  // zero: a half-space

  // How deep a point in body axes lies inside (ellipsoids: to first order near the surface); below
  // zero outside.
  double calc_depth(const Vec3d& p_B) const;
};

// Inside all half-spaces (each is the bone below its own part of the joint), or any ellipsoid.
double calc_depth(const std::vector<ContactSurface>& surfaces, const Vec3d& p_B);

template <class P>
struct SceneBody {
  std::string name;
  bool is_free = false;                  // moves by the forces on it, by itself or
  bool has_joint = false;                // carried by a joint
  FreeBody<P> inertia;                   // free bodies
  SpatialVelocity<P> V0;                 // at the start, of those without a joint
  PrescribedMotion<P> prescribed;        // the others
  double size = 0;                       // extent of its shapes, 0 without
  double reach = 0;                      // of them from the origin; 0 where endless
  std::vector<ContactSurface> surfaces;  // that are in contacts
};

template <class P>
struct SceneContact {
  std::string name;  // "ball-ground"
  int body_i = 0, body_j = 0;
  double size = 0;  // of the shapes that may touch, the smaller body's; 0 where none has one
  Contact<P> contact;
  // Null: two shapes, those of `contact`. Else any part of i with any of j, each pair that touches
  // with states of its own.
  std::shared_ptr<const PartPairs<P>> parts;
};

template <class P>
struct Scene {
  std::string title;
  Vec3<P> gravity = Vec3<P>::Zero();
  std::vector<SceneBody<P>> bodies;
  std::vector<SceneContact<P>> contacts;
  std::vector<Spring<P>> springs;
  std::vector<PointForce<P>> forces;
  std::vector<Bushing<P>> bushings;
  std::vector<LineElement<P>> lines;
  std::vector<GroodSuntay<P>> measures;
  std::vector<JointForce<P>> joint_forces;
  std::vector<Loop<P>> loops;
  std::vector<Accommodation<P>> controllers;
  Tree<P> tree;                    // a body for each of `bodies`, in their order
  std::vector<P> q0, u0;           // its coordinates and speeds at the start
  bool begins_at_rest = false;     // as the scene asks (equilibrium)
  std::vector<std::string> notes;  // where the start is not what the file says
};

}  // namespace vesica
