// A model checked, and on dual numbers: the numbers that seeds name carry a unit derivative each.
#pragma once

#include <string>
#include <vector>

#include "vesica/model/model.h"

namespace vesica {

// Throws InputError where a number breaks its rule or is not finite, or fields contradict each
// other. What read_model returns has passed it already.
void check_model(const Model& model);
void check_model(const Case& model);

// `seeds`: paths of numbers; the k-th carries derivative k. Checks the model too. Throws InputError
// where a path names no number, or one by which nothing can be differentiated, where it comes
// twice, and where there are more than T has derivatives.
template <class T>
ModelOf<T> with_seeds(const Model& model, const std::vector<std::string>& seeds);
template <class T>
CaseOf<T> with_seeds(const Case& model, const std::vector<std::string>& seeds);

// Every number of the model that can carry a derivative, by its path, in the order of a file.
struct PathOfNumber {
  std::string path;
  double value = 0;
  Dimension dimension;
};
std::vector<PathOfNumber> list_numbers(const Model& model);

}  // namespace vesica
