// Random trees of bodies, shared by tests/multibody and tests/peers.
#pragma once

#include <vector>

#include "tests/support/support.h"
#include "vesica/multibody/dynamics.h"

namespace vesica::test {

struct RandomTree {
  Tree<double> tree;
  std::vector<double> q, u, tau, u_rates;
  std::vector<Wrench<double>> wrenches;
};

struct RandomTreeOptions {
  int bodies = 10;
  bool free_only_on_world = false;      // MuJoCo's free joints
  bool perpendicular_universal = true;  // Simbody's universal joints
};

RandomTree make_random_tree(std::mt19937_64& random, const RandomTreeOptions& options);

}  // namespace vesica::test
