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

template <class P>
struct SceneBody {
  std::string name;
  bool is_free = false;            // moves by the forces on it, by itself or
  bool has_joint = false;          // carried by a joint
  FreeBody<P> inertia;             // free bodies
  SpatialVelocity<P> V0;           // at the start, of those without a joint
  PrescribedMotion<P> prescribed;  // the others
  double size = 0;                 // extent of its shapes, 0 without
  double reach = 0;                // of them from the origin; 0 where endless
};

template <class P>
struct SceneContact {
  std::string name;  // "ball-ground"
  int body_i = 0, body_j = 0;
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
  std::vector<std::string> notes;  // where the start is not what the file says
};

}  // namespace vesica
