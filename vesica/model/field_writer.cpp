#include "vesica/model/field_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "vesica/error.h"
#include "vesica/io/units.h"

namespace vesica {
namespace {

constexpr size_t kColumns = 100;

// The shortest text that reads back as the same number; YAML takes it without quotes.
std::string number_text(double x) { return fmt::format("{}", x); }

// With its unit where units.h reads it.
std::string quantity_text(double x, const Dimension& dimension) {
  const std::string number = number_text(x);
  if (dimension.m == 0 && dimension.kg == 0 && dimension.s == 0) return number;
  const std::string text = fmt::format("{} {}", number, dimension.unit);
  try {
    if (parse_quantity(text, dimension) == x) return text;
  } catch (const InputError&) {
    return number;  // a unit in words: N/m^p, p the exponent
  }
  return number;
}

// In quotes unless nothing in it could be taken for YAML.
std::string as_yaml_text(const std::string& text) {
  const bool is_word = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
                       std::all_of(text.begin(), text.end(), [](unsigned char c) {
                         return std::isalnum(c) != 0 || c == '_' || c == '-';
                       });
  static const std::vector<std::string> kReserved = {"true", "false", "yes", "no", "on",
                                                     "off",  "null",  "y",   "n"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (is_word && std::find(kReserved.begin(), kReserved.end(), lower) == kReserved.end()) {
    return text;
  }
  std::string out = "\"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (u < 0x20 || u == 0x7f) {
      out += fmt::format("\\x{:02x}", u);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

FieldWriter::Node& FieldWriter::at(std::string_view key) {
  Node* node = open_.back();
  if (key.empty()) return *node;
  node->children.emplace_back(std::string(key), Node{});
  return node->children.back().second;
}

void FieldWriter::number(const Field& field, double* x) {
  if (field.unless && *x == *field.unless) return;
  at(field.key).value = quantity_text(*x, field.dimension);
}

void FieldWriter::list(const Field& field, double* first, size_t count) {
  if (field.unless &&
      std::all_of(first, first + count, [&](double x) { return x == *field.unless; })) {
    return;
  }
  Node& node = at(field.key);
  node.is_list = true;
  for (size_t k = 0; k < count; ++k)
    node.children.push_back({"", {number_text(first[k]), false, {}}});
}

void FieldWriter::numbers(const Field& field, std::vector<double>* x) {
  Node& node = at(field.key);
  node.is_list = true;
  for (const double v : *x) node.children.push_back({"", {number_text(v), false, {}}});
}

void FieldWriter::flag(const Field& field, bool* x) {
  if (field.unless && *x == (*field.unless != 0)) return;
  at(field.key).value = *x ? "true" : "false";
}

void FieldWriter::integer(const Field& field, int, int, int* x) {
  if (field.unless && *x == static_cast<int>(*field.unless)) return;
  at(field.key).value = fmt::format("{}", *x);
}

void FieldWriter::word(const Field& field, const Words& words, size_t* index) {
  if (field.unless && *index == static_cast<size_t>(*field.unless)) return;
  at(field.key).value = as_yaml_text(std::string(words[*index]));
}

void FieldWriter::text(const Field& field, std::string* x) {
  at(field.key).value = as_yaml_text(*x);
}

void FieldWriter::texts(const Field& field, std::vector<std::string>* x) {
  Node& node = at(field.key);
  node.is_list = true;
  for (const std::string& text : *x) node.children.push_back({"", {as_yaml_text(text), false, {}}});
}

void FieldWriter::below(std::string_view key, const Content& content) {
  // Children are appended to a vector: the place of the new one is looked up again when it is done.
  Node child;
  open_.push_back(&child);
  content();
  open_.pop_back();
  at(key) = std::move(child);
}

void FieldWriter::items(std::string_view key, size_t* count, const Item& item) {
  Node list;
  list.is_list = true;
  for (size_t k = 0; k < *count; ++k) {
    Node child;
    open_.push_back(&child);
    item(k);
    open_.pop_back();
    list.children.emplace_back("", std::move(child));
  }
  at(key) = std::move(list);
}

void FieldWriter::entries(std::string_view key, std::vector<std::string>* names, const Item& item) {
  Node map;
  for (size_t k = 0; k < names->size(); ++k) {
    Node child;
    open_.push_back(&child);
    item(k);
    open_.pop_back();
    map.children.emplace_back(as_yaml_text((*names)[k]), std::move(child));
  }
  at(key) = std::move(map);
}

std::string FieldWriter::on_one_line(const Node& node) {
  if (!node.value.empty()) return node.value;
  std::string out = node.is_list ? "[" : "{";
  for (size_t k = 0; k < node.children.size(); ++k) {
    const auto& [key, child] = node.children[k];
    out += k > 0 ? ", " : "";
    out += node.is_list ? on_one_line(child) : fmt::format("{}: {}", key, on_one_line(child));
  }
  return out + (node.is_list ? "]" : "}");
}

void FieldWriter::write(const Node& node, size_t indent, std::string* out) {
  const std::string space(indent, ' ');
  for (const auto& [key, child] : node.children) {
    const std::string head = space + (node.is_list ? "-" : key + ":");
    const std::string line = on_one_line(child);
    const bool is_leaf = !child.value.empty() || child.children.empty();
    // What is below a body or in a list goes on one line where it fits.
    if (is_leaf || (indent > 0 && head.size() + 1 + line.size() <= kColumns)) {
      *out += head + " " + line + "\n";
      continue;
    }
    *out += head + "\n";
    write(child, indent + 2, out);
  }
}

std::string FieldWriter::text() const {
  std::string out;
  write(root_, 0, &out);
  return out;
}

}  // namespace vesica
