// Which method two shapes meet by (interference/method.h), with messages that name the file's key.
#pragma once

#include "vesica/interference/method.h"
#include "vesica/io/yaml.h"

namespace vesica {

// `node`: the contact.
template <class T>
ShapePair<T> choose_pair(const InputNode& node, ShapeForms<T>* i, ShapeForms<T>* j,
                         const PairChoices& choices) {
  try {
    return choose_pair(i, j, choices);
  } catch (const MethodError& error) {
    InputNode at = node;
    std::string_view key = error.key;
    while (!key.empty()) {
      const auto dot = std::min(key.find('.'), key.size());
      at = at.at(std::string(key.substr(0, dot)));
      key.remove_prefix(std::min(dot + 1, key.size()));
    }
    at.fail(error.what());
  }
}

}  // namespace vesica
