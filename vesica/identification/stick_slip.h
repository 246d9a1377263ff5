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
// A bond does not break at once: from the moment the limit is reached the block creeps until it is
// v_S slower than the belt, t_c = sqrt(2 m v_S/r) with r the rate at which the spring outgrows the
// limit, and all that time the bond goes on growing. With Table 5.1 t_c is 0.1 s and matters.
//
// Neglected: bristle bending (sigma_0 >> k/f_n), the time tau_br in which a broken bond vanishes.
// Against simulations of the whole law with Table 5.1 (tests/identification): the peaks agree to
// 0.4 % up to where stick-slip ends, tau_dw fitted to them to 1.2 %.
#pragma once

namespace vesica {

struct StickSlipRig {
  double mass = 0;              // of the block [kg]
  double spring_stiffness = 0;  // [N/m]
  double normal_force = 0;      // [N]
  double mu_S = 0, mu_C = 0;
  double sigma_2 = 0;  // [s/m]
  double v_S = 0;      // Stribeck speed [m/s]; 0: a bond that breaks at once
};

// How much of the bond has formed when it breaks, 0 to 1; 0: no stick-slip at this speed.
double calc_bond_at_breakaway(const StickSlipRig& rig, double belt_speed, double tau_dw);

// f_n (mu_C + (mu_S - mu_C) bond) [N].
double calc_peak_friction(const StickSlipRig& rig, double belt_speed, double tau_dw);

}  // namespace vesica
