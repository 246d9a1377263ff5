// A number that is given over time: the input of a driven joint or of a motor.
//
//   x(t) = offset + rate t + amplitude sin(2 pi f t + phase), or a cubic spline through a recorded
//   series, which rests before its first and after its last time.
// The ramp variant reaches `offset + step` from `offset` between two times by a quintic that starts
// and ends at rest. Smoothness: C-infinity; C2 for ramps and series (but for the ends of a series).
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "vesica/math/exactly.h"
#include "vesica/math/scalar.h"
#include "vesica/math/spline.h"

namespace vesica {

template <class P>
struct SignalValue {
  P value{0.0}, rate{0.0}, acceleration{0.0}, jerk{0.0};
};

template <class P>
struct Signal {
  P offset{0.0}, rate{0.0}, amplitude{0.0}, step{0.0};
  P frequency{0.0}, phase{0.0};
  double step_from = 0, step_until = 0;
  std::shared_ptr<const CubicSpline> recorded;

  SignalValue<P> at(double t) const {
    if (recorded) {
      const double now = std::clamp(t, recorded->first(), recorded->last());
      const double moving = now == t ? 1 : 0;
      return {P(recorded->value(now)), P(moving * recorded->derivative(now)),
              P(moving * recorded->second_derivative(now)),
              P(moving * recorded->third_derivative(now))};
    }
    using std::cos;
    using std::sin;
    SignalValue<P> x{offset + rate * t, rate, P(0), P(0)};
    if (value_of(frequency) > 0) {
      const P w = 2 * kPi * frequency, angle = w * t + phase;
      const P s = sin(angle), c = cos(angle);
      x.value += amplitude * s;
      x.rate += amplitude * (w * c);
      x.acceleration -= amplitude * (w * w * s);
      x.jerk -= amplitude * (w * w * w * c);
    }
    if (step_until > step_from && t > step_from) {
      const double span = step_until - step_from;
      const double s = std::min(1.0, (t - step_from) / span);
      x.value += step * (s * s * s * (10 + s * (6 * s - 15)));
      if (s < 1) {
        x.rate += step * (30 * s * s * (1 - s) * (1 - s) / span);
        x.acceleration += step * (60 * s * (1 - s) * (1 - 2 * s) / (span * span));
        x.jerk += step * (60 * (1 - 6 * s * (1 - s)) / (span * span * span));
      }
    }
    return x;
  }

  // At a time that carries derivatives (TreeData::time_shift): `shift` is zero in value.
  template <class T>
  SignalValue<T> at(double t, const T& shift) const {
    const SignalValue<P> x = at(t);
    if (is_exactly(shift, 0)) return {T(x.value), T(x.rate), T(x.acceleration), T(x.jerk)};
    return {x.value + x.rate * shift, x.rate + x.acceleration * shift,
            x.acceleration + x.jerk * shift, T(x.jerk)};
  }
};

}  // namespace vesica
