// An ellipsoid pressed half its height into the ground: the force, and where it acts.
//
// By hand: half of the lower semi-axis is d = 1/2 of the unit sphere, so V = abc pi d^2 (3 - d)/3
// = 4.8e-5 m^3 * 5 pi/24 = pi 1e-5 m^3, and k V = 314.159 N.
#include <cstdio>

#include "vesica/contact/brown_mcphee.h"
#include "vesica/contact/contact_forces.h"
#include "vesica/contact/volumetric_normal.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"

int main() {
  using namespace vesica;
  const Ellipsoid<double> heel{{0.04, 0.06, 0.02}};  // radii [m]
  const VolumetricNormal<double> normal{1e7, 0.5};   // k [N/m^3], alpha [s/m]
  const BrownMcPhee<double> friction{.mu_s = 0.9, .mu_d = 0.7, .v_t = 0.05};  // v_t [m/s]

  Motion<double> foot, ground;
  foot.X_WB.p_WB = {0, 0, 0.01};  // its centre, 10 mm above the ground
  foot.V_WB.v_WB = {0.2, 0, 0};   // sliding along x [m/s]

  const auto overlap = calc_overlap(heel, foot.X_WB, HalfSpace{}, ground.X_WB);
  const auto forces = calc_contact_forces(overlap, foot, ground, normal, friction, ContactOptions{},
                                          ContactMemory<double>{});

  const Vec3d f = forces.F_Ic_W.f_W, p = forces.p_WP;
  std::printf("shared volume       %10.3f mm^3\n", overlap.volume * 1e9);
  std::printf("normal force        %10.3f N\n", forces.normal.force);
  std::printf("force on the foot   %10.3f %10.3f %10.3f N\n", f.x(), f.y(), f.z());
  std::printf("centre of pressure  %10.3f %10.3f %10.3f mm\n", p.x() * 1e3, p.y() * 1e3,
              p.z() * 1e3);
}
