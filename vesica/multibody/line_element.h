// Elements that pull along a line (line_path.h): ligaments, and actuators whose tension is given.
//
// Ligament (Brown 3.1, 3.2; after Wismans et al. 1980, Blankevoort et al. 1991): with the stretch
// x = L - L0 beyond the slack length L0 and the strain eps = x/L0,
//   F_el = 0                        eps <= 0
//          K1 x^2                   0 <= eps <= 2 eps1      toe
//          K2 (x - eps1 L0)         eps >= 2 eps1           linear
// K2 [N/m] stiffness; eps1 [1] toe strain; K1 = K2/(4 eps1 L0) [N/m^2], which makes force and slope
// continuous where the toe ends. A damper d [N s/m] on the rate L' fades in over the toe, and the
// line never pushes:
//   F = max(0, F_el + d s(eps/(2 eps1)) L'),  s(r) = r^2 (3 - 2 r) from 0 to 1.
// Energy is stored as the integral of F_el; (F - F_el) L' >= 0 is dissipated.
// Smoothness: F_el is C1, its second derivative jumps at both ends of the toe; F is C1 but where it
// is held at zero (fast shortening), where it is C0.
// Cannot represent: bending, weight and mass of the line, creep and other memory, fibres that tear.
//
// Actuator: a tension F(t) [N] that is given; or a length l(t) [m] that is followed, as a muscle
// that shortens and lengthens by command,
//   F = k (L - l(t)) + d (L' - l'(t)).
// Neither pushes: less than zero is zero (C0 there). What it does to the bodies, -F L', is work of
// motors.
#pragma once

#include <string>
#include <variant>

#include "vesica/math/scalar.h"
#include "vesica/multibody/line_path.h"
#include "vesica/multibody/signal.h"

namespace vesica {

template <class P>
struct LigamentLaw {
  P stiffness{0.0}, slack_length{0.0}, toe_strain{0.03}, damping{0.0};

  P toe_stiffness() const { return stiffness / (4.0 * toe_strain * slack_length); }
};

template <class P>
struct LineActuator {
  Signal<P> input;                 // the tension, or
  bool follows_length = false;     // the length
  P stiffness{0.0}, damping{0.0};  // with which it is followed
};

template <class P>
struct LineElement {
  std::string name;
  LinePath<P> path;
  std::variant<LigamentLaw<P>, LineActuator<P>> action;
};

template <class P>
bool is_ligament(const LineElement<P>& line) {
  return std::holds_alternative<LigamentLaw<P>>(line.action);
}

// A line at one instant.
template <class T>
struct LineForce : LineState<T> {
  T strain{0.0};      // of a ligament
  T tension{0.0};     // [N]
  T stored{0.0};      // energy
  T dissipated{0.0};  // power
  T work{0.0};        // power of an actuator
};

template <class P, class T>
void calc_line_action(const LigamentLaw<P>& law, double, const T&, LineForce<T>* f) {
  const T x = f->length - law.slack_length;
  f->strain = x / law.slack_length;
  f->tension = f->stored = f->dissipated = f->work = T(0);
  if (!(x > T(0))) return;
  const P toe = 2.0 * law.toe_strain * law.slack_length;  // its length; K1 = K2/(2 toe)
  T elastic, fade;
  if (x < T(toe)) {
    const T r = x / toe;
    elastic = (0.5 * law.stiffness) * (r * x);
    f->stored = elastic * x * (1.0 / 3);
    fade = r * r * (3.0 - 2.0 * r);
  } else {
    const T beyond = x - 0.5 * toe;
    elastic = law.stiffness * beyond;
    f->stored = 0.5 * (elastic * beyond + law.stiffness * toe * toe * (1.0 / 12));
    fade = T(1);
  }
  const T force = elastic + law.damping * fade * f->rate;
  f->tension = select(force > T(0), force, T(0));
  f->dissipated = (f->tension - elastic) * f->rate;
}

// `shift`: what the time carries of derivatives (TreeData::time_shift).
template <class P, class T>
void calc_line_action(const LineActuator<P>& actuator, double t, const T& shift, LineForce<T>* f) {
  const SignalValue<T> input = actuator.input.at(t, shift);
  const T tension = actuator.follows_length ? T(actuator.stiffness * (f->length - input.value) +
                                                actuator.damping * (f->rate - input.rate))
                                            : input.value;
  f->strain = f->stored = f->dissipated = T(0);
  f->tension = select(tension > T(0), tension, T(0));
  f->work = -(f->tension * f->rate);
}

template <class P, class T>
void calc_line_force(const LineElement<P>& line, double t, const T& shift,
                     const std::vector<Motion<T>>& motions, LineForce<T>* f) {
  calc_line_state(line.path, motions, f);
  std::visit([&](const auto& action) { calc_line_action(action, t, shift, f); }, line.action);
}

}  // namespace vesica
