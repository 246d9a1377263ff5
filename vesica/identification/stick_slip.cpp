#include "vesica/identification/stick_slip.h"

#include <algorithm>
#include <cmath>

namespace vesica {
namespace {

// Of a function with different signs at both ends (regula falsi, Illinois).
template <class Function>
double find_root(const Function& f, double a, double b, double f_a, double f_b) {
  for (int k = 0; k < 100 && std::abs(b - a) > 1e-13 * std::abs(b) && f_a != f_b; ++k) {
    const double x = (f_a * b - f_b * a) / (f_a - f_b);
    const double f_x = f(x);
    if (f_x == 0) return x;
    if ((f_x < 0) == (f_b < 0)) {
      f_a *= 0.5;
    } else {
      a = b;
      f_a = f_b;
    }
    if (std::abs(x - b) <= 1e-14 * std::abs(x)) return x;
    b = x;
    f_b = f_x;
  }
  return b;
}

// Spring extension where a block that broke loose at `extension` moves with the belt again; the
// same extension where viscosity never lets it.
double find_catch(const StickSlipRig& rig, double belt_speed, double extension) {
  const double w2 = rig.spring_stiffness / rig.mass;
  const double decay = 0.5 * rig.normal_force * rig.sigma_2 / rig.mass;
  const double w = std::sqrt(std::max(w2 - decay * decay, 1e-12 * w2));
  const double rest =
      rig.normal_force * (rig.mu_C + rig.sigma_2 * belt_speed) / rig.spring_stiffness;
  // y = exp(-decay t) (y_0 cos w t + b sin w t) about the rest; starts with the belt's speed.
  const double y_0 = extension - rest;
  const double b = (belt_speed + decay * y_0) / w;
  auto excess = [&](double t) {  // of the block's speed over the belt's
    return std::exp(-decay * t) * ((b * w - decay * y_0) * std::cos(w * t) -
                                   (y_0 * w + decay * b) * std::sin(w * t)) -
           belt_speed;
  };
  // Undamped it would swing back fastest here, and move against the belt fastest half a turn
  // before.
  const double fastest = (1.5 * M_PI + std::atan2(b, y_0)) / w;
  const double before = fastest - M_PI / w;
  const double low = excess(before), high = excess(fastest);
  if (!(low < 0 && high > 0)) return extension;
  const double t = find_root(excess, before, fastest, low, high);
  return rest + std::exp(-decay * t) * (y_0 * std::cos(w * t) + b * std::sin(w * t));
}

}  // namespace

double calc_bond_at_breakaway(const StickSlipRig& rig, double belt_speed, double tau_dw) {
  const double range = rig.normal_force * (rig.mu_S - rig.mu_C);
  // Bond formed until the next breakaway, minus the one at this: zero in a cycle that repeats.
  auto growth = [&](double bond) {
    const double extension =
        (rig.normal_force * rig.mu_C + range * bond) / rig.spring_stiffness;
    const double stick = (extension - find_catch(rig, belt_speed, extension)) / belt_speed;
    return -std::expm1(-std::max(0.0, stick) / tau_dw) - bond;
  };
  // The largest root is the cycle that a start from rest falls into; below 1/64 there is none to
  // speak of.
  double high = 1, f_high = growth(high);
  if (f_high >= 0) return 1;  // the bond is complete to rounding
  for (const double low : {0.75, 0.5, 0.25, 0.125, 0.0625, 0.015625}) {
    const double f_low = growth(low);
    if (f_low > 0) return find_root(growth, low, high, f_low, f_high);
    high = low;
    f_high = f_low;
  }
  return 0;
}

double calc_peak_friction(const StickSlipRig& rig, double belt_speed, double tau_dw) {
  return rig.normal_force *
         (rig.mu_C + (rig.mu_S - rig.mu_C) * calc_bond_at_breakaway(rig, belt_speed, tau_dw));
}

}  // namespace vesica
