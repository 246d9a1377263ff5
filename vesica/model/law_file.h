// A law by itself, or one of any other structs, from {law: name, parameters...}.
#pragma once

#include <variant>

#include "vesica/model/field_reader.h"

namespace vesica {

// `Law`: a struct with `describe`, or a std::variant of such structs with kName.
template <class Law>
Law read_law(const InputNode& node) {
  Law law;
  FieldReader reader(node);
  reader.read([&] {
    if constexpr (requires { std::variant_size<Law>::value; }) {
      describe_one_of(reader, {.key = "law"}, &law);
    } else {
      Words words = {Law::kName};
      size_t index = 0;
      reader.word({.key = "law"}, words, &index);
      law.describe(reader);
    }
  });
  return law;
}

}  // namespace vesica
