// Random numbers by place, not by order: every number is a function of the study's seed and where
// it is used, so that a run has the same ones whoever computes it, and when.
#pragma once

#include <cstdint>

namespace vesica::studies {

// The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits that mixes.
std::uint64_t mix_bits(std::uint64_t x);

// One word from three: seed, run (or another counter) and stream.
std::uint64_t calc_random_bits(std::uint64_t seed, std::uint64_t counter, std::uint64_t stream);

// In (0, 1), both ends left out: the middle of one of 2^53 cells.
double calc_uniform(std::uint64_t seed, std::uint64_t counter, std::uint64_t stream);

// The seed of a run, for whatever in it draws random numbers: of the study's seed and its number
// only. Below 2^53, so that every reader of numbers takes it.
std::uint64_t calc_run_seed(std::uint64_t seed, std::uint64_t run);

// Where `index` goes in a random order of 0 .. count - 1 that `key` picks: a bijection, computed
// without the order's table (a Feistel network over the next even number of bits, applied again
// until it lands below `count`).
std::uint64_t permute_index(std::uint64_t index, std::uint64_t count, std::uint64_t key);

}  // namespace vesica::studies
