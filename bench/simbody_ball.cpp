#include "bench/simbody_ball.h"

#include <Simbody.h>

#include <memory>

namespace vesica::bench {
namespace {

struct Ball {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::GeneralContactSubsystem contacts{system};
  std::unique_ptr<SimTK::SemiExplicitEulerIntegrator> integrator;
  double time = 0;

  explicit Ball(double h) {
    using namespace SimTK;
    Force::Gravity(forces, matter, -ZAxis, 9.80665);
    Body::Rigid body(MassProperties(0.5, Vec3(0), 0.5 * UnitInertia::sphere(0.05)));
    MobilizedBody::Free ball(matter.Ground(), body);
    const ContactSetIndex set = contacts.createContactSet();
    // The half-space of Simbody is x > 0 in its frame: turned to z < 0.
    contacts.addBody(set, matter.Ground(), ContactGeometry::HalfSpace(),
                     Transform(Rotation(Pi / 2, YAxis)));
    contacts.addBody(set, ball, ContactGeometry::Sphere(0.05), Transform());
    HuntCrossleyForce contact(forces, contacts, set);
    contact.setBodyParameters(ContactSurfaceIndex(0), 1e6, 0.5, 0.5, 0.5, 0);
    contact.setBodyParameters(ContactSurfaceIndex(1), 1e6, 0.5, 0.5, 0.5, 0);
    State state = system.realizeTopology();
    ball.setQToFitTranslation(state, Vec3(0, 0, 0.0495));
    ball.setUToFitVelocity(state, SpatialVec(Vec3(0, 1, 3), Vec3(0.1, 0, 0)));
    integrator = std::make_unique<SemiExplicitEulerIntegrator>(system, h);
    integrator->initialize(state);
  }
};

}  // namespace

void step_simbody_ball(long steps, double h) {
  static Ball ball(h);
  ball.time += static_cast<double>(steps) * h;
  while (ball.integrator->getTime() < ball.time - 0.5 * h) ball.integrator->stepTo(ball.time);
}

}  // namespace vesica::bench
