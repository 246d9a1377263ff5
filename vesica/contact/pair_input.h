// Which method two shapes meet by: what a file asks for, else the cheapest that is exact.
#pragma once

#include <memory>
#include <string>

#include "vesica/contact/normal_force.h"
#include "vesica/interference/pair.h"
#include "vesica/io/yaml.h"

namespace vesica {

struct PairChoices {
  std::string method = "auto";
  double tolerance = 1e-8;  // relative, of the volume
  double voxel_size = 0;    // of the method voxels
  ContactNormal normal = ContactNormal::kAreaVector;
  EllipsoidInertia inertia = EllipsoidInertia::kExact;
  Measure measure = Measure::kVolume;  // of the normal law
};

// A shape with the forms that methods work on, made when first asked for and shared from then on.
template <class T>
class ShapeForms {
 public:
  explicit ShapeForms(const Shape<T>& shape) : shape_(shape) {}

  const Shape<T>& shape() const { return shape_; }
  // Null where the shape is no convex polyhedron. `node`: for messages.
  const std::shared_ptr<const ConvexPolyhedron>& polyhedron(const InputNode& node);
  // As cells; null where it has no volume of its own.
  const std::shared_ptr<const SolidParts>& solid(const InputNode& node);
  // Largest extent of the cells, infinite where endless; after solid().
  double size() const { return size_; }

 private:
  Shape<T> shape_;
  std::shared_ptr<const ConvexPolyhedron> polyhedron_;
  std::shared_ptr<const SolidParts> solid_;
  bool has_polyhedron_ = false, has_solid_ = false;
  double size_ = 0;
};

// At a point for laws of the depth, unless a method is asked for.
template <class T>
ShapePair<T> choose_pair(const InputNode& node, ShapeForms<T>* i, ShapeForms<T>* j,
                         const PairChoices& choices);

// How the pair's overlap is computed: closed_form, polyhedra, mesh, slices, voxels or point.
template <class T>
std::string method_name(const ShapePair<T>& pair);

}  // namespace vesica
