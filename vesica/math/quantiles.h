// Quantiles of distributions: the value that a random variable stays below with probability p.
// Both to 1e-12 of the value (tests/math/quantiles_test.cpp).
#pragma once

namespace vesica {

// 0 < p < 1; otherwise not a number.
double calc_normal_quantile(double p);
// 0 < p < 1 and dof >= 1, otherwise not a number; infinite dof give the normal's.
double calc_student_t_quantile(double p, double dof);

}  // namespace vesica
