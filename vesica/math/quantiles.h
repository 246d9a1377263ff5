// Quantiles of distributions: the value that a random variable stays below with probability p.
// Both to 1e-12 of the value (tests/math/quantiles_test.cpp).
#pragma once

namespace vesica {

// 0 < p < 1; otherwise not a number.
double calc_normal_quantile(double p);
// 0 < p < 1 and dof >= 1, otherwise not a number; infinite dof give the normal's.
double calc_student_t_quantile(double p, double dof);

namespace detail {
// Continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method, so that
// I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) times this. Converges in about sqrt(max(a, b)) terms for
// x < (a + 1) / (a + b + 2).
double calc_beta_fraction(double a, double b, double x);
}  // namespace detail

}  // namespace vesica
