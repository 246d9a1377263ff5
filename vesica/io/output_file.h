// Where files go. They are written aside and renamed, so that a reader never sees half of one.
#pragma once

#include <string>
#include <string_view>

namespace vesica {

// Replaces the file at `path`; makes the folder if it is missing. Throws InputError naming the path
// when it cannot be written.
void save_text(const std::string& path, std::string_view text);

// A file name relative to a folder: that of the input which names it, or that of --out.
std::string resolve_path(const std::string& folder, const std::string& name);

}  // namespace vesica
