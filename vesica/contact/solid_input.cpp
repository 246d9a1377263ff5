#include "vesica/contact/solid_input.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "vesica/contact/contact_input.h"
#include "vesica/geometry/polyhedral_solid.h"

namespace vesica {
namespace {

constexpr int kMaxCells = 20000;  // of one solid

double read_half_angle(const InputNode& node) {
  const double angle = node.positive(dimension::kAngle);
  if (!(angle < kPi)) node.fail("the full angle at the apex, below pi");
  return 0.5 * angle;
}

// One primitive, or the several that make a box, a slab or a convex polyhedron.
std::vector<Primitive> read_primitive(const InputNode& node) {
  Pose<double> X;
  if (const auto pose = node.find("pose")) X = read_pose<double>(*pose);
  const auto complement = node.find("complement");
  const bool is_complement = complement && complement->flag();
  std::vector<Primitive> result;
  auto length = [&](const char* key) { return node.at(key).positive(dimension::kLength); };
  switch (node.at("type").choice({"half_space", "slab", "sphere", "ellipsoid", "cylinder", "cone",
                                  "paraboloid", "convex", "box"})) {
    case 0:
      node.allow({"type", "pose", "complement"});
      result = {make_half_space(X)};
      break;
    case 1:
      node.allow({"type", "pose", "thickness"});
      return moved(make_slab_cell(length("thickness")), X).primitives;
    case 2:
      node.allow({"type", "pose", "complement", "radius"});
      result = {make_sphere(length("radius"), X)};
      break;
    case 3: {
      node.allow({"type", "pose", "complement", "radii"});
      const Vec3d radii = node.at("radii").vector(dimension::kLength);
      if (!(radii.minCoeff() > 0)) node.at("radii").fail("radii are greater than zero");
      result = {make_ellipsoid(radii, X)};
      break;
    }
    case 4:
      node.allow({"type", "pose", "complement", "radius"});
      result = {make_cylinder(length("radius"), X)};
      break;
    case 5:
      node.allow({"type", "pose", "complement", "angle"});
      result = {make_cone(read_half_angle(node.at("angle")), X)};
      break;
    case 6:
      node.allow({"type", "pose", "complement", "vertex_radius"});
      result = {make_paraboloid(length("vertex_radius"), X)};
      break;
    case 7: {
      node.allow({"type", "pose", "vertices"});
      std::vector<Vec3d> vertices;
      const InputNode list = node.at("vertices");
      for (const InputNode& vertex : list.items()) {
        vertices.push_back(vertex.vector(dimension::kLength));
      }
      const Cell hull = make_polyhedron_cell(make_convex_polyhedron(vertices, list.place()));
      return moved(hull, X).primitives;
    }
    default: {
      node.allow({"type", "pose", "size"});
      const Vec3d size = node.at("size").vector(dimension::kLength);
      if (!(size.minCoeff() > 0)) node.at("size").fail("sizes are greater than zero");
      return moved(make_box_cell(size), X).primitives;
    }
  }
  if (is_complement) result[0] = make_complement(result[0]);
  return result;
}

// Images at a plane through the origin: of all cells so far.
void add_images(const InputNode& normal, std::vector<Cell>* cells) {
  const Vec3d n = normal.vector(dimension::kNumber);
  if (n.norm() == 0) normal.fail("the normal of a mirror cannot be zero");
  const size_t count = cells->size();
  for (size_t k = 0; k < count; ++k) cells->push_back(mirrored((*cells)[k], n.normalized()));
}

// Copies, each shifted by `step` and turned by `angle` about an axis through the origin against the
// one before: of all cells so far.
void add_copies(const InputNode& node, std::vector<Cell>* cells) {
  node.allow({"count", "step", "axis", "angle"});
  const int count = node.at("count").integer(1, kMaxCells);
  Pose<double> step;
  if (const auto shift = node.find("step")) step.p_WB = shift->vector(dimension::kLength);
  const auto angle = node.find("angle");
  if (angle) {
    const InputNode axis = node.at("axis");
    const Vec3d e = axis.vector(dimension::kNumber);
    if (e.norm() == 0) axis.fail("an axis cannot be zero");
    step.R_WB = Eigen::AngleAxisd(angle->number(dimension::kAngle), e.normalized()).matrix();
  } else if (const auto axis = node.find("axis")) {
    axis->fail("goes with 'angle'");
  } else {
    node.at("step");
  }
  const size_t first = cells->size();
  if (first * static_cast<size_t>(count) > kMaxCells) {
    node.fail(fmt::format("makes more than {} cells", kMaxCells));
  }
  Pose<double> X;
  for (int k = 1; k < count; ++k) {
    X = {step.R_WB * X.R_WB, step.R_WB * X.p_WB + step.p_WB};
    for (size_t c = 0; c < first; ++c) cells->push_back(moved((*cells)[c], X));
  }
}

// One, or a list of them.
template <class Add>
void for_each_of(const InputNode& node, bool is_one, const Add& add) {
  if (is_one) {
    add(node);
  } else {
    for (const InputNode& item : node.items()) add(item);
  }
}

// A cell with its mirror images and its copies.
void read_cell(const InputNode& node, std::vector<Cell>* cells) {
  node.allow({"intersect", "pose", "mirror", "repeat"});
  std::vector<Primitive> primitives;
  for (const InputNode& item : node.at("intersect").items()) {
    const auto more = read_primitive(item);
    primitives.insert(primitives.end(), more.begin(), more.end());
  }
  if (primitives.empty()) node.at("intersect").fail("a cell is the intersection of primitives");
  Cell cell = make_cell(std::move(primitives));
  if (cell.bounds.is_empty()) node.fail("this cell is empty: its primitives do not meet");
  if (!cell.bounds.is_finite()) {
    node.fail("this cell has no bounds that can be seen from its primitives; add a box around it");
  }
  if (const auto pose = node.find("pose")) cell = moved(cell, read_pose<double>(*pose));
  std::vector<Cell> made = {cell};
  if (const auto mirror = node.find("mirror")) {
    for_each_of(*mirror, mirror->size() > 0 && mirror->at(size_t{0}).is_scalar(),
                [&](const InputNode& normal) { add_images(normal, &made); });
  }
  if (const auto repeat = node.find("repeat")) {
    for_each_of(*repeat, repeat->is_map(),
                [&](const InputNode& copies) { add_copies(copies, &made); });
  }
  cells->insert(cells->end(), made.begin(), made.end());
  if (cells->size() > kMaxCells) node.fail(fmt::format("more than {} cells", kMaxCells));
}

}  // namespace

Solid read_solid(const InputNode& node) {
  auto length = [&](const char* key) { return node.at(key).positive(dimension::kLength); };
  const std::string type = node.at("type").text();
  if (type == "cylinder") {
    node.allow({"type", "pose", "radius", "length"});
    return make_solid({make_cylinder_cell(length("radius"), length("length"))});
  }
  if (type == "cone") {
    node.allow({"type", "pose", "angle", "height"});
    return make_solid({make_cone_cell(read_half_angle(node.at("angle")), length("height"))});
  }
  if (type == "capsule") {
    node.allow({"type", "pose", "radius", "length"});
    return make_capsule(length("radius"), length("length"));
  }
  node.allow({"type", "pose", "cells"});
  std::vector<Cell> cells;
  for (const InputNode& cell : node.at("cells").items()) read_cell(cell, &cells);
  if (cells.empty()) node.at("cells").fail("a solid has at least one cell");
  return make_solid(std::move(cells));
}

}  // namespace vesica
