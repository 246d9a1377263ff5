// The same contact on dual numbers: how force and moment change with pose and velocity of the foot.
//
// By hand: the volume grows with depth by the area of the section, A = pi a b (1 - h^2) with
// h = 1/2 the relative height of the centre: A = 5.65487e-3 m^2, and -k A = -56548.7 N/m.
#include <cstdio>

#include "vesica/contact/brown_mcphee.h"
#include "vesica/contact/contact_forces.h"
#include "vesica/contact/volumetric_normal.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"

int main() {
  using namespace vesica;
  using T = Dual<12>;  // by position, rotation, velocity, spin: three directions each
  const Ellipsoid<double> heel{{0.04, 0.06, 0.02}};
  const VolumetricNormal<double> normal{1e7, 0.5};
  const BrownMcPhee<double> friction{.mu_s = 0.9, .mu_d = 0.7, .v_t = 0.05};

  Motion<double> foot, ground;
  foot.X_WB.p_WB = {0, 0, 0.01};
  foot.V_WB.v_WB = {0.2, 0, 0};
  const Motion<T> seeded = seed_motion(foot);

  const auto overlap = calc_overlap(heel, seeded.X_WB, HalfSpace{}, ground.X_WB);
  const auto forces = calc_contact_forces(overlap, seeded, ground, normal, friction,
                                          ContactOptions{}, ContactMemory<T>{});

  const Vec3<T>& f = forces.F_Ic_W.f_W;
  std::printf("force by height         %12.1f N/m\n", f.z().v[2]);
  std::printf("force by closing speed  %12.4f N s/m\n", -f.z().v[8]);
  std::printf("friction by slip        %12.4f N s/m\n", f.x().v[6]);
}
