// YAML input with places: every error names the file, the line, the key's path, what was found and
// what was expected. Keys that nobody asks for are errors, so a typing mistake is never ignored.
//
//   const InputFile file = InputFile::load("scene.yaml");
//   const InputNode body = file.root().at("bodies").at("ball");
//   body.allow({"mass", "shape"});
//   const double mass = body.at("mass").positive(dimension::kMass);
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vesica/error.h"
#include "vesica/io/units.h"
#include "vesica/io/unknown_word.h"
#include "vesica/math/vector.h"

namespace YAML {
class Node;
}

namespace vesica {

class InputNode;

class InputFile {
 public:
  static InputFile load(const std::string& path);
  // `name` stands for the file in messages.
  static InputFile parse(const std::string& text, const std::string& name);

  InputNode root() const;
  const std::string& name() const;
  // The folder that relative file names in the input refer to.
  std::string folder() const;

  // Replaces or adds the value at a dotted path (`bodies.ball.mass`, `forces.LCL.points.0`: items
  // by index or name); keys that have dots are found (`markers.L.ASIS.find`). `value` is YAML.
  void set(const std::string& path, const std::string& value);

  // The line of everything in it, by its dotted path.
  std::map<std::string, int, std::less<>> lines() const;

  // The input as it stands, settings included, for reports that echo it.
  std::string dump() const;

 private:
  friend class InputNode;
  struct Content;
  explicit InputFile(std::shared_ptr<Content> content) : content_(std::move(content)) {}
  std::shared_ptr<Content> content_;
};

class InputNode {
 public:
  // What this node is.
  bool is_map() const;
  bool is_list() const;
  bool is_scalar() const;
  const std::string& path() const { return path_; }
  std::string place() const;  // "file.yaml:12: bodies.ball.mass"
  [[noreturn]] void fail(const std::string& message) const;

  // Maps: `at` demands a key, `find` does not; `allow` rejects all others, with the nearest allowed
  // key as a suggestion.
  InputNode at(const std::string& key) const;
  std::optional<InputNode> find(const std::string& key) const;
  void allow(std::initializer_list<std::string_view> keys) const;
  void allow(const std::vector<std::string_view>& keys) const;
  std::vector<std::pair<std::string, InputNode>> entries() const;

  // Lists.
  size_t size() const;
  InputNode at(size_t index) const;
  std::vector<InputNode> items() const;

  // Scalars. Numbers may carry units and are finite.
  double number(const Dimension& dimension) const;
  double positive(const Dimension& dimension) const;
  double non_negative(const Dimension& dimension) const;
  int integer(int low, int high) const;
  bool flag() const;
  std::string text() const;
  // One of the words; returns its index.
  size_t choice(const std::vector<std::string_view>& words) const;
  Vec3d vector(const Dimension& dimension) const;
  void expect_list(size_t length) const;

  // What stands here as YAML on one line, for InputFile::set.
  std::string dump() const;

 private:
  friend class InputFile;
  InputNode(std::shared_ptr<InputFile::Content> content, const YAML::Node& node, std::string path,
            int line);

  void expect_map() const;

  std::shared_ptr<InputFile::Content> content_;
  std::shared_ptr<YAML::Node> node_;
  std::string path_;
  int line_;
};

}  // namespace vesica
