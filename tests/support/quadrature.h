// Adaptive Gauss-Kronrod quadrature in long double, for oracles that share no code with the
// library.
#pragma once

#include <cmath>

namespace vesica::test {

namespace detail {
template <class F, class V>
void integrate(const F& f, long double a, long double b, long double tolerance, int depth, V* sum) {
  static constexpr long double kNodes[8] = {
      0.991455371120812639206854697526329L, 0.949107912342758524526189684047851L,
      0.864864423359769072789712788640926L, 0.741531185599394439863864773280788L,
      0.586087235467691130294144691693332L, 0.405845151377397166906606412076961L,
      0.207784955007898467600689403773245L, 0.0L};
  static constexpr long double kKronrod[8] = {
      0.022935322010529224963732008058970L, 0.063092092629978553290700663189204L,
      0.104790010322250183839876322541518L, 0.140653259715525918745189590510238L,
      0.169004726639267902826583426598550L, 0.190350578064785409913256402421014L,
      0.204432940075298892414161999234649L, 0.209482141084727828012999174891714L};
  static constexpr long double kGauss[4] = {
      0.129484966168869693270611432679082L, 0.279705391489276667901467771423780L,
      0.381830050505118944950369775488975L, 0.417959183673469387755102040816327L};
  const long double center = (a + b) / 2, half = (b - a) / 2;
  V kronrod = f(center) * kKronrod[7];
  V gauss = f(center) * kGauss[3];
  for (int k = 0; k < 7; ++k) {
    const V pair = f(center - half * kNodes[k]) + f(center + half * kNodes[k]);
    kronrod = kronrod + pair * kKronrod[k];
    if (k % 2 == 1) gauss = gauss + pair * kGauss[k / 2];
  }
  const V difference = (kronrod - gauss) * half;
  if (depth <= 0 || std::sqrt(static_cast<long double>(difference.squaredNorm())) <= tolerance) {
    *sum = *sum + kronrod * half;
    return;
  }
  integrate(f, a, center, tolerance / 2, depth - 1, sum);
  integrate(f, center, b, tolerance / 2, depth - 1, sum);
}
}  // namespace detail

// Integral of a vector-valued f (an Eigen column of long double) from a to b.
template <class F>
auto integrate(const F& f, long double a, long double b, long double tolerance,
               int max_depth = 40) {
  using V = std::decay_t<decltype(f(a))>;
  V sum = f(a);
  sum.setZero();
  detail::integrate(f, a, b, tolerance, max_depth, &sum);
  return sum;
}

}  // namespace vesica::test
