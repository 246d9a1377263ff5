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

// Where a concave function is largest (golden section, to 1e-6 of the range).
template <class Function>
double find_top(const Function& f, double a, double b) {
  constexpr double kGolden = 0.6180339887498949;
  double low = b - kGolden * (b - a), high = a + kGolden * (b - a);
  double f_low = f(low), f_high = f(high);
  for (int k = 0; k < 29; ++k) {
    if (f_low > f_high) {
      b = high;
      high = low;
      f_high = f_low;
      low = b - kGolden * (b - a);
      f_low = f(low);
    } else {
      a = low;
      low = high;
      f_low = f_high;
      high = a + kGolden * (b - a);
      f_high = f(high);
    }
  }
  return 0.5 * (a + b);
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
    return std::exp(-decay * t) *
               ((b * w - decay * y_0) * std::cos(w * t) - (y_0 * w + decay * b) * std::sin(w * t)) -
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

// The largest root within 0 to 1 is the cycle that a start from rest falls into; 0: there is none.
// Growth is negative at 1 and concave, so that a root lies between 1 and any place of growth; the
// coarse places find it almost always, the top of the curve where stick-slip is about to end.
template <class Function>
double find_largest_root(const Function& growth) {
  const double f_1 = growth(1);
  if (f_1 >= 0) return 1;  // the bond is complete to rounding
  double high = 1, f_high = f_1;
  for (const double low : {0.75, 0.5, 0.25}) {
    const double f_low = growth(low);
    if (f_low > 0) return find_root(growth, low, high, f_low, f_high);
    high = low;
    f_high = f_low;
  }
  const double top = find_top(growth, 1e-3, 1);
  const double f_top = growth(top);
  return f_top > 0 ? find_root(growth, top, 1.0, f_top, f_1) : 0;
}

}  // namespace

double calc_bond_at_breakaway(const StickSlipRig& rig, double belt_speed, double tau_dw) {
  const double range = rig.normal_force * (rig.mu_S - rig.mu_C);
  // How long the block creeps after the limit is reached with this bond.
  auto creep = [&](double bond) {
    const double outgrown = rig.spring_stiffness * belt_speed - range * (1 - bond) / tau_dw;  // N/s
    // A spring that just keeps pace would creep for ever; a cycle never comes that close.
    return std::sqrt(2 * rig.mass * rig.v_S /
                     std::max(outgrown, 0.01 * rig.spring_stiffness * belt_speed));
  };
  // Bond formed until the next time at the limit, minus the one at this: zero in a cycle that
  // repeats.
  auto growth = [&](double bond) {
    const double limit = (rig.normal_force * rig.mu_C + range * bond) / rig.spring_stiffness;
    const double caught = find_catch(rig, belt_speed, limit + belt_speed * creep(bond));
    return -std::expm1(-std::max(0.0, limit - caught) / (belt_speed * tau_dw)) - bond;
  };
  const double bond = find_largest_root(growth);
  return bond > 0 ? 1 - (1 - bond) * std::exp(-creep(bond) / tau_dw) : 0;
}

double calc_peak_friction(const StickSlipRig& rig, double belt_speed, double tau_dw) {
  return rig.normal_force *
         (rig.mu_C + (rig.mu_S - rig.mu_C) * calc_bond_at_breakaway(rig, belt_speed, tau_dw));
}

}  // namespace vesica
