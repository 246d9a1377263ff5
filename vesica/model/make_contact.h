// From the laws and shapes of a model to a contact that can be computed with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vesica/contact/part_pairs.h"
#include "vesica/model/model.h"

namespace vesica {

// Between bodies of several parts each pair of parts that touch is a contact of its own.
template <class P>
struct MadeContact {
  Contact<P> contact;                         // its shapes are those of the first pair
  std::shared_ptr<const PartPairs<P>> parts;  // null: that is the only pair
};

// `path`: of the contact in its model, for messages. Throws InputError where shapes cannot meet, or
// not by the method or under the laws that are asked for.
template <class P>
MadeContact<P> make_contact(const model::Contact<P>& contact, std::vector<PlacedShape<P>> i,
                            std::vector<PlacedShape<P>> j, const Places& places,
                            const std::string& path);

// The shapes of a body. `path`: of the body.
template <class P>
std::vector<PlacedShape<P>> make_shapes(const model::Body<P>& body, const Places& places,
                                        const std::string& path);

}  // namespace vesica
