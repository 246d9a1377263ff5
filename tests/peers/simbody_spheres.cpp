#include "tests/peers/simbody_spheres.h"

#include <Simbody.h>

namespace vesica::test {

std::vector<std::array<double, 3>> calc_simbody_forces(const std::vector<PeerSphere>& spheres) {
  using namespace SimTK;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  std::vector<MobilizedBody::Free> bodies;
  std::vector<ForceIndex> indices;
  const Body::Rigid body(MassProperties(1, Vec3(0), Inertia(1)));
  for (const PeerSphere& s : spheres) {
    bodies.emplace_back(matter.Ground(), Transform(), body, Transform());
    SmoothSphereHalfSpaceForce force(forces);
    force.setParameters(s.stiffness, s.dissipation, 0.0, 0.0, 0.0, 0.2, 1e-5, 300, 50);
    force.setContactSphereBody(bodies.back());
    force.setContactSphereLocationInBody(Vec3(0));
    force.setContactSphereRadius(s.radius);
    force.setContactHalfSpaceBody(matter.Ground());
    // What lies along +x of its frame is solid: x leads down.
    force.setContactHalfSpaceFrame(Transform(Rotation(0.5 * Pi, YAxis), Vec3(0)));
    indices.push_back(force.getForceIndex());
  }
  system.realizeTopology();
  State state = system.getDefaultState();
  for (size_t k = 0; k < spheres.size(); ++k) {
    const PeerSphere& s = spheres[k];
    bodies[k].setQToFitTranslation(state, Vec3(s.center[0], s.center[1], s.center[2]));
    bodies[k].setUToFitAngularVelocity(state, Vec3(s.spin[0], s.spin[1], s.spin[2]));
    bodies[k].setUToFitLinearVelocity(state, Vec3(s.velocity[0], s.velocity[1], s.velocity[2]));
  }
  system.realize(state, Stage::Dynamics);
  std::vector<std::array<double, 3>> out;
  for (size_t k = 0; k < spheres.size(); ++k) {
    Vector_<SpatialVec> on_bodies;
    Vector_<Vec3> on_particles;
    Vector on_speeds;
    forces.getForce(indices[k]).calcForceContribution(state, on_bodies, on_particles, on_speeds);
    const Vec3 f = on_bodies[bodies[k].getMobilizedBodyIndex()][1];
    out.push_back({f[0], f[1], f[2]});
  }
  return out;
}

}  // namespace vesica::test
