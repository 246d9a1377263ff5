#include "bench/simbody_pendulum.h"

#include <Simbody.h>

#include <chrono>

namespace vesica::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace SimTK;  // NOLINT: this file is a client of Simbody alone

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Uniform rods of 1 m and 2 kg, hinges about y.
void add_rod(SimbodyMatterSubsystem& matter, MobilizedBody& parent, const Vec3& at,
             MobilizedBody* added) {
  const double i = 2.0 / 12;
  const Body::Rigid rod(MassProperties(2, Vec3(0), Inertia(i, i, 0.01)));
  const Rotation turn(-Pi / 2, XAxis);  // z of the joint frames along y
  (void)matter;
  *added = MobilizedBody::Pin(parent, Transform(turn, at), rod, Transform(turn, Vec3(0, 0, 0.5)));
}

}  // namespace

PendulumRun swing_simbody_pendulum(double duration, double accuracy) {
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::Gravity(forces, matter, -ZAxis, 9.81);
  MobilizedBody first, second;
  add_rod(matter, matter.updGround(), Vec3(0), &first);
  add_rod(matter, first, Vec3(0, 0, -0.5), &second);
  State state = system.realizeTopology();
  first.setOneQ(state, 0, 1.5);
  second.setOneQ(state, 0, 0.5);
  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(accuracy);
  const auto start = Clock::now();
  integrator.initialize(state);
  while (integrator.getTime() < duration)
    integrator.stepTo(duration);  // it returns at its own events too
  PendulumRun run;
  run.seconds = seconds_since(start);
  run.q1 = first.getOneQ(integrator.getState(), 0);
  run.q2 = second.getOneQ(integrator.getState(), 0);
  return run;
}

double rate_simbody_chain(int n, long evaluations) {
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::Gravity(forces, matter, -ZAxis, 9.81);
  std::vector<MobilizedBody> links;
  for (int k = 0; k < n; ++k) {
    MobilizedBody added;
    add_rod(matter, k == 0 ? static_cast<MobilizedBody&>(matter.updGround()) : links.back(),
            k == 0 ? Vec3(0) : Vec3(0, 0, -0.5), &added);
    links.push_back(added);
  }
  State state = system.realizeTopology();
  const auto start = Clock::now();
  for (long k = 0; k < evaluations; ++k) {
    state.updQ()[0] = 1e-3 * static_cast<double>(k % 1000);
    system.realize(state, Stage::Acceleration);
  }
  return static_cast<double>(evaluations) / seconds_since(start);
}

}  // namespace vesica::bench
