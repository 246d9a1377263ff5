#include "vesica/studies/sobol_sequence.h"

#include <array>

#include "vesica/studies/random.h"

namespace vesica::studies {
namespace {

// Of dimensions 2 and up: degree s of the primitive polynomial, its inner coefficients as bits, and
// the first s direction numbers (Joe and Kuo). Dimension 1 is van der Corput's sequence.
struct Direction {
  int degree;
  std::uint32_t inner;
  std::array<std::uint32_t, 7> first;
};
constexpr std::array<Direction, kSobolDimensions - 1> kDirections = {{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
}};

using Vectors = std::array<std::uint32_t, 32>;

Vectors make_vectors(int dimension) {
  Vectors v{};
  if (dimension == 0) {
    for (int k = 0; k < 32; ++k) v[k] = 1u << (31 - k);
    return v;
  }
  const Direction& d = kDirections[static_cast<size_t>(dimension - 1)];
  for (int k = 0; k < 32; ++k) {
    if (k < d.degree) {
      v[k] = d.first[static_cast<size_t>(k)] << (31 - k);
      continue;
    }
    v[k] = v[k - d.degree] ^ (v[k - d.degree] >> d.degree);
    for (int j = 1; j < d.degree; ++j) {
      if ((d.inner >> (d.degree - 1 - j)) & 1u) v[k] ^= v[k - j];
    }
  }
  return v;
}

const std::array<Vectors, kSobolDimensions>& all_vectors() {
  static const auto kAll = [] {
    std::array<Vectors, kSobolDimensions> all;
    for (int d = 0; d < kSobolDimensions; ++d) all[static_cast<size_t>(d)] = make_vectors(d);
    return all;
  }();
  return kAll;
}

std::uint32_t reverse_bits(std::uint32_t x) {
  x = (x >> 16) | (x << 16);
  x = ((x & 0xff00ff00u) >> 8) | ((x & 0x00ff00ffu) << 8);
  x = ((x & 0xf0f0f0f0u) >> 4) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x & 0xccccccccu) >> 2) | ((x & 0x33333333u) << 2);
  return ((x & 0xaaaaaaaau) >> 1) | ((x & 0x55555555u) << 1);
}

// Owen's nested scrambling: every bit is turned by a function of the bits above it. Exact, one hash
// a bit (Laine and Karras' multiplications are quicker and only nearly uniform).
std::uint32_t scramble(std::uint32_t bits, std::uint64_t key) {
  const std::uint32_t low_first = reverse_bits(bits);  // the leading bit is bit 0
  std::uint32_t turned = 0;
  for (unsigned k = 0; k < 32; ++k) {
    const std::uint32_t above = low_first & ((1u << k) - 1);
    turned |= static_cast<std::uint32_t>(calc_random_bits(key, above, k) & 1u) << k;
  }
  return reverse_bits(low_first ^ turned);
}

}  // namespace

std::uint32_t calc_sobol_bits(std::uint32_t index, int dimension) {
  const Vectors& v = all_vectors()[static_cast<size_t>(dimension)];
  std::uint32_t x = 0;
  for (size_t k = 0; index != 0; ++k, index >>= 1) {
    if (index & 1u) x ^= v[k];
  }
  return x;
}

double calc_sobol(std::uint32_t index, int dimension, std::uint64_t seed) {
  constexpr std::uint64_t kStream = 0x736f626f6c;  // "sobol"
  const auto key = calc_random_bits(seed, static_cast<std::uint64_t>(dimension), kStream);
  return (scramble(calc_sobol_bits(index, dimension), key) + 0.5) * 0x1p-32;
}

}  // namespace vesica::studies
