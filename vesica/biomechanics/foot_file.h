// A foot's contact as files: YAML (read back as the same foot) and a table. docs/formats/foot.md.
#pragma once

#include <string>

#include "vesica/biomechanics/foot.h"
#include "vesica/io/yaml.h"

namespace vesica {

// A text that read_foot reads back as the same numbers.
std::string write_foot(const FootModel& foot, const std::string& title);
// By its `type: foot_model`.
bool is_foot_model(const InputFile& file);
// Throws InputError with file, line and key.
FootModel read_foot(const InputFile& file);

// CSV, a row for each ellipsoid: name, segment, radii, position, angles; joints and stiffness in
// comments above.
std::string write_foot_table(const FootModel& foot);

}  // namespace vesica
