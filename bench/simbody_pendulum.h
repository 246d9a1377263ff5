// A double pendulum in Simbody, for bench/trees_bench.cpp. Plain numbers: Simbody's headers are of
// another language standard.
#pragma once

#include <vector>

namespace vesica::bench {

struct PendulumRun {
  double q1 = 0, q2 = 0;  // at the end
  double seconds = 0;     // wall time
};

// Swings for `duration` with the Runge-Kutta-Merson integrator at the accuracy given (CPodes
// clashes with the SUNDIALS that Vesica links).
PendulumRun swing_simbody_pendulum(double duration, double accuracy);

// Evaluations of u' of a chain of n hinges, per second.
double rate_simbody_chain(int n, long evaluations);

}  // namespace vesica::bench
