// The shapes of a model, as a file gives them: what geometry/ computes with is made of them when it
// is needed. A new shape is a struct with kName and its fields, an entry in AnyShape, and a line in
// make_shape.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "vesica/geometry/shapes.h"
#include "vesica/model/frame.h"
#include "vesica/model/places.h"

namespace vesica {
namespace model {

// Sizes of these have no derivatives: kIsPlain.

struct Convex {
  static constexpr std::string_view kName = "convex";
  static constexpr bool kIsPlain = true;
  std::vector<Vec3d> vertices{};
  void describe(Fields<double>& f);
};
// STL or OBJ.
struct Mesh {
  static constexpr std::string_view kName = "mesh";
  static constexpr bool kIsPlain = true;
  std::string file{};
  double scale = 1;
  void describe(Fields<double>& f);
};
struct Edge {
  static constexpr std::string_view kName = "edge";
  static constexpr bool kIsPlain = true;
  std::array<Vec3d, 2> normals{Vec3d::UnitX(), Vec3d::UnitZ()};
  void describe(Fields<double>& f);
};
struct Cylinder {
  static constexpr std::string_view kName = "cylinder";
  static constexpr bool kIsPlain = true;
  double radius = 0, length = 0;
  void describe(Fields<double>& f);
};
struct Cone {
  static constexpr std::string_view kName = "cone";
  static constexpr bool kIsPlain = true;
  double angle = 0, height = 0;  // the full angle at the apex
  void describe(Fields<double>& f);
};
struct Capsule {
  static constexpr std::string_view kName = "capsule";
  static constexpr bool kIsPlain = true;
  double radius = 0, length = 0;
  void describe(Fields<double>& f);
};

// What cells are the intersection of (geometry/primitive.h): quadrics, and the shapes that are
// several of them.
struct CellPart {
  enum class Type {
    kHalfSpace,
    kSlab,
    kSphere,
    kEllipsoid,
    kCylinder,
    kCone,
    kParaboloid,
    kConvex,
    kBox
  };
  Type type = Type::kHalfSpace;
  double size = 0;  // thickness, radius, angle or vertex_radius
  Vec3d sizes = Vec3d::Zero();
  std::vector<Vec3d> vertices{};
  bool complement = false;
  std::optional<Frame<>> pose{};

  void describe(Fields<double>& f);
};
// Copies, each shifted and turned against the one before.
struct CellCopies {
  int count = 1;
  std::optional<Vec3d> step{};
  std::optional<double> angle{};
  Vec3d axis = Vec3d::UnitZ();

  void describe(Fields<double>& f);
};
struct SolidCell {
  std::vector<CellPart> intersect{};
  std::optional<Frame<>> pose{};
  std::vector<Vec3d> mirrors{};  // normals of planes through the origin
  std::vector<CellCopies> copies{};
  bool has_mirror_list = false, has_copies_list = false;  // in a file, though there is one

  void describe(Fields<double>& f);
};
struct CellSolid {
  static constexpr std::string_view kName = "solid";
  static constexpr bool kIsPlain = true;
  std::vector<SolidCell> cells{};
  void describe(Fields<double>& f);
};

template <class P>
using AnyShape = std::variant<HalfSpace, vesica::Sphere<P>, vesica::Ellipsoid<P>, vesica::Box<P>,
                              vesica::Torus<P>, Convex, Mesh, Point, Edge, CylinderSurface<P>,
                              ConeSurface<P>, Cylinder, Cone, Capsule, CellSolid>;

// A shape, and where it sits on its body.
template <class P = double>
struct BodyShape {
  AnyShape<P> shape{};
  std::optional<Frame<P>> pose{};
  std::string name{};  // by which a contact may choose it

  void describe(Fields<P>& f);
};

}  // namespace model

// As contacts and pictures take it.
template <class P>
struct PlacedShape {
  Shape<P> shape;
  Pose<P> X_BS;  // on its body
  bool at_origin = true;
};

// Loads files, builds hulls and cells. `path`: of the shape in its model, for messages.
template <class P>
PlacedShape<P> make_shape(const model::BodyShape<P>& shape, const Places& places,
                          const std::string& path);

}  // namespace vesica
