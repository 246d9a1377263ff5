// The fields of plain data, by name. A struct of a model (a body, a law, a joint) lists its fields
// once, in
//   void describe(Fields<P>& f) {
//     f.number({.key = "mass", .dimension = dimension::kMass, .rule = Rule::kPositive}, &mass);
//   }
// and reading from a file, writing to one, checks of what was built in code, numbers that carry
// derivatives, and tables of parameters all come from that list (model/fields_*.h): each is a
// Fields that meets the fields in their order. P is the scalar of the struct's numbers.
//
// `describe` is one function for all of them, so it says for every choice what holds now:
//   if (f.has("damping", damping > 0)) f.number(...);
// Who reads asks the file, everybody else the second argument.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vesica/math/dimension.h"
#include "vesica/math/vector.h"

namespace vesica {

enum class Rule { kAny, kNonNegative, kPositive };

struct Field {
  // Empty: the item of a list, or the value of a key, that is being described.
  std::string_view key;
  Dimension dimension = dimension::kNumber;
  Rule rule = Rule::kAny;
  std::string_view meaning = {};  // for tables
  // What it is unless given; without it must be given.
  std::optional<double> unless = {};
};

using Words = std::vector<std::string_view>;

template <class P>
class Fields {
 public:
  using Content = std::function<void()>;
  using Item = std::function<void(size_t)>;

  virtual ~Fields() = default;

  virtual void number(const Field& field, P* x) = 0;
  // A list of fixed length.
  virtual void list(const Field& field, P* first, size_t count) = 0;
  // A list of any length.
  virtual void numbers(const Field& field, std::vector<P>* x) = 0;
  virtual void flag(const Field& field, bool* x) = 0;  // unless: 0 or 1
  virtual void integer(const Field& field, int low, int high, int* x) = 0;
  // One of the words.
  virtual void word(const Field& field, const Words& words, size_t* index) = 0;
  virtual void text(const Field& field, std::string* x) = 0;
  virtual void texts(const Field& field, std::vector<std::string>* x) = 0;

  // Whether the key is there; whether what is there is a list, or a mapping. Key empty: the item.
  virtual bool has(std::string_view key, bool now) = 0;
  virtual bool is_list(std::string_view key, bool now) = 0;
  virtual bool is_map(std::string_view key, bool now) = 0;

  // What stands below a key; each item of a list; each entry of a mapping by its name.
  virtual void below(std::string_view key, const Content& content) = 0;
  virtual void items(std::string_view key, size_t* count, const Item& item) = 0;
  virtual void entries(std::string_view key, std::vector<std::string>* names, const Item& item) = 0;

  // Numbers that cannot carry derivatives.
  virtual void plain(const std::function<void(Fields<double>&)>& content) = 0;

  // What is wrong at the key. Nothing where nothing is being read or checked.
  virtual void fail(std::string_view key, const std::string& message) = 0;
  // Whether all fields are met for a table, whatever holds now.
  virtual bool lists_all() const { return false; }
  // Whether the values that fields have now are to be made use of: checked, computed with.
  virtual bool has_values() const { return true; }

  void check(bool is_right, std::string_view key, const char* message) {
    if (!is_right && has_values()) fail(key, message);
  }
  void vector(const Field& field, Vec3<P>* v) { list(field, v->data(), 3); }
  void plain_number(const Field& field, double* x) {
    plain([&](Fields<double>& f) { f.number(field, x); });
  }
  // An optional number: there or not.
  void number(const Field& field, std::optional<P>* x) {
    if (!has(field.key, x->has_value())) return x->reset();
    if (!*x) x->emplace(P(0.0));
    number(field, &**x);
  }
  template <class Enum>
  void choice(const Field& field, const Words& words, Enum* x) {
    auto index = static_cast<size_t>(*x);
    word(field, words, &index);
    *x = static_cast<Enum>(index);
  }
  template <class Enum>
  void choice(const Field& field, const Words& words, std::optional<Enum>* x) {
    if (!has(field.key, x->has_value())) return x->reset();
    if (!*x) x->emplace();
    choice(field, words, &**x);
  }
  // A struct with fields of its own below the key, there or not.
  template <class Struct>
  void optional_below(std::string_view key, std::optional<Struct>* x) {
    if (!has(key, x->has_value())) return x->reset();
    if (!*x) x->emplace();
    below(key, [&] { (*x)->describe(*this); });
  }
  template <class Struct>
  void list_below(std::string_view key, std::vector<Struct>* x) {
    size_t count = x->size();
    items(key, &count, [&](size_t k) {
      if (x->size() < count) x->resize(count);
      (*x)[k].describe(*this);
    });
    x->resize(count);
  }
};

// The fields of a struct; of one whose numbers cannot carry derivatives, which says so by kIsPlain;
// of one that has none.
template <class P, class Struct>
void describe_fields(Fields<P>& f, Struct& s) {
  if constexpr (requires { Struct::kIsPlain; }) {
    f.plain([&](Fields<double>& plain) { s.describe(plain); });
  } else if constexpr (requires { s.describe(f); }) {
    s.describe(f);
  }
}

// One of several structs, by the word at `key`; each has its name as kName.
template <class P, class... Struct>
void describe_one_of(Fields<P>& f, const Field& field, std::variant<Struct...>* one) {
  static const Words kWords = {Struct::kName...};
  using Variant = std::variant<Struct...>;
  static constexpr Variant (*kMake[])() = {[]() -> Variant { return Struct{}; }...};
  size_t index = one->index();
  f.word(field, kWords, &index);
  if (index != one->index()) *one = kMake[index]();
  std::visit([&](auto& s) { describe_fields(f, s); }, *one);
}

}  // namespace vesica
