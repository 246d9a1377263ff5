// OpenSim models (.osim, and .xml files with a set of markers or contacts) as a neutral model.
// docs/formats/osim.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/math/pose.h"

namespace vesica {

// Reads bodies, joints (weld, pin, universal, ball, free, custom), coordinates, markers and contact
// spheres of OpenSim 3 and 4 documents. What has no place in the neutral model (muscles, wrapping,
// visuals, constraints) is passed over; joints that it cannot express are kept as kOther with a
// warning. Errors name the line.
NeutralModel load_osim(const std::string& path);
NeutralModel read_osim(std::string_view text, const std::string& name);

// A surface that lines wrap over, fixed to a body.
struct OsimWrap {
  enum class Shape { kEllipsoid, kCylinder, kOther };
  std::string name, body;
  Shape shape = Shape::kOther;
  std::string type_in_file;
  Pose<double> X_BS;
  Vec3d radii = Vec3d::Zero();  // of a cylinder about z: radius, radius, half of its length
  bool is_active = true;
  std::string quadrant;  // "all", or the half that lines pass: "+x", "-y"
};

// WrapSphere, WrapEllipsoid and WrapCylinder of all bodies; other types with their name only.
std::vector<OsimWrap> load_osim_wraps(const std::string& path);
std::vector<OsimWrap> read_osim_wraps(std::string_view text, const std::string& name);

}  // namespace vesica
