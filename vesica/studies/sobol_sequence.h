// Sobol's sequence: points that fill a cube evenly, far better than random ones.
//
// I. M. Sobol', USSR Comput. Math. Math. Phys. 7 (1967) 86; direction numbers of S. Joe and F. Y.
// Kuo, SIAM J. Sci. Comput. 30 (2008) 2635, which keep two-dimensional projections even. Points are
// scrambled in the manner of A. Owen (1995) by hashing (B. Burley, J. Comput. Graph. Tech. 9 (2020)
// 1): the first 2^k points still have one point in each of 2^k slices of every axis, no point lies
// on the edge, and two seeds give independent point sets.
#pragma once

#include <cstdint>

namespace vesica::studies {

inline constexpr int kSobolDimensions = 37;

// The plain sequence in the order of the index (not Gray's), as a fraction of 2^32.
std::uint32_t calc_sobol_bits(std::uint32_t index, int dimension);

// Scrambled, in (0, 1).
double calc_sobol(std::uint32_t index, int dimension, std::uint64_t seed);

}  // namespace vesica::studies
