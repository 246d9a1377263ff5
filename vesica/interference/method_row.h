// What a method of contact takes and gives: a row for each pair of shapes, which stands with the
// pair (pair.h). Whoever has to know what a pair can do asks its row, not its type.
#pragma once

#include <array>
#include <string_view>

namespace vesica {

enum class Method { kClosedForm, kPolyhedra, kMesh, kSlices, kVoxels, kPoint };
// As files name them, in the order of the enumeration.
inline constexpr std::array<std::string_view, 6> kMethodNames = {
    "closed_form", "polyhedra", "mesh", "slices", "voxels", "point"};
constexpr std::string_view name_of(Method method) {
  return kMethodNames[static_cast<std::size_t>(method)];
}

enum class Cost {
  kFormula,     // the same for every pose, a tenth of a microsecond
  kFaces,       // with the faces that touch: microseconds
  kQuadrature,  // to a tolerance: ten microseconds and more
  kCounting,    // with the voxels: milliseconds
};

// Whether the elastic force is the gradient of an energy.
enum class Potential {
  kAlways,    // the geometry alone fixes the normal
  kByNormal,  // as the normal is chosen; the pair knows (has_potential)
  kNever,
};

// No member has a default: a row that leaves something out does not compile.
struct MethodRow {
  Method method;
  std::string_view i,
      j;  // the shapes, as shape_name has them or in words; either may be i in a file
  Cost cost;
  bool exact;     // to rounding; else to a tolerance or a voxel size
  bool volume;    // volume, centroid, second moment and areas; else depth and place alone
  bool normals;   // the normal can be chosen; else the geometry has one
  bool by_pose;   // derivatives by both poses
  bool by_sizes;  // and by the sizes of the shapes
  bool field;     // the depth at every point of the patch, for laws that integrate over it
  bool caps;      // a shallow overlap is a cap of a quadric (contact/lifted_patch.h)
  Potential potential;
};

}  // namespace vesica
