#include "vesica/model/places.h"

#include <fmt/format.h>

namespace vesica {

Places::Places(std::string file, std::string folder, std::map<std::string, int, std::less<>> lines)
    : file_(std::move(file)), folder_(std::move(folder)), lines_(std::move(lines)) {}

std::string Places::place(std::string_view path) const {
  const std::string_view shown = path.empty() ? "(top level)" : path;
  if (file_.empty()) return fmt::format("model: {}", shown);
  // The line of the nearest part that has one: what stands in one line is known by its whole.
  for (std::string_view known = path;; known = known.substr(0, known.rfind('.'))) {
    if (const auto found = lines_.find(known); found != lines_.end()) {
      if (found->second == 0) return fmt::format("{} (--set): {}", file_, shown);
      return fmt::format("{}:{}: {}", file_, found->second, shown);
    }
    if (known.rfind('.') == std::string_view::npos) break;
  }
  return fmt::format("{}:1: {}", file_, shown);
}

void Places::fail(std::string_view path, const std::string& message) const {
  throw InputError(fmt::format("{}: {}", place(path), message));
}

PartPlace PartPlace::below(std::string_view key) const { return {places, join_path(path, key)}; }

std::string join_path(std::string_view path, std::string_view key) {
  if (path.empty()) return std::string(key);
  return key.empty() ? std::string(path) : fmt::format("{}.{}", path, key);
}

}  // namespace vesica
