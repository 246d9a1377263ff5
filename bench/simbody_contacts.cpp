#include "bench/simbody_contacts.h"

#include <Simbody.h>

namespace vesica::bench {
namespace {

SimTK::Vec3 as_simtk(const Vec3d& v) { return {v.x(), v.y(), v.z()}; }

// Simbody's half-space is x > 0 in its frame; this one is z < 0 in the world.
SimTK::Transform ground_frame() { return SimTK::Rotation(SimTK::Pi / 2, SimTK::YAxis); }

}  // namespace

struct SimbodyContact::World {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  // Only where an element needs one: it is part of that element's cost.
  std::unique_ptr<SimTK::GeneralContactSubsystem> contacts;
  SimTK::MobilizedBody::Free body;
  SimTK::State state;
  std::vector<SimTK::Vector> q, u;

  World()
      : body(matter.Ground(), SimTK::Transform(),
             SimTK::Body::Rigid(SimTK::MassProperties(1, SimTK::Vec3(0), SimTK::Inertia(0.01))),
             SimTK::Transform()) {}

  // Half-space and body in one contact set.
  SimTK::ContactSetIndex add_contact_set(const SimTK::ContactGeometry& geometry) {
    contacts = std::make_unique<SimTK::GeneralContactSubsystem>(system);
    const SimTK::ContactSetIndex set = contacts->createContactSet();
    contacts->addBody(set, matter.Ground(), SimTK::ContactGeometry::HalfSpace(), ground_frame());
    contacts->addBody(set, body, geometry, SimTK::Transform());
    return set;
  }
};

SimbodyContact::SimbodyContact(std::unique_ptr<World> world) : world_(std::move(world)) {
  world_->state = world_->system.realizeTopology();
  world_->system.realizeModel(world_->state);
}
SimbodyContact::SimbodyContact(SimbodyContact&&) noexcept = default;
SimbodyContact::~SimbodyContact() = default;

SimbodyContact SimbodyContact::without_contact() {
  return SimbodyContact(std::make_unique<World>());
}

SimbodyContact SimbodyContact::hunt_crossley(const Vec3d& radii, const SimbodyMaterial& m) {
  auto world = std::make_unique<World>();
  const bool is_sphere = radii.x() == radii.y() && radii.y() == radii.z();
  const SimTK::ContactSetIndex set =
      is_sphere ? world->add_contact_set(SimTK::ContactGeometry::Sphere(radii.x()))
                : world->add_contact_set(SimTK::ContactGeometry::Ellipsoid(as_simtk(radii)));
  SimTK::HuntCrossleyForce element(world->forces, *world->contacts, set);
  for (int surface = 0; surface < 2; ++surface) {
    element.setBodyParameters(SimTK::ContactSurfaceIndex(surface), m.stiffness, m.dissipation,
                              m.mu_s, m.mu_d, 0);
  }
  element.setTransitionVelocity(m.v_t);
  return SimbodyContact(std::move(world));
}

SimbodyContact SimbodyContact::smooth_sphere(double radius, const SimbodyMaterial& m) {
  auto world = std::make_unique<World>();
  SimTK::SmoothSphereHalfSpaceForce element(world->forces);
  // The last three are its defaults, written out because the call demands them.
  element.setParameters(m.stiffness, m.dissipation, m.mu_s, m.mu_d, 0, m.v_t, 1e-5, 300, 50);
  element.setContactSphereBody(world->body);
  element.setContactSphereLocationInBody(SimTK::Vec3(0));
  element.setContactSphereRadius(radius);
  element.setContactHalfSpaceBody(world->matter.Ground());
  element.setContactHalfSpaceFrame(ground_frame());
  return SimbodyContact(std::move(world));
}

SimbodyContact SimbodyContact::elastic_foundation(const MeshData& mesh, const SimbodyMaterial& m) {
  auto world = std::make_unique<World>();
  SimTK::Array_<SimTK::Vec3> vertices;
  SimTK::Array_<int> faces;
  for (const Vec3d& v : mesh.vertices) vertices.push_back(as_simtk(v));
  for (const auto& triangle : mesh.triangles) {
    for (int corner : triangle) faces.push_back(corner);
  }
  const SimTK::ContactSetIndex set =
      world->add_contact_set(SimTK::ContactGeometry::TriangleMesh(vertices, faces));
  SimTK::ElasticFoundationForce element(world->forces, *world->contacts, set);
  element.setBodyParameters(SimTK::ContactSurfaceIndex(1), m.stiffness, m.dissipation, m.mu_s,
                            m.mu_d, 0);
  element.setTransitionVelocity(m.v_t);
  return SimbodyContact(std::move(world));
}

void SimbodyContact::set_motions(const std::vector<Motion<double>>& motions) {
  World& w = *world_;
  w.q.clear();
  w.u.clear();
  for (const Motion<double>& m : motions) {
    SimTK::Mat33 R;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) R(r, c) = m.X_WB.R_WB(r, c);
    }
    const SimTK::Transform X(SimTK::Rotation(R), as_simtk(m.X_WB.p_WB));
    w.body.setQToFitTransform(w.state, X);
    w.system.realize(w.state, SimTK::Stage::Position);
    w.body.setUToFitVelocity(w.state, {as_simtk(m.V_WB.w_WB), as_simtk(m.V_WB.v_WB)});
    w.q.push_back(w.state.getQ());
    w.u.push_back(w.state.getU());
  }
}

Wrench<double> SimbodyContact::realize(std::size_t k) {
  World& w = *world_;
  w.state.updQ() = w.q[k];
  w.state.updU() = w.u[k];
  w.system.realize(w.state, SimTK::Stage::Dynamics);
  const SimTK::SpatialVec& F =
      w.system.getRigidBodyForces(w.state, SimTK::Stage::Dynamics)[w.body.getMobilizedBodyIndex()];
  return {Vec3d(F[1][0], F[1][1], F[1][2]), Vec3d(F[0][0], F[0][1], F[0][2])};
}

}  // namespace vesica::bench
