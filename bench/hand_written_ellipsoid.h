// The limit: an ellipsoid on a half-space, full wrench with damping, rolling resistance and
// Brown-McPhee friction and spin, written out in plain doubles for this one combination. No
// templates, no choice of shape or law, nothing computed that the wrench does not need. It keeps
// what the general kernel forgets: M n = abc m_n w q, so that only M u needs the full tensor.
//
// Same inputs and same wrench as calc_contact with those laws (contact_bench checks it).
#pragma once

namespace vesica::bench {

struct HandWrittenContact {
  double a, b, c;             // radii
  double stiffness, damping;  // k, alpha
  double mu_s, mu_d, v_t;
};

// Column-major rotation, as Eigen stores it.
struct HandWrittenMotion {
  double R[9], p[3], w[3], v[3];
};

// On i, moment about the centroid of the shared volume.
struct HandWrittenWrench {
  double f[3], tau[3], centroid[3];
};

void calc_hand_written(const HandWrittenContact& contact, const HandWrittenMotion& i,
                       const HandWrittenMotion& j, HandWrittenWrench* result);

}  // namespace vesica::bench
