// Fields from YAML: keys that nobody asks for, missing ones, wrong units and rules that are broken
// are errors with file, line and path.
#pragma once

#include "vesica/io/yaml.h"
#include "vesica/math/fields.h"

namespace vesica {

class FieldReader final : public Fields<double> {
 public:
  explicit FieldReader(const InputNode& root) { scopes_.push_back({root, {}}); }

  // Reads what `content` describes at the root.
  void read(const Content& content) { read_scope(content); }

  using Fields<double>::number;
  void number(const Field& field, double* x) override;
  void list(const Field& field, double* first, size_t count) override;
  void numbers(const Field& field, std::vector<double>* x) override;
  void flag(const Field& field, bool* x) override;
  void integer(const Field& field, int low, int high, int* x) override;
  void word(const Field& field, const Words& words, size_t* index) override;
  void text(const Field& field, std::string* x) override;
  void texts(const Field& field, std::vector<std::string>* x) override;
  bool has(std::string_view key, bool now) override;
  bool is_list(std::string_view key, bool now) override;
  bool is_map(std::string_view key, bool now) override;
  void below(std::string_view key, const Content& content) override;
  void items(std::string_view key, size_t* count, const Item& item) override;
  void entries(std::string_view key, std::vector<std::string>* names, const Item& item) override;
  void plain(const std::function<void(Fields<double>&)>& content) override { content(*this); }
  void fail(std::string_view key, const std::string& message) override;
  bool has_values() const override { return !collects_; }

 private:
  struct Scope {
    InputNode node;
    std::vector<std::string> keys;  // that may be there
  };
  const InputNode& node() const { return scopes_.back().node; }
  // What is at the key, which is allowed from now on.
  std::optional<InputNode> find(std::string_view key);
  // Nothing where it may be left out and is, or where only keys are collected.
  std::optional<InputNode> find_value(const Field& field);
  // Of a mapping all keys are collected first, so that a typing mistake is seen as one, and not as
  // the lack of what was meant.
  void read_scope(const Content& content);
  void read_below(const InputNode& child, const Content& content);

  std::vector<Scope> scopes_;
  bool collects_ = false;
};

}  // namespace vesica
