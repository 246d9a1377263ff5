// How well a fit of a foot determines its contact parameters. Internal to identification/.
//
// With A = J'J (priors included) the fit's answer to errors e of the data and to a truth x* about
// the prior is -A^-1 (J'e + w^2 x*), w the weight of a prior's row. Its covariance is
// A^-1 B A^-1, B = sum over kinds of s^2 tau J'J + sum over pictures of (J'r)(J'r)' + w^4. s^2 is
// the mean square of a kind of residual, tau = 1 + 2 sum of its autocorrelations up to the first
// that is not positive, for residuals of a stance hang together over time, and so do pictures,
// whose part is multiplied by the largest tau over the frames from one to the next. A cell of the
// mat errs alike in all pictures of a stance (its gain, a shape that the ellipsoids have not),
// which the correlation over time does not see: rows are clustered by cells too, and what both ways
// count is taken off once (Cameron, Gelbach and Miller 2011). All are raised by N/(N - p): N the
// samples that count as independent, p the parameters that the data, not the priors, have taken
// from them.
#pragma once

#include "vesica/identification/foot_residuals.h"

namespace vesica::foot_detail {

struct FootIntervals {
  std::vector<double> narrowing;  // of the contact's parameters, see FootFit
  std::vector<FootCorrelation> correlations;
};
FootIntervals calc_intervals(const Eigen::VectorXd& x, const std::vector<std::string>& names,
                             FootResiduals* residuals);

}  // namespace vesica::foot_detail
