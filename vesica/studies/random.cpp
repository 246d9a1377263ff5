#include "vesica/studies/random.h"

namespace vesica::studies {

std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::uint64_t calc_random_bits(std::uint64_t seed, std::uint64_t counter, std::uint64_t stream) {
  return mix_bits(mix_bits(mix_bits(seed) ^ counter) ^ stream);
}

double calc_uniform(std::uint64_t seed, std::uint64_t counter, std::uint64_t stream) {
  return (static_cast<double>(calc_random_bits(seed, counter, stream) >> 11) + 0.5) * 0x1p-53;
}

std::uint64_t calc_run_seed(std::uint64_t seed, std::uint64_t run) {
  constexpr std::uint64_t kStream = 0x72756e;  // "run": apart from what designs draw
  return calc_random_bits(seed, run, kStream) >> 11;
}

std::uint64_t permute_index(std::uint64_t index, std::uint64_t count, std::uint64_t key) {
  if (count < 2) return 0;
  int half = 1;
  while (half < 32 && (std::uint64_t{1} << (2 * half)) < count) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  constexpr std::uint64_t kRounds = 6;
  do {
    std::uint64_t left = index >> half, right = index & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t next = left ^ (calc_random_bits(key, right, round) & mask);
      left = right;
      right = next;
    }
    index = (left << half) | right;
  } while (index >= count);
  return index;
}

}  // namespace vesica::studies
