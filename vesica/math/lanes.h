// Four doubles side by side, by the compiler's vector extension (AVX2 where the build has it, pairs
// of SSE2 otherwise), for loops that go through stored numbers four at a time. Pack (pack.h) is the
// scalar for kernels that are templates.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace vesica {

constexpr int kLanes = 4;
typedef double Lanes __attribute__((vector_size(32)));
typedef std::int64_t LaneBits __attribute__((vector_size(32)));  // of a comparison: all ones or 0
typedef std::int32_t LaneIndices __attribute__((vector_size(16)));

inline Lanes make_lanes(double x) { return Lanes{x, x, x, x}; }
inline Lanes load_lanes(const double* p) {
  Lanes lanes;
  std::memcpy(&lanes, p, sizeof lanes);
  return lanes;
}
// 0 where the bits are.
inline Lanes keep_lanes(const Lanes& x, const LaneBits& bits) {
  return std::bit_cast<Lanes>(std::bit_cast<LaneBits>(x) & bits);
}
inline double sum_of(const Lanes& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

// Bit k is set where lane k is.
inline unsigned calc_lane_mask(const LaneBits& bits) {
#ifdef __AVX__
  return static_cast<unsigned>(__builtin_ia32_movmskpd256(std::bit_cast<Lanes>(bits)));
#else
  return static_cast<unsigned>((bits[0] & 1) | (bits[1] & 2) | (bits[2] & 4) | (bits[3] & 8));
#endif
}

// Writes base + k for every lane k of the mask, in order, and returns how many there are. There
// must be room for four: without a branch, because which lanes are set is what nobody can predict.
inline int put_lane_indices(unsigned mask, std::int32_t base, std::int32_t* to) {
  static constexpr std::int32_t kSet[16][4] = {
      {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {2, 0, 0, 0}, {0, 2, 0, 0},
      {1, 2, 0, 0}, {0, 1, 2, 0}, {3, 0, 0, 0}, {0, 3, 0, 0}, {1, 3, 0, 0}, {0, 1, 3, 0},
      {2, 3, 0, 0}, {0, 2, 3, 0}, {1, 2, 3, 0}, {0, 1, 2, 3}};
  LaneIndices set;
  std::memcpy(&set, kSet[mask], sizeof set);
  set += base;
  std::memcpy(to, &set, sizeof set);
  return std::popcount(mask);
}

}  // namespace vesica
