// Simbody behind a plain interface: its headers are C++17 and want no NDEBUG.
#pragma once

namespace vesica::bench {

// HuntCrossleyForce looks for contacts among all bodies; SmoothSphereHalfSpaceForce is one contact
// of one pair, as predictive simulations have it.
enum class SimbodyForce { kHuntCrossley, kSmooth };
// Steps a ball that lies on a half-space with friction, with SemiExplicitEuler; the same ball goes
// on at every call.
void step_simbody_ball(long steps, double h, SimbodyForce kind);

// A ball that is thrown and bounces: Hunt and Crossley's normal force and Hollars' friction, as
// HuntCrossleyForce has them. The half-space gives and the ball does not, so that forces act at the
// ball's lowest point.
struct ThrownBall {
  double mass, radius, height, speed, spin;  // speed along x, spin about y
  double modulus, dissipation, mu_s, mu_d, v_t;
  double gravity, duration;
};
// Those with steps of their own; Debian's build of its CPodes stops at an assertion.
enum class SimbodyIntegrator { kRungeKuttaMerson, kRungeKutta3 };
struct BallRun {
  double position[3], velocity[3], spin[3];  // at the end
  double seconds;
  long steps;
};
// `accuracy`: 0: the integrator's own.
BallRun throw_simbody_ball(const ThrownBall& ball, SimbodyIntegrator method, double accuracy);

}  // namespace vesica::bench
