// Synthetic bench experiments with known parameters: examples for users, and what tests of the
// intervals repeat. The same seed gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include "vesica/identification/bench_experiments.h"

namespace vesica {

// What the data are made with.
struct BenchTruth {
  double stiffness = 3.4e6, exponent = 1.5;  // N/m^p
  double restitution = 0.7;
  double restitution_slope = 0.2;                            // s/m
  double mu_C = 0.1, mu_S = 0.15, sigma_2 = 0.5;             // sigma_2 in s/m
  double sigma_0 = 1e4, sigma_1 = 6;                         // 1/m, s/m
  double tau_dw = 2;                                         // s
  double mass = 1, normal_force = 10, spring_stiffness = 2;  // kg, N, N/m: the rigs
};

// Noise: a share of the largest value of each curve, normal.
IndentationData make_indentation(const BenchTruth& truth, double noise, unsigned seed);
ImpactData make_impact(const BenchTruth& truth, bool slope, double noise, unsigned seed);
SlidingData make_sliding(const BenchTruth& truth, double noise, unsigned seed);
PreslidingData make_presliding(const BenchTruth& truth, double noise, unsigned seed);
StickSlipData make_stick_slip(const BenchTruth& truth, double noise, unsigned seed);

// A study and its CSV per experiment; returns the studies' paths.
std::vector<std::string> save_bench_examples(const std::string& folder);

}  // namespace vesica
