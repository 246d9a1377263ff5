// What several parts of a model have in common in their `describe`.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "vesica/math/fields.h"

namespace vesica::model {

// The two bodies that something is between.
template <class P>
void describe_between(Fields<P>& f, const char* message, std::vector<std::string>* between) {
  f.texts({.key = "between", .meaning = "two bodies"}, between);
  if (!f.has_values()) return;
  if (between->size() != 2) {
    f.fail("between", fmt::format("expected a list of 2, found {}", between->size()));
    return;
  }
  f.check((*between)[0] != (*between)[1], "between", message);
}

// An optional list of two structs.
template <class P, class Describe>
void describe_two(Fields<P>& f, const char* key, const Describe& describe) {
  if (!f.has(key, true)) return;
  size_t count = 2;
  f.items(key, &count, [&](size_t k) {
    if (k < 2) describe(k);
  });
  if (count != 2 && f.has_values()) {
    f.fail(key, fmt::format("expected a list of 2, found {}", count));
  }
}

// `key`: where the name stands.
template <class P>
void check_name(Fields<P>& f, const std::string& key, const std::string& name) {
  f.check(name != "world", key, "'world' is the ground that joints hang on; use another name");
  const bool is_plain = std::none_of(name.begin(), name.end(), [](unsigned char c) {
    return std::iscntrl(c) != 0 || c == '"' || c == ';';
  });
  f.check(!name.empty() && is_plain, key,
          "a name is a line of text without quotes and semicolons: it heads columns of the "
          "recording");
}

}  // namespace vesica::model
