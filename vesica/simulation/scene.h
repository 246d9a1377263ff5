// A scene: bodies, contacts, forces. Immutable while it runs; P is the scalar of all its numbers,
// so that a scene read with seeds (InputFile::seed) carries derivatives by its own parameters.
#pragma once

#include <string>
#include <vector>

#include "vesica/contact/contact.h"
#include "vesica/multibody/bodies.h"
#include "vesica/multibody/forces.h"
#include "vesica/multibody/prescribed_motion.h"

namespace vesica {

template <class P>
struct SceneBody {
  std::string name;
  bool is_free = false;
  int free_index = -1;  // place in the state
  FreeBody<P> inertia;  // free bodies
  Quaternion<P> q0;     // their initial state
  Vec3<P> p0 = Vec3<P>::Zero();
  SpatialVelocity<P> V0;
  PrescribedMotion<P> prescribed;  // the others
  double size = 0;                 // extent of its shapes, 0 without
};

template <class P>
struct SceneContact {
  std::string name;  // "ball-ground"
  int body_i = 0, body_j = 0;
  Contact<P> contact;
};

template <class P>
struct Scene {
  std::string title;
  Vec3<P> gravity = Vec3<P>::Zero();
  std::vector<SceneBody<P>> bodies;
  std::vector<SceneContact<P>> contacts;
  std::vector<Spring<P>> springs;
  std::vector<PointForce<P>> forces;
  int free_count = 0;
};

}  // namespace vesica
