// Fixed-step explicit methods, templates over the scalar: for real time, and for derivatives
// through time. One step allocates nothing.
//
//   euler                 order 1
//   semi_implicit_euler   order 1: velocities first, positions with the new ones
//   rk3                   Kutta's third-order method
//   rk4                   the classical method
//   rk5                   Butcher's six-stage fifth-order method
#pragma once

#include <array>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vesica/simulation/system.h"

namespace vesica {

enum class FixedStepMethod { kEuler, kSemiImplicitEuler, kRk3, kRk4, kRk5 };
inline constexpr std::array<std::string_view, 5> kFixedStepNames = {"euler", "semi_implicit_euler",
                                                                    "rk3", "rk4", "rk5"};

namespace detail {
// Lower-triangular coefficients row by row, weights, nodes.
struct Tableau {
  int stages;
  const double* a;
  const double* b;
  const double* c;
};
const Tableau& tableau(FixedStepMethod method);
}  // namespace detail

// Where a step from t ends: at the next multiple of `step`, or at `until` if that comes first. What
// rounding leaves of a step is none.
inline double calc_step_end(double t, double step, double until) {
  const double next = step * (std::floor(t / step + 1e-6) + 1);
  return next < until - 1e-6 * step ? next : until;
}

// T may differ from the scene's P: state derivatives of a plain scene.
template <class P, class T>
class FixedStepper {
 public:
  FixedStepper(const System<P>& system, FixedStepMethod method)
      : system_(system), method_(method), tableau_(detail::tableau(method)) {
    const auto size = static_cast<size_t>(system.layout().size());
    slopes_.assign(static_cast<size_t>(tableau_.stages), std::vector<T>(size));
    stage_.resize(size);
  }

  // From state->t to `until`, in place. `changes`: contacts that are seen to begin or to end at the
  // start of the step are appended; where data holds contacts, that is left to the caller.
  void step(double until, State<T>* state, Evaluation<T>* data,
            std::vector<ContactChange>* changes);
  // The same where the time of the start, of the end, or of both, carries derivatives: an event's.
  // Both are zero in value. data->time_shift is that of the end afterwards.
  void step(double until, const T& start_shift, const T& end_shift, State<T>* state,
            Evaluation<T>* data, std::vector<ContactChange>* changes);
  // At the start of the last step.
  const std::vector<T>& start_rates() const { return slopes_[0]; }

 private:
  template <class H>
  void advance(double until, const H& h, State<T>* from, Evaluation<T>* data,
               std::vector<ContactChange>* changes);

  const System<P>& system_;
  FixedStepMethod method_;
  const detail::Tableau& tableau_;
  std::vector<std::vector<T>> slopes_;
  std::vector<T> stage_;
};

// H: double, or T where the length of the step carries derivatives.
template <class P, class T>
template <class H>
void FixedStepper<P, T>::advance(double until, const H& h, State<T>* from, Evaluation<T>* data,
                                 std::vector<ContactChange>* changes) {
  const int size = system_.layout().size();
  const double t = from->t, length = until - t;
  [[maybe_unused]] const T start_shift = data->time_shift;
  T* const state = from->y.data();
  data->step = length;
  if (data->holds_contacts) {
    system_.calc_rates(t, state, from->memory, slopes_[0].data(), data);
  } else {
    system_.calc_rates_of_new_step(from, slopes_[0].data(), data, changes);
  }
  from->t = until;

  if (method_ == FixedStepMethod::kSemiImplicitEuler) {
    const int velocities = system_.layout().velocities();
    const T* slope = slopes_[0].data();
    for (int k = velocities; k < size; ++k) state[k] += h * slope[k];
    system_.calc_position_rates(state, slopes_[0].data());
    for (int k = 0; k < velocities; ++k) state[k] += h * slope[k];
    return;
  }

  const double* a = tableau_.a;
  for (int s = 1; s < tableau_.stages; ++s) {
    for (int k = 0; k < size; ++k) {
      T sum = a[0] * slopes_[0][k];
      for (int r = 1; r < s; ++r) {
        if (a[r] != 0) sum += a[r] * slopes_[r][k];
      }
      stage_[k] = state[k] + h * sum;
    }
    a += s;
    const double c = tableau_.c[s];
    if constexpr (!std::is_same_v<H, double>) {
      data->time_shift = start_shift + c * (h - length);
    }
    system_.calc_rates(t + c * length, stage_.data(), from->memory, slopes_[s].data(), data);
  }
  for (int k = 0; k < size; ++k) {
    T sum = tableau_.b[0] * slopes_[0][k];
    for (int s = 1; s < tableau_.stages; ++s) {
      if (tableau_.b[s] != 0) sum += tableau_.b[s] * slopes_[s][k];
    }
    state[k] += h * sum;
  }
}

template <class P, class T>
void FixedStepper<P, T>::step(double until, State<T>* state, Evaluation<T>* data,
                              std::vector<ContactChange>* changes) {
  advance(until, until - state->t, state, data, changes);
}
template <class P, class T>
void FixedStepper<P, T>::step(double until, const T& start_shift, const T& end_shift,
                              State<T>* state, Evaluation<T>* data,
                              std::vector<ContactChange>* changes) {
  data->time_shift = start_shift;
  advance(until, T((until - state->t) + (end_shift - start_shift)), state, data, changes);
  data->time_shift = end_shift;
}

// Compiled once, with the kernels' optimisation; those on dual numbers in system_dual*.cpp.
extern template class FixedStepper<double, double>;
extern template class FixedStepper<Dual<4>, Dual<4>>;
extern template class FixedStepper<Dual<12>, Dual<12>>;

}  // namespace vesica
