// The Bowden-Leben experiment: a block on a spring, carried by a belt, sticks and slips.
//
// Friction at breakaway, where the cycle repeats itself, by a closed reduction of the bristle law
// (contact/bristle.h) that needs no simulation:
//   stick  the block moves with the belt, the spring pulls harder by k v a second, and the bond
//          grows from nothing: s_dw = 1 - exp(-t/tau_dw), so that it breaks at the force
//          f_n (mu_C + (mu_S - mu_C) s_dw) after the time t = (x_break - x_catch)/v
//   slip   m x'' = -k x + f_n (mu_C + sigma_2 (v - x')) from x_break until x' = v again at x_catch
// Without viscosity x_catch mirrors x_break and u = s_dw at breakaway solves
//   u = 1 - exp(-u T/tau_dw), T = 2 f_n (mu_S - mu_C)/(k v):
// above the belt speed of T = tau_dw there is no stick-slip (u = 0).
//
// Neglected, all small where the source's rules hold: bristle bending (sigma_0 >> k/f_n), the time
// tau_br in which the bond breaks, the Stribeck speed against the belt's.
#pragma once

namespace vesica {

struct StickSlipRig {
  double mass = 0;              // of the block [kg]
  double spring_stiffness = 0;  // [N/m]
  double normal_force = 0;      // [N]
  double mu_S = 0, mu_C = 0;
  double sigma_2 = 0;  // [s/m]
};

// How much of the bond has formed at breakaway, 0 to 1; 0: no stick-slip at this speed.
double calc_bond_at_breakaway(const StickSlipRig& rig, double belt_speed, double tau_dw);

// f_n (mu_C + (mu_S - mu_C) bond) [N].
double calc_peak_friction(const StickSlipRig& rig, double belt_speed, double tau_dw);

}  // namespace vesica
