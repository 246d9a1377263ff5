#include "vesica/model/field_reader.h"

#include <algorithm>

namespace vesica {
namespace {

double number_of(const InputNode& node, const Field& field) {
  switch (field.rule) {
    case Rule::kPositive:
      return node.positive(field.dimension);
    case Rule::kNonNegative:
      return node.non_negative(field.dimension);
    case Rule::kAny:
      break;
  }
  return node.number(field.dimension);
}

}  // namespace

std::optional<InputNode> FieldReader::find(std::string_view key) {
  std::optional<InputNode> found = node();
  // Keys of a path lead on: "mirror.0".
  for (std::string_view rest = key; !rest.empty() && found;) {
    const std::string part(rest.substr(0, rest.find('.')));
    auto& keys = scopes_.back().keys;
    if (rest.size() == key.size() && std::find(keys.begin(), keys.end(), part) == keys.end()) {
      keys.push_back(part);
    }
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const bool is_index = part.find_first_not_of("0123456789") == std::string::npos;
    if (is_index && !found->is_map()) {
      const size_t index = part.size() < 10 ? std::stoul(part) : 0;
      const bool is_there = found->is_list() && index < found->size();
      found = is_there ? std::optional(found->at(index)) : std::nullopt;
    } else {
      found = found->find(part);  // says so where it is no mapping
    }
  }
  return found;
}

std::optional<InputNode> FieldReader::find_value(const Field& field) {
  const auto found = find(field.key);
  if (collects_) return std::nullopt;
  if (!found && !field.unless) return node().at(std::string(field.key));  // says what is missing
  return found;
}

void FieldReader::number(const Field& field, double* x) {
  if (const auto value = find_value(field)) {
    *x = number_of(*value, field);
  } else if (field.unless && !collects_) {
    *x = *field.unless;
  }
}

void FieldReader::list(const Field& field, double* first, size_t count) {
  if (const auto value = find_value(field)) {
    value->expect_list(count);
    for (size_t k = 0; k < count; ++k) first[k] = number_of(value->at(k), field);
  } else if (field.unless && !collects_) {
    std::fill(first, first + count, *field.unless);
  }
}

void FieldReader::numbers(const Field& field, std::vector<double>* x) {
  const auto value = find_value(field);
  if (!value) return;
  x->clear();
  for (const InputNode& item : value->items()) x->push_back(number_of(item, field));
}

// Flags and words are read while keys are collected too: which there are may hang on them.
void FieldReader::flag(const Field& field, bool* x) {
  if (const auto found = find(field.key)) {
    *x = found->flag();
  } else if (field.unless) {
    *x = *field.unless != 0;
  } else {
    node().at(std::string(field.key));  // says what is missing
  }
}

void FieldReader::integer(const Field& field, int low, int high, int* x) {
  if (const auto value = find_value(field)) {
    *x = value->integer(low, high);
  } else if (field.unless && !collects_) {
    *x = static_cast<int>(*field.unless);
  }
}

void FieldReader::word(const Field& field, const Words& words, size_t* index) {
  if (const auto found = find(field.key)) {
    *index = found->choice(words);
  } else if (field.unless) {
    *index = static_cast<size_t>(*field.unless);
  } else {
    node().at(std::string(field.key));
  }
}

void FieldReader::text(const Field& field, std::string* x) {
  const auto value = find_value(field);
  if (value && (!field.unless || value->is_scalar())) *x = value->text();
}

void FieldReader::texts(const Field& field, std::vector<std::string>* x) {
  const auto value = find_value(field);
  if (!value) return;
  x->clear();
  for (const InputNode& item : value->items()) x->push_back(item.text());
}

bool FieldReader::has(std::string_view key, bool) { return find(key).has_value(); }

bool FieldReader::is_list(std::string_view key, bool) {
  const auto found = find(key);
  return found && found->is_list();
}

bool FieldReader::is_map(std::string_view key, bool) {
  const auto found = find(key);
  return found && found->is_map();
}

void FieldReader::read_scope(const Content& content) {
  if (node().is_map()) {
    collects_ = true;
    content();
    collects_ = false;
    std::vector<std::string_view> keys(scopes_.back().keys.begin(), scopes_.back().keys.end());
    node().allow(keys);
  }
  content();
}

void FieldReader::read_below(const InputNode& child, const Content& content) {
  scopes_.push_back({child, {}});
  read_scope(content);
  scopes_.pop_back();
}

void FieldReader::below(std::string_view key, const Content& content) {
  if (const auto child = find_value({.key = key})) read_below(*child, content);
}

void FieldReader::items(std::string_view key, size_t* count, const Item& item) {
  const auto list = find_value({.key = key});
  if (!list) return;
  *count = list->size();
  for (size_t k = 0; k < *count; ++k) {
    read_below(list->at(k), [&] { item(k); });
  }
}

void FieldReader::entries(std::string_view key, std::vector<std::string>* names, const Item& item) {
  const auto map = find_value({.key = key});
  if (!map) return;
  names->clear();
  const auto entries = map->entries();
  for (const auto& [name, node] : entries) names->push_back(name);
  for (size_t k = 0; k < entries.size(); ++k) {
    read_below(entries[k].second, [&] { item(k); });
  }
}

void FieldReader::fail(std::string_view key, const std::string& message) {
  if (collects_) return;
  const auto found = find(key);
  (found ? *found : node()).fail(message);
}

}  // namespace vesica
