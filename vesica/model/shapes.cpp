#include "vesica/model/shapes.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "vesica/geometry/convex_hull.h"
#include "vesica/geometry/polyhedral_solid.h"
#include "vesica/io/file_error.h"
#include "vesica/io/obj.h"
#include "vesica/io/output_file.h"

namespace vesica::model {
namespace {

constexpr int kMaxCells = 20000;  // of one solid
constexpr Field kRadius{"radius", dimension::kLength, Rule::kPositive};
constexpr Field kAngle{"angle", dimension::kAngle, Rule::kPositive, "full, at the apex"};

void describe_vectors(Fields<double>& f, const char* key, const Dimension& dimension,
                      std::vector<Vec3d>* vectors) {
  size_t count = vectors->size();
  f.items(key, &count, [&](size_t k) {
    if (vectors->size() < count) vectors->resize(count, Vec3d::Zero());
    f.vector({{}, dimension}, &(*vectors)[k]);
  });
  vectors->resize(count, Vec3d::Zero());
}

void check_angle(Fields<double>& f, double angle) {
  f.check(angle < kPi, "angle", "the full angle at the apex, below pi");
}

}  // namespace

void Convex::describe(Fields<double>& f) {
  describe_vectors(f, "vertices", dimension::kLength, &vertices);
}
void Mesh::describe(Fields<double>& f) {
  f.text({.key = "file", .meaning = "STL or OBJ"}, &file);
  f.number({"scale", dimension::kNumber, Rule::kPositive, "", 1.0}, &scale);
}
void Edge::describe(Fields<double>& f) {
  size_t count = 2;
  f.items("normals", &count, [&](size_t k) {
    if (k < 2) f.vector({}, &normals[k]);
  });
  if (!f.has_values()) return;
  if (count != 2) f.fail("normals", fmt::format("expected a list of 2, found {}", count));
  for (size_t k = 0; k < 2; ++k) {
    f.check(normals[k].norm() != 0, fmt::format("normals.{}", k), "a direction cannot be zero");
  }
  f.check(!((normals[0].normalized() + normals[1].normalized()).norm() < 1e-6), "normals",
          "two faces back to back enclose nothing");
}
void Cylinder::describe(Fields<double>& f) {
  f.number(kRadius, &radius);
  f.number({"length", dimension::kLength, Rule::kPositive}, &length);
}
void Cone::describe(Fields<double>& f) {
  f.number(kAngle, &angle);
  check_angle(f, angle);
  f.number({"height", dimension::kLength, Rule::kPositive}, &height);
}
void Capsule::describe(Fields<double>& f) {
  f.number(kRadius, &radius);
  f.number({"length", dimension::kLength, Rule::kPositive, "of the cylinder"}, &length);
}

void CellPart::describe(Fields<double>& f) {
  f.choice({.key = "type"},
           {"half_space", "slab", "sphere", "ellipsoid", "cylinder", "cone", "paraboloid", "convex",
            "box"},
           &type);
  f.optional_below("pose", &pose);
  if (type != Type::kSlab && type != Type::kConvex && type != Type::kBox) {
    f.flag({.key = "complement", .unless = 0.0}, &complement);
  } else {
    f.check(!f.has("complement", complement), "complement",
            "is for single surfaces; a slab, a box and a convex solid have several");
  }
  switch (type) {
    case Type::kHalfSpace:
      break;
    case Type::kSlab:
      f.number({"thickness", dimension::kLength, Rule::kPositive}, &size);
      break;
    case Type::kSphere:
    case Type::kCylinder:
      f.number(kRadius, &size);
      break;
    case Type::kEllipsoid:
      f.vector({"radii", dimension::kLength}, &sizes);
      f.check(sizes.minCoeff() > 0, "radii", "radii are greater than zero");
      break;
    case Type::kCone:
      f.number(kAngle, &size);
      check_angle(f, size);
      break;
    case Type::kParaboloid:
      f.number({"vertex_radius", dimension::kLength, Rule::kPositive}, &size);
      break;
    case Type::kConvex:
      describe_vectors(f, "vertices", dimension::kLength, &vertices);
      break;
    case Type::kBox:
      f.vector({"size", dimension::kLength}, &sizes);
      f.check(sizes.minCoeff() > 0, "size", "sizes are greater than zero");
      break;
  }
}

void CellCopies::describe(Fields<double>& f) {
  f.integer({.key = "count"}, 1, kMaxCells, &count);
  if (f.has("step", step.has_value())) {
    if (!step) step.emplace(Vec3d::Zero());
    f.vector({"step", dimension::kLength}, &*step);
  }
  f.number({"angle", dimension::kAngle}, &angle);
  if (angle) {
    f.vector({.key = "axis"}, &axis);
    f.check(axis.norm() != 0, "axis", "an axis cannot be zero");
  } else {
    f.check(!f.has("axis", false), "axis", "goes with 'angle'");
    f.check(step.has_value(), "", "the key 'step' is missing");
  }
}

void SolidCell::describe(Fields<double>& f) {
  f.list_below("intersect", &intersect);
  f.check(!intersect.empty(), "intersect", "a cell is the intersection of primitives");
  f.optional_below("pose", &pose);
  if (f.has("mirror", !mirrors.empty())) {
    // One normal, or a list of them.
    has_mirror_list = !f.has("mirror.0", !mirrors.empty()) ||
                      f.is_list("mirror.0", has_mirror_list || mirrors.size() > 1);
    if (has_mirror_list) {
      describe_vectors(f, "mirror", dimension::kNumber, &mirrors);
    } else {
      mirrors.resize(1, Vec3d::Zero());
      f.vector({.key = "mirror"}, &mirrors[0]);
    }
    for (const Vec3d& n : mirrors) {
      f.check(n.norm() != 0, "mirror", "the normal of a mirror cannot be zero");
    }
  }
  if (!f.has("repeat", !copies.empty())) return;
  has_copies_list = !f.is_map("repeat", copies.size() == 1 && !has_copies_list);
  if (!has_copies_list) {
    copies.resize(1);
    f.below("repeat", [&] { copies[0].describe(f); });
  } else {
    f.list_below("repeat", &copies);
  }
}

void CellSolid::describe(Fields<double>& f) {
  f.list_below("cells", &cells);
  f.check(!cells.empty(), "cells", "a solid has at least one cell");
}

template <class P>
void BodyShape<P>::describe(Fields<P>& f) {
  describe_one_of(f, {.key = "type"}, &shape);
  f.optional_below("pose", &pose);
  if (f.has("name", !name.empty())) {
    f.text({.key = "name", .meaning = "by which a contact may choose it"}, &name);
    f.check(!name.empty(), "name", "a name cannot be empty");
  }
}

namespace {

Pose<double> pose_of(const std::optional<Frame<>>& frame) {
  return frame ? frame->pose() : Pose<double>{};
}

// One primitive, or the several that make a box, a slab or a convex polyhedron.
std::vector<Primitive> make_primitives(const CellPart& part, const PartPlace& place) {
  const Pose<double> X = pose_of(part.pose);
  std::vector<Primitive> result;
  switch (part.type) {
    case CellPart::Type::kHalfSpace:
      result = {make_half_space(X)};
      break;
    case CellPart::Type::kSlab:
      return moved(make_slab_cell(part.size), X).primitives;
    case CellPart::Type::kSphere:
      result = {make_sphere(part.size, X)};
      break;
    case CellPart::Type::kEllipsoid:
      result = {make_ellipsoid(part.sizes, X)};
      break;
    case CellPart::Type::kCylinder:
      result = {make_cylinder(part.size, X)};
      break;
    case CellPart::Type::kCone:
      result = {make_cone(0.5 * part.size, X)};
      break;
    case CellPart::Type::kParaboloid:
      result = {make_paraboloid(part.size, X)};
      break;
    case CellPart::Type::kConvex:
      return moved(make_polyhedron_cell(
                       make_convex_polyhedron(part.vertices, place.below("vertices").text())),
                   X)
          .primitives;
    case CellPart::Type::kBox:
      return moved(make_box_cell(part.sizes), X).primitives;
  }
  if (part.complement) result[0] = make_complement(result[0]);
  return result;
}

// Of all cells so far.
void add_copies(const CellCopies& copies, const PartPlace& place, std::vector<Cell>* cells) {
  Pose<double> step;
  if (copies.step) step.p_WB = *copies.step;
  if (copies.angle) step.R_WB = Eigen::AngleAxisd(*copies.angle, copies.axis.normalized()).matrix();
  const size_t first = cells->size();
  if (first * static_cast<size_t>(copies.count) > kMaxCells) {
    place.fail("", fmt::format("makes more than {} cells", kMaxCells));
  }
  Pose<double> X;
  for (int k = 1; k < copies.count; ++k) {
    X = {step.R_WB * X.R_WB, step.R_WB * X.p_WB + step.p_WB};
    for (size_t c = 0; c < first; ++c) cells->push_back(moved((*cells)[c], X));
  }
}

// A cell with its mirror images and its copies.
std::vector<Cell> make_cells(const SolidCell& spec, const PartPlace& place) {
  std::vector<Primitive> primitives;
  for (size_t k = 0; k < spec.intersect.size(); ++k) {
    const auto more = make_primitives(spec.intersect[k], place.below("intersect").below(k));
    primitives.insert(primitives.end(), more.begin(), more.end());
  }
  Cell cell = make_cell(std::move(primitives));
  if (cell.bounds.is_empty()) place.fail("", "this cell is empty: its primitives do not meet");
  if (!cell.bounds.is_finite()) {
    place.fail("",
               "this cell has no bounds that can be seen from its primitives; add a box around it");
  }
  if (spec.pose) cell = moved(cell, spec.pose->pose());
  std::vector<Cell> made = {cell};
  for (const Vec3d& n : spec.mirrors) {
    const size_t count = made.size();
    for (size_t k = 0; k < count; ++k) made.push_back(mirrored(made[k], n.normalized()));
  }
  for (size_t k = 0; k < spec.copies.size(); ++k) {
    const PartPlace repeat = place.below("repeat");
    add_copies(spec.copies[k], spec.has_copies_list ? repeat.below(k) : repeat, &made);
  }
  return made;
}

SolidShape as_solid_shape(Solid solid) { return {std::make_shared<Solid>(std::move(solid))}; }

// What geometry/ computes with. Those that are the same there are themselves.
template <class S>
S make_geometry(const S& shape, const PartPlace&) {
  return shape;
}
MeshShape make_geometry(const Convex& hull, const PartPlace& place) {
  return {std::make_shared<TriangleMesh>(
      make_convex_hull(hull.vertices, place.below("vertices").text()))};
}
MeshShape make_geometry(const Mesh& mesh, const PartPlace& place) {
  const PartPlace file = place.below("file");
  try {
    return {std::make_shared<TriangleMesh>(
        load_mesh(resolve_path(place.places.folder(), mesh.file), mesh.scale))};
  } catch (const FileError& error) {
    throw FileError(fmt::format("{}: {}", file.text(), error.what()));
  } catch (const InputError& error) {
    file.fail("", error.what());
  }
}
vesica::Edge make_geometry(const Edge& edge, const PartPlace&) {
  return {edge.normals[0].normalized(), edge.normals[1].normalized()};
}
SolidShape make_geometry(const Cylinder& c, const PartPlace&) {
  return as_solid_shape(make_solid({make_cylinder_cell(c.radius, c.length)}));
}
SolidShape make_geometry(const Cone& c, const PartPlace&) {
  return as_solid_shape(make_solid({make_cone_cell(0.5 * c.angle, c.height)}));
}
SolidShape make_geometry(const Capsule& c, const PartPlace&) {
  return as_solid_shape(make_capsule(c.radius, c.length));
}
SolidShape make_geometry(const CellSolid& solid, const PartPlace& place) {
  std::vector<Cell> cells;
  for (size_t k = 0; k < solid.cells.size(); ++k) {
    const PartPlace cell = place.below("cells").below(k);
    const auto made = make_cells(solid.cells[k], cell);
    cells.insert(cells.end(), made.begin(), made.end());
    if (cells.size() > kMaxCells) cell.fail("", fmt::format("more than {} cells", kMaxCells));
  }
  return as_solid_shape(make_solid(std::move(cells)));
}

}  // namespace
}  // namespace vesica::model

namespace vesica {

template <class P>
PlacedShape<P> make_shape(const model::BodyShape<P>& shape, const Places& places,
                          const std::string& path) {
  PlacedShape<P> placed;
  placed.at_origin = !shape.pose;
  if (shape.pose) placed.X_BS = shape.pose->pose();
  const PartPlace place{places, path};
  placed.shape = std::visit(
      [&](const auto& s) -> Shape<P> { return model::make_geometry(s, place); }, shape.shape);
  return placed;
}

#define VESICA_INSTANTIATE(P)          \
  template struct model::BodyShape<P>; \
  template PlacedShape<P> make_shape(const model::BodyShape<P>&, const Places&, const std::string&);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
