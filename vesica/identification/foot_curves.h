// Splines that a fit lays over a measured stance, and what their derivatives are made of. Internal
// to identification/.
#pragma once

#include <utility>

#include "vesica/identification/foot_fit.h"

namespace vesica::foot_detail {

// Values and slopes of the cardinal splines over the frames of a stance: a curve is basis * knots.
struct Basis {
  Eigen::MatrixXd value, slope;  // frames x knots; slope by time
};
struct StanceBasis {
  Basis toe, correction;
};
StanceBasis make_stance_basis(const FootStance& stance, int knots, bool toe_over_pitch);

// A motion turned by exp(phi) about the foot's origin and shifted by d. The rate of exp(phi) is
// taken to third order in phi: 1e-6 of it at 0.05 rad.
struct Corrected {
  Motion<double> motion;
  Mat3d turn_by_phi;  // rotation vector of the motion by phi: the left Jacobian
  Mat3d spin_by_phi, spin_by_rate;

  Corrected(const Motion<double>& m, const Vec3d& d, const Vec3d& d_rate, const Vec3d& phi,
            const Vec3d& rate);
};

// The frame with the curves, and the correction that was made.
std::pair<FootFrame, Corrected> correct_frame(const FootStance& stance, Eigen::Index f,
                                              const FootCurves& curves, const StanceBasis& basis);

// At rest, where the foot carries `force`.
void impose_force(const FootModel& foot, double force, FootFrame* frame);

}  // namespace vesica::foot_detail
