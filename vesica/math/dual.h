// Dual numbers: a value with N exact derivatives, for every kernel from pose to wrench.
//
// Why not Ceres' Jet: the same kernel (ellipsoid on a half-space, full wrench, 12 directions) takes
// 1.2 us with this type and 6.7 us with ceres::Jet<double, 12> (g++ 12 -O3, AVX2; `make bench`
// prints both). The derivatives live in blocks of four that the compiler keeps in vector registers,
// and every operation is inlined. Jets remain welcome: vesica/math/jet.h lets the same kernels run
// on them, which is how they enter Ceres, and how tests check this type.
//
// Comparisons look at the value alone. sqrt at 0 has no derivative: kernels avoid it (smooth.h).
#pragma once

#include <Eigen/Core>
#include <cmath>

#define VESICA_INLINE __attribute__((always_inline)) inline

namespace vesica {

// N doubles, padded to blocks of four.
template <int N>
struct Gradient {
  typedef double Block __attribute__((vector_size(32), may_alias));
  static constexpr int kBlocks = (N + 3) / 4;
  Block blocks[kBlocks];

  static VESICA_INLINE Gradient zero() {
    Gradient g;
    for (int b = 0; b < kBlocks; ++b) g.blocks[b] = Block{0, 0, 0, 0};
    return g;
  }
  VESICA_INLINE double& operator[](int k) { return reinterpret_cast<double*>(blocks)[k]; }
  VESICA_INLINE double operator[](int k) const {
    return reinterpret_cast<const double*>(blocks)[k];
  }

  // x + s y and s x, block by block.
  friend VESICA_INLINE Gradient operator+(const Gradient& x, const Gradient& y) {
    Gradient r;
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) r.blocks[b] = x.blocks[b] + y.blocks[b];
    return r;
  }
  friend VESICA_INLINE Gradient operator-(const Gradient& x, const Gradient& y) {
    Gradient r;
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) r.blocks[b] = x.blocks[b] - y.blocks[b];
    return r;
  }
  friend VESICA_INLINE Gradient operator-(const Gradient& x) {
    Gradient r;
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) r.blocks[b] = -x.blocks[b];
    return r;
  }
  friend VESICA_INLINE Gradient operator*(double s, const Gradient& x) {
    Gradient r;
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) r.blocks[b] = s * x.blocks[b];
    return r;
  }
};

template <int N>
struct Dual {
  double a;       // value
  Gradient<N> v;  // derivatives

  Dual() = default;
  VESICA_INLINE Dual(double value) : a(value), v(Gradient<N>::zero()) {}  // NOLINT: a constant
  VESICA_INLINE Dual(double value, const Gradient<N>& gradient) : a(value), v(gradient) {}
  // The variable of direction k.
  static Dual variable(double value, int k) {
    Dual x(value);
    x.v[k] = 1.0;
    return x;
  }

  // f(this), given f and its derivative there.
  VESICA_INLINE Dual chain(double f, double slope) const { return {f, slope * v}; }

  VESICA_INLINE Dual operator-() const { return {-a, -v}; }
  VESICA_INLINE Dual& operator+=(const Dual& o) { return *this = *this + o; }
  VESICA_INLINE Dual& operator-=(const Dual& o) { return *this = *this - o; }
  VESICA_INLINE Dual& operator*=(const Dual& o) { return *this = *this * o; }
  VESICA_INLINE Dual& operator/=(const Dual& o) { return *this = *this / o; }

  friend VESICA_INLINE Dual operator+(const Dual& x, const Dual& y) {
    return {x.a + y.a, x.v + y.v};
  }
  friend VESICA_INLINE Dual operator-(const Dual& x, const Dual& y) {
    return {x.a - y.a, x.v - y.v};
  }
  friend VESICA_INLINE Dual operator*(const Dual& x, const Dual& y) {
    return {x.a * y.a, y.a * x.v + x.a * y.v};
  }
  friend VESICA_INLINE Dual operator/(const Dual& x, const Dual& y) {
    const double inverse = 1 / y.a;
    const double q = x.a * inverse;
    return {q, inverse * (x.v - q * y.v)};
  }
  friend VESICA_INLINE Dual operator+(const Dual& x, double s) { return {x.a + s, x.v}; }
  friend VESICA_INLINE Dual operator+(double s, const Dual& x) { return {x.a + s, x.v}; }
  friend VESICA_INLINE Dual operator-(const Dual& x, double s) { return {x.a - s, x.v}; }
  friend VESICA_INLINE Dual operator-(double s, const Dual& x) { return {s - x.a, -x.v}; }
  friend VESICA_INLINE Dual operator*(const Dual& x, double s) { return {x.a * s, s * x.v}; }
  friend VESICA_INLINE Dual operator*(double s, const Dual& x) { return {x.a * s, s * x.v}; }
  friend VESICA_INLINE Dual operator/(const Dual& x, double s) { return x * (1 / s); }
  friend VESICA_INLINE Dual operator/(double s, const Dual& y) {
    const double q = s / y.a;
    return {q, (-q / y.a) * y.v};
  }

