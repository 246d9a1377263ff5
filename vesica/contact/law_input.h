// A law by its name: {law: name, parameters...}. Adding a type to the variant registers it.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "vesica/io/yaml.h"

namespace vesica {

namespace detail {
template <class Variant, size_t... K>
Variant read_law(const InputNode& node, std::index_sequence<K...>) {
  const std::vector<std::string_view> names = {std::variant_alternative_t<K, Variant>::kName...};
  const size_t choice = node.at("law").choice(names);
  std::optional<Variant> law;
  ((choice == K ? (law = std::variant_alternative_t<K, Variant>::read(node), 0) : 0), ...);
  return *law;
}
}  // namespace detail

template <class Variant>
Variant read_law(const InputNode& node) {
  return detail::read_law<Variant>(node, std::make_index_sequence<std::variant_size_v<Variant>>());
}

}  // namespace vesica
