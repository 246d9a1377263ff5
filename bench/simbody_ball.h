// Simbody behind a plain interface: its headers are C++17 and want no NDEBUG.
#pragma once

namespace vesica::bench {

// Steps a ball that lies on a half-space (Hunt-Crossley with friction) with SemiExplicitEuler; the
// same ball goes on at every call.
void step_simbody_ball(long steps, double h);

}  // namespace vesica::bench
