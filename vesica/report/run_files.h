// Files that a scene names (meshes, recordings), and copies of them beside it: a run folder means
// the same wherever it is taken.
#pragma once

#include <string>
#include <vector>

#include "vesica/io/yaml.h"

namespace vesica {

// The folder of the copies, within that of the run.
inline constexpr char kNamedFilesFolder[] = "files";

// The values of all keys `file` in an input.
std::vector<InputNode> list_named_files(const InputFile& input);

// The path that such a name stands for: relative ones from the folder of the input.
std::string find_named_file(const InputFile& input, const std::string& name);

// Copies them into `folder`/files and returns the scene that names the copies, relative to
// `folder`. Files of the same name get different ones. Throws FileError.
InputFile copy_named_files(const InputFile& scene, const std::string& folder);

// Whether two files hold the same bytes; false where one cannot be read.
bool have_same_content(const std::string& one, const std::string& other);

}  // namespace vesica
