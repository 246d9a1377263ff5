#include "vesica/io/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "vesica/error.h"

namespace vesica {

std::string resolve_path(const std::string& folder, const std::string& name) {
  const std::filesystem::path path(name);
  return path.is_absolute() || folder.empty() ? name
                                              : (std::filesystem::path(folder) / path).string();
}

void save_text(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::path target(path);
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), code);
  const std::string aside = fmt::format("{}.{}.part", path, getpid());
  {
    std::ofstream stream(aside, std::ios::binary);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.flush();
    if (!stream) {
      fs::remove(aside, code);
      throw InputError(
          fmt::format("{}: cannot be written; is the folder there, writable and not full?", path));
    }
  }
  fs::rename(aside, target, code);
  if (code) {
    const std::string reason = code.message();
    fs::remove(aside, code);
    throw InputError(fmt::format("{}: cannot be written: {}", path, reason));
  }
}

}  // namespace vesica
