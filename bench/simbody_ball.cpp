#include "bench/simbody_ball.h"

#include <Simbody.h>

#include <memory>

#include "bench/timing.h"

namespace vesica::bench {
namespace {

struct Ball {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::GeneralContactSubsystem contacts{system};
  std::unique_ptr<SimTK::SemiExplicitEulerIntegrator> integrator;
  double time = 0;

  Ball(double h, SimbodyForce kind) {
    using namespace SimTK;
    Force::Gravity(forces, matter, -ZAxis, 9.80665);
    Body::Rigid body(MassProperties(0.5, Vec3(0), 0.5 * UnitInertia::sphere(0.05)));
    MobilizedBody::Free ball(matter.Ground(), body);
    // The half-space of Simbody is x > 0 in its frame: turned to z < 0.
    const Transform ground(Rotation(Pi / 2, YAxis));
    if (kind == SimbodyForce::kHuntCrossley) {
      const ContactSetIndex set = contacts.createContactSet();
      contacts.addBody(set, matter.Ground(), ContactGeometry::HalfSpace(), ground);
      contacts.addBody(set, ball, ContactGeometry::Sphere(0.05), Transform());
      HuntCrossleyForce contact(forces, contacts, set);
      contact.setBodyParameters(ContactSurfaceIndex(0), 1e6, 0.5, 0.5, 0.5, 0);
      contact.setBodyParameters(ContactSurfaceIndex(1), 1e6, 0.5, 0.5, 0.5, 0);
    } else {
      SmoothSphereHalfSpaceForce contact(forces);
      // The last three are its defaults, written out because the call demands them.
      contact.setParameters(1e6, 0.5, 0.5, 0.5, 0, 0.01, 1e-5, 300, 50);
      contact.setContactSphereBody(ball);
      contact.setContactSphereLocationInBody(Vec3(0));
      contact.setContactSphereRadius(0.05);
      contact.setContactHalfSpaceBody(matter.Ground());
      contact.setContactHalfSpaceFrame(ground);
    }
    State state = system.realizeTopology();
    ball.setQToFitTranslation(state, Vec3(0, 0, 0.0495));
    ball.setUToFitVelocity(state, SpatialVec(Vec3(0, 1, 3), Vec3(0.1, 0, 0)));
    integrator = std::make_unique<SemiExplicitEulerIntegrator>(system, h);
    integrator->initialize(state);
  }
};

std::unique_ptr<SimTK::Integrator> make_integrator(SimbodyIntegrator method,
                                                   const SimTK::System& system) {
  if (method == SimbodyIntegrator::kRungeKutta3) {
    return std::make_unique<SimTK::RungeKutta3Integrator>(system);
  }
  return std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
}

}  // namespace

BallRun throw_simbody_ball(const ThrownBall& b, SimbodyIntegrator method, double accuracy) {
  using namespace SimTK;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  GeneralContactSubsystem contacts(system);
  Force::Gravity(forces, matter, -ZAxis, b.gravity);
  const Body::Rigid body(MassProperties(b.mass, Vec3(0), b.mass * UnitInertia::sphere(b.radius)));
  MobilizedBody::Free ball(matter.Ground(), body);
  const ContactSetIndex set = contacts.createContactSet();
  contacts.addBody(set, matter.Ground(), ContactGeometry::HalfSpace(),
                   Transform(Rotation(Pi / 2, YAxis)));
  contacts.addBody(set, ball, ContactGeometry::Sphere(b.radius), Transform());
  HuntCrossleyForce contact(forces, contacts, set);
  contact.setBodyParameters(ContactSurfaceIndex(0), b.modulus, b.dissipation, b.mu_s, b.mu_d, 0);
  contact.setBodyParameters(ContactSurfaceIndex(1), 1e30 * b.modulus, b.dissipation, b.mu_s, b.mu_d,
                            0);
  contact.setTransitionVelocity(b.v_t);
  State state = system.realizeTopology();
  ball.setQToFitTranslation(state, Vec3(0, 0, b.height));
  ball.setUToFitVelocity(state, SpatialVec(Vec3(0, b.spin, 0), Vec3(b.speed, 0, 0)));
  const std::unique_ptr<Integrator> integrator = make_integrator(method, system);
  if (accuracy > 0) integrator->setAccuracy(accuracy);
  const double start = thread_nanoseconds();
  integrator->initialize(state);
  while (integrator->getTime() < b.duration) integrator->stepTo(b.duration);
  BallRun run;
  run.seconds = 1e-9 * (thread_nanoseconds() - start);
  run.steps = integrator->getNumStepsTaken();
  const State& end = integrator->getState();
  system.realize(end, Stage::Velocity);
  const Vec3 p = ball.getBodyOriginLocation(end);
  const SpatialVec V = ball.getBodyVelocity(end);
  for (int k = 0; k < 3; ++k) {
    run.position[k] = p[k];
    run.spin[k] = V[0][k];
    run.velocity[k] = V[1][k];
  }
  return run;
}

void step_simbody_ball(long steps, double h, SimbodyForce kind) {
  static Ball hunt_crossley(h, SimbodyForce::kHuntCrossley), smooth(h, SimbodyForce::kSmooth);
  Ball& ball = kind == SimbodyForce::kHuntCrossley ? hunt_crossley : smooth;
  ball.time += static_cast<double>(steps) * h;
  while (ball.integrator->getTime() < ball.time - 0.5 * h) ball.integrator->stepTo(ball.time);
}

}  // namespace vesica::bench
