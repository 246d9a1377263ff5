// Marker models as YAML (docs/howto/markers.md has the format) and from OpenSim models.
#pragma once

#include "vesica/io/motion_data.h"
#include "vesica/io/yaml.h"
#include "vesica/markers/model.h"

namespace vesica::markers {

// Throws InputError with file, line and key.
Model read_model(const InputFile& file);

// `.yaml` or `.osim` by extension. `warnings` says what an OpenSim model lost on the way.
Model load_model(const std::string& path, std::vector<std::string>* warnings);

// Bodies become segments with one scale each, pin joints and one-axis custom joints revolute, ball
// joints and custom joints of three rotations spherical, joints of six coordinates free. Custom
// joints whose axes move by splines are taken as revolute about their first moving rotation, with a
// warning. Markers that are not `fixed` are found in all coordinates.
Model make_model(const NeutralModel& neutral, std::vector<std::string>* warnings);

}  // namespace vesica::markers
