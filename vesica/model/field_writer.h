// Fields to YAML: numbers in SI with their units, so that reading the text again gives the same
// model; nothing that is as it is unless given.
#pragma once

#include <utility>

#include "vesica/math/fields.h"

namespace vesica {

class FieldWriter final : public Fields<double> {
 public:
  std::string text() const;

  using Fields<double>::number;
  void number(const Field& field, double* x) override;
  void list(const Field& field, double* first, size_t count) override;
  void numbers(const Field& field, std::vector<double>* x) override;
  void flag(const Field& field, bool* x) override;
  void integer(const Field& field, int low, int high, int* x) override;
  void word(const Field& field, const Words& words, size_t* index) override;
  void text(const Field& field, std::string* x) override;
  void texts(const Field& field, std::vector<std::string>* x) override;
  bool has(std::string_view, bool now) override { return now; }
  bool is_list(std::string_view, bool now) override { return now; }
  bool is_map(std::string_view, bool now) override { return now; }
  void below(std::string_view key, const Content& content) override;
  void items(std::string_view key, size_t* count, const Item& item) override;
  void entries(std::string_view key, std::vector<std::string>* names, const Item& item) override;
  void plain(const std::function<void(Fields<double>&)>& content) override { content(*this); }
  void fail(std::string_view, const std::string&) override {}

 private:
  // A value, a mapping or a list.
  struct Node {
    std::string value;
    bool is_list = false;
    std::vector<std::pair<std::string, Node>> children;
  };
  Node& at(std::string_view key);
  static std::string on_one_line(const Node& node);
  static void write(const Node& node, size_t indent, std::string* out);

  Node root_;
  std::vector<Node*> open_{&root_};
};

}  // namespace vesica
