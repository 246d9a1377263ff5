#include "vesica/simulation/fixed_step.h"

namespace vesica::detail {
namespace {

constexpr double kOne[] = {1.0};
constexpr double kZero[] = {0.0};

constexpr double kRk3A[] = {0.5, -1.0, 2.0};
constexpr double kRk3B[] = {1.0 / 6, 2.0 / 3, 1.0 / 6};
constexpr double kRk3C[] = {0.0, 0.5, 1.0};

constexpr double kRk4A[] = {0.5, 0.0, 0.5, 0.0, 0.0, 1.0};
constexpr double kRk4B[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
constexpr double kRk4C[] = {0.0, 0.5, 0.5, 1.0};

constexpr double kRk5A[] = {1.0 / 4,                                 //
                            1.0 / 8,  1.0 / 8,                       //
                            0.0,      -1.0 / 2, 1.0,                 //
                            3.0 / 16, 0.0,      0.0,      9.0 / 16,  //
                            -3.0 / 7, 2.0 / 7,  12.0 / 7, -12.0 / 7, 8.0 / 7};
constexpr double kRk5B[] = {7.0 / 90, 0.0, 32.0 / 90, 12.0 / 90, 32.0 / 90, 7.0 / 90};
constexpr double kRk5C[] = {0.0, 0.25, 0.25, 0.5, 0.75, 1.0};

}  // namespace

const Tableau& tableau(FixedStepMethod method) {
  static constexpr Tableau kEuler{1, nullptr, kOne, kZero};
  static constexpr Tableau kRk3{3, kRk3A, kRk3B, kRk3C};
  static constexpr Tableau kRk4{4, kRk4A, kRk4B, kRk4C};
  static constexpr Tableau kRk5{6, kRk5A, kRk5B, kRk5C};
  switch (method) {
    case FixedStepMethod::kRk3:
      return kRk3;
    case FixedStepMethod::kRk4:
      return kRk4;
    case FixedStepMethod::kRk5:
      return kRk5;
    default:
      return kEuler;
  }
}

}  // namespace vesica::detail

namespace vesica {

template class FixedStepper<double, double>;

}  // namespace vesica
