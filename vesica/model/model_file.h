// Models and cases from YAML, and back. docs/formats/scene.md is the user's side of it.
#pragma once

#include <string>

#include "vesica/io/yaml.h"
#include "vesica/model/model.h"

namespace vesica {

// Is this a scene, by the keys at its top (and not, say, a case for probe)?
bool is_scene(const InputFile& file);

// Throw InputError with file, line, path, what was found and what was expected.
Model read_model(const InputFile& file);
Model load_model(const std::string& path);
Case read_case(const InputFile& file);

// A text that reads back as the same model. Names of files stay as they are: relative ones refer to
// the folder of the file that the text is written to. Throws InputError where the model is wrong.
std::string write_model(const Model& model);
std::string write_case(const Case& model);

}  // namespace vesica
