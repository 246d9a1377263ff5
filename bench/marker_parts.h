// The parts of markers_bench.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "vesica/markers/trial.h"

namespace vesica::markers {

// f(k) for k = 0 .. count - 1 on all cores; standard error tells how far it is. f keeps to one
// thread, so that the processor time of its thread is its own.
void for_each_repetition(const std::string& what, int count, const std::function<void(int)>& f);

// marker_peers.cpp
void compare_iteration(int frames);
void compare_minimal(int frames);

// marker_branches.cpp: recordings with lost and wild markers, and starts that are far off: how
// often the right branch of the poses and the best optimum of the constants is found.
void run_branches(int recordings);
void run_starts(int subjects);

// One to three markers are not seen for 10 to 50 frames, 1 to 3 % of what is seen lies 15 cm off in
// any direction.
struct Faults {
  bool lost = false, wild = false;
};
void add_faults(const Model& model, const Faults& faults, std::uint64_t seed, Trial& trial);

// marker_statistics.cpp
void run_weights(int repetitions);
void run_thinning(int repetitions, int frames);
void run_coverage(int repetitions, int long_repetitions);

// Of the calling thread, s.
double thread_seconds();
// Of all threads, s.
double processor_seconds();

}  // namespace vesica::markers
