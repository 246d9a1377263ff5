// The parameters of a law as a table, from its description: for lists, pages and other languages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vesica/contact/contact.h"
#include "vesica/math/fields.h"

namespace vesica {

struct ParameterRow {
  std::string key, unit, meaning;
  bool is_required = true;

  bool operator==(const ParameterRow&) const = default;
};

// Meets all fields, whatever holds.
class FieldLister final : public Fields<double> {
 public:
  std::vector<ParameterRow> rows;

  using Fields<double>::number;
  void number(const Field& field, double*) override { add(field, unit_of(field.dimension)); }
  void list(const Field& field, double*, size_t) override { add(field, unit_of(field.dimension)); }
  void numbers(const Field& field, std::vector<double>*) override {
    add(field, unit_of(field.dimension));
  }
  void flag(const Field& field, bool*) override { add(field, ""); }
  void integer(const Field& field, int, int, int*) override { add(field, ""); }
  void word(const Field& field, const Words& words, size_t*) override;
  void text(const Field& field, std::string*) override { add(field, ""); }
  void texts(const Field& field, std::vector<std::string>*) override { add(field, ""); }
  bool has(std::string_view, bool) override { return true; }
  bool is_list(std::string_view, bool) override { return false; }
  bool is_map(std::string_view, bool) override { return false; }
  void below(std::string_view key, const Content& content) override;
  void items(std::string_view key, size_t*, const Item&) override { add({.key = key}, ""); }
  void entries(std::string_view, std::vector<std::string>*, const Item&) override {}
  void plain(const std::function<void(Fields<double>&)>& content) override { content(*this); }
  void fail(std::string_view, const std::string&) override {}
  bool lists_all() const override { return true; }
  bool has_values() const override { return false; }

 private:
  static std::string unit_of(const Dimension& dimension);
  void add(const Field& field, const std::string& unit);
};

template <class Struct>
std::vector<ParameterRow> list_parameters() {
  Struct s{};
  FieldLister lister;
  s.describe(lister);
  return lister.rows;
}

// Of the law with that name among a variant's; empty where there is none.
template <class... Law>
std::vector<ParameterRow> list_parameters_of(std::string_view name,
                                             const std::variant<Law...>* /*laws*/) {
  std::vector<ParameterRow> rows;
  ((Law::kName == name ? (rows = list_parameters<Law>(), 0) : 0), ...);
  return rows;
}

}  // namespace vesica
