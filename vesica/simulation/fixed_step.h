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
  // start of the step are appended.
  void step(double until, State<T>* state, Evaluation<T>* data,
            std::vector<ContactChange>* changes);
  // At the start of the last step.
  const std::vector<T>& start_rates() const { return slopes_[0]; }

 private:
  const System<P>& system_;
  FixedStepMethod method_;
  const detail::Tableau& tableau_;
  std::vector<std::vector<T>> slopes_;
  std::vector<T> stage_;
};

template <class P, class T>
void FixedStepper<P, T>::step(double until, State<T>* from, Evaluation<T>* data,
                              std::vector<ContactChange>* changes) {
  const int size = system_.layout().size();
  const double t = from->t, h = until - t;
  T* const state = from->y.data();
  data->step = h;
  system_.calc_rates_of_new_step(from, slopes_[0].data(), data, changes);
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
    system_.calc_rates(t + tableau_.c[s] * h, stage_.data(), from->memory, slopes_[s].data(), data);
  }
  for (int k = 0; k < size; ++k) {
    T sum = tableau_.b[0] * slopes_[0][k];
    for (int s = 1; s < tableau_.stages; ++s) {
      if (tableau_.b[s] != 0) sum += tableau_.b[s] * slopes_[s][k];
    }
    state[k] += h * sum;
  }
}

// Compiled once, with the kernels' optimisation.
extern template class FixedStepper<double, double>;
extern template class FixedStepper<Dual<4>, Dual<4>>;

}  // namespace vesica