  friend VESICA_INLINE bool operator<(const Dual& x, const Dual& y) { return x.a < y.a; }
  friend VESICA_INLINE bool operator<=(const Dual& x, const Dual& y) { return x.a <= y.a; }
  friend VESICA_INLINE bool operator>(const Dual& x, const Dual& y) { return x.a > y.a; }
  friend VESICA_INLINE bool operator>=(const Dual& x, const Dual& y) { return x.a >= y.a; }
  friend VESICA_INLINE bool operator==(const Dual& x, const Dual& y) { return x.a == y.a; }
  friend VESICA_INLINE bool operator!=(const Dual& x, const Dual& y) { return x.a != y.a; }

  friend VESICA_INLINE Dual sqrt(const Dual& x) {
    const double r = std::sqrt(x.a);
    return x.chain(r, 0.5 / r);
  }
  friend VESICA_INLINE Dual exp(const Dual& x) {
    const double e = std::exp(x.a);
    return x.chain(e, e);
  }
  friend VESICA_INLINE Dual log(const Dual& x) { return x.chain(std::log(x.a), 1 / x.a); }
  friend VESICA_INLINE Dual sin(const Dual& x) { return x.chain(std::sin(x.a), std::cos(x.a)); }
  friend VESICA_INLINE Dual cos(const Dual& x) { return x.chain(std::cos(x.a), -std::sin(x.a)); }
  friend VESICA_INLINE Dual tanh(const Dual& x) {
    const double t = std::tanh(x.a);
    return x.chain(t, 1 - t * t);
  }
  friend VESICA_INLINE Dual atan(const Dual& x) {
    return x.chain(std::atan(x.a), 1 / (1 + x.a * x.a));
  }
  friend VESICA_INLINE Dual atan2(const Dual& y, const Dual& x) {
    const double inverse = 1 / (x.a * x.a + y.a * y.a);
    return {std::atan2(y.a, x.a), (x.a * inverse) * y.v - (y.a * inverse) * x.v};
  }
  friend VESICA_INLINE Dual acos(const Dual& x) {
    return x.chain(std::acos(x.a), -1 / std::sqrt((1 - x.a) * (1 + x.a)));
  }
  friend VESICA_INLINE Dual asin(const Dual& x) {
    return x.chain(std::asin(x.a), 1 / std::sqrt((1 - x.a) * (1 + x.a)));
  }
  friend VESICA_INLINE Dual pow(const Dual& x, double p) {
    return x.chain(std::pow(x.a, p), p * std::pow(x.a, p - 1));
  }
  friend VESICA_INLINE Dual pow(const Dual& x, const Dual& p) {
    const double f = std::pow(x.a, p.a);
    return {f, (p.a * std::pow(x.a, p.a - 1)) * x.v + (f * std::log(x.a)) * p.v};
  }
  friend VESICA_INLINE Dual abs(const Dual& x) { return x.a < 0 ? -x : x; }
  friend bool isfinite(const Dual& x) {
    bool finite = std::isfinite(x.a);
    for (int k = 0; k < N; ++k) finite = finite && std::isfinite(x.v[k]);
    return finite;
  }
};

}  // namespace vesica

namespace Eigen {
template <int N>
struct NumTraits<vesica::Dual<N>> : GenericNumTraits<double> {
  using Real = vesica::Dual<N>;
  using NonInteger = vesica::Dual<N>;
  using Nested = vesica::Dual<N>;
  using Literal = vesica::Dual<N>;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 3
  };
  static Real epsilon() { return Real(Eigen::NumTraits<double>::epsilon()); }
  static Real dummy_precision() { return Real(1e-12); }
};
// Dual with double in one expression: a plain vector times a dual number and the like.
template <int N, class Op>
struct ScalarBinaryOpTraits<vesica::Dual<N>, double, Op> {
  using ReturnType = vesica::Dual<N>;
};
template <int N, class Op>
struct ScalarBinaryOpTraits<double, vesica::Dual<N>, Op> {
  using ReturnType = vesica::Dual<N>;
};
}  // namespace Eigen
