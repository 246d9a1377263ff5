// From the shapes of two bodies to the pairs of their parts.
#pragma once

#include <vector>

#include "vesica/contact/contact_input.h"
#include "vesica/contact/pair_input.h"

namespace vesica {

// `node`: the contact, for messages.
template <class T>
PartPairs<T> make_part_pairs(const InputNode& node, const std::vector<PlacedShape<T>>& i,
                             const std::vector<PlacedShape<T>>& j, const PairChoices& choices,
                             int room);

// The cells of all solids as shapes of their own; where polyhedral cells of a solid overlap they
// are cut apart, others must not. `node`: for messages.
template <class T>
std::vector<PlacedShape<T>> separate_cells(const InputNode& node,
                                           const std::vector<PlacedShape<T>>& shapes);

}  // namespace vesica
