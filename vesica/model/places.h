// Where the parts of a model come from, for messages: a line of a file, or code.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "vesica/error.h"

namespace vesica {

class Places {
 public:
  Places() = default;  // from code
  Places(std::string file, std::string folder, std::map<std::string, int, std::less<>> lines);

  // What relative names of files refer to.
  const std::string& folder() const { return folder_; }
  const std::string& file() const { return file_; }
  // "scene.yaml:12: bodies.ball.mass"; without a file "model: bodies.ball.mass". Line 0: of a
  // setting, "scene.yaml (--set): ...".
  std::string place(std::string_view path) const;
  [[noreturn]] void fail(std::string_view path, const std::string& message) const;

 private:
  std::string file_, folder_;
  std::map<std::string, int, std::less<>> lines_;  // by path
};

// A part of a model, for messages about it and what is below it.
struct PartPlace {
  const Places& places;
  std::string path;

  PartPlace below(std::string_view key) const;
  PartPlace below(size_t index) const { return below(std::to_string(index)); }
  std::string text() const { return places.place(path); }
  // `key`: below it; may be empty.
  [[noreturn]] void fail(std::string_view key, const std::string& message) const {
    places.fail(below(key).path, message);
  }
};

// "bodies.ball" and "mass" to "bodies.ball.mass"; either may be empty.
std::string join_path(std::string_view path, std::string_view key);

}  // namespace vesica
