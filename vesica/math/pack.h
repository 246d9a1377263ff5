// Four doubles in one scalar: the closed-form kernels over four poses at once, by the compiler's
// vector extension (AVX2 where the build has it, pairs of SSE2 otherwise).
#pragma once

#include <Eigen/Core>
#include <bit>
#include <cstdint>

#include "vesica/math/smooth.h"

namespace vesica {

struct Pack {
  static constexpr int kLanes = 4;
  typedef double Lanes __attribute__((vector_size(32)));
  typedef std::int64_t Bits __attribute__((vector_size(32)));

  struct Mask {
    Bits bits;
    Mask operator!() const { return {~bits}; }
    Mask operator&&(const Mask& o) const { return {bits & o.bits}; }
    Mask operator||(const Mask& o) const { return {bits | o.bits}; }
  };

  Lanes lanes;

  Pack() = default;
  Pack(double x) : lanes{x, x, x, x} {}  // NOLINT: a number is a pack of equals, as for Dual
  explicit Pack(Lanes l) : lanes(l) {}

  double operator[](int k) const { return lanes[k]; }
  void set(int k, double x) { lanes[k] = x; }

  Pack operator-() const { return Pack(-lanes); }
  Pack& operator+=(const Pack& o) { return lanes += o.lanes, *this; }
  Pack& operator-=(const Pack& o) { return lanes -= o.lanes, *this; }
  Pack& operator*=(const Pack& o) { return lanes *= o.lanes, *this; }
  Pack& operator/=(const Pack& o) { return lanes /= o.lanes, *this; }

  friend Pack operator+(Pack a, const Pack& b) { return a += b; }
  friend Pack operator-(Pack a, const Pack& b) { return a -= b; }
  friend Pack operator*(Pack a, const Pack& b) { return a *= b; }
  friend Pack operator/(Pack a, const Pack& b) { return a /= b; }
  friend Mask operator<(const Pack& a, const Pack& b) { return {a.lanes < b.lanes}; }
  friend Mask operator<=(const Pack& a, const Pack& b) { return {a.lanes <= b.lanes}; }
  friend Mask operator>(const Pack& a, const Pack& b) { return {a.lanes > b.lanes}; }
  friend Mask operator>=(const Pack& a, const Pack& b) { return {a.lanes >= b.lanes}; }
};

template <>
struct ScalarTraits<Pack> {
  using Mask = Pack::Mask;
  static constexpr int kDerivatives = 0;
};

inline Pack select(const Pack::Mask& mask, const Pack& a, const Pack& b) {
  return Pack(mask.bits ? a.lanes : b.lanes);
}
inline bool any_of(const Pack::Mask& m) {
#ifdef __AVX__
  return __builtin_ia32_movmskpd256(std::bit_cast<Pack::Lanes>(m.bits)) != 0;
#else
  return (m.bits[0] | m.bits[1] | m.bits[2] | m.bits[3]) != 0;
#endif
}

inline Pack sqrt(const Pack& x) {
  Pack r;
  for (int k = 0; k < Pack::kLanes; ++k) r.lanes[k] = __builtin_sqrt(x.lanes[k]);
  return r;
}
inline Pack abs(const Pack& x) { return select(x < Pack(0.0), -x, x); }

// exp(y) for y >= 0 (80 and beyond give exp(80)), by range reduction to |r| <= ln2/2 and a
// polynomial of degree 13 (truncation 4e-18 relative).
inline Pack exp_of_positive(Pack y) {
  y = select(y > Pack(80.0), Pack(80.0), y);
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  const Pack k_shifted = y * Pack(1.4426950408889634) + Pack(kShift);
  const Pack k = k_shifted - Pack(kShift);
  const Pack r = (y - k * Pack(0.693147180369123816490)) - k * Pack(1.90821492927058770002e-10);
  // In pairs, then pairs of pairs (Estrin): a third of the latency of Horner's rule.
  const Pack r2 = r * r, r4 = r2 * r2;
  const auto pair = [&](double c0, double c1) { return Pack(c0) + Pack(c1) * r; };
  const Pack p0 = pair(1.0, 1.0) + pair(0.5, 1.0 / 6) * r2;
  const Pack p4 = pair(1.0 / 24, 1.0 / 120) + pair(1.0 / 720, 1.0 / 5040) * r2;
  const Pack p8 = pair(1.0 / 40320, 1.0 / 362880) + pair(1.0 / 3628800, 1.0 / 39916800) * r2;
  const Pack p12 = pair(1.0 / 479001600, 1.0 / 6227020800);
  const Pack p = (p0 + p4 * r4) + (p8 + p12 * r4) * (r4 * r4);
  const Pack::Bits exponent = (std::bit_cast<Pack::Bits>(k_shifted.lanes) + 1023) << 52;  // 2^k
  return p * Pack(std::bit_cast<Pack::Lanes>(exponent));
}

// The general form (smooth.h) with one division: above the cutoff x > 0.03, where e - 1 still has
// 14 digits.
inline Pack tanh_ratio(const Pack& s) {
  const Pack::Mask small = s < Pack(kTanhRatioCutoff);
  const Pack x = sqrt(select(small, Pack(1.0), s));
  const Pack e = exp_of_positive(Pack(2.0) * x);
  return select(small, tanh_ratio_series(s), (e - Pack(1.0)) / ((e + Pack(1.0)) * x));
}

// Good to a few roundings of itself at every x, unlike 1 - 2/(exp(2x) + 1).
inline Pack tanh(const Pack& x) { return x * tanh_ratio(x * x); }

}  // namespace vesica

namespace Eigen {
template <>
struct NumTraits<vesica::Pack> : GenericNumTraits<vesica::Pack> {
  using Real = vesica::Pack;
  using NonInteger = vesica::Pack;
  using Nested = vesica::Pack;
  using Literal = vesica::Pack;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};
// Pack with double in one expression, as for Dual.
template <class Op>
struct ScalarBinaryOpTraits<vesica::Pack, double, Op> {
  using ReturnType = vesica::Pack;
};
template <class Op>
struct ScalarBinaryOpTraits<double, vesica::Pack, Op> {
  using ReturnType = vesica::Pack;
};
}  // namespace Eigen
