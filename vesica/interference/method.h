// Which method two shapes meet by: what is asked for, else the cheapest that is exact. What each
// method takes, costs and gives stands in the rows of the pairs (pair.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vesica/error.h"
#include "vesica/interference/pair.h"

namespace vesica {

struct PairChoices {
  std::string method = "auto";  // or a name of kMethodNames
  double tolerance = 1e-8;      // relative, of the volume
  double voxel_size = 0;        // of the method voxels
  ContactNormal normal = ContactNormal::kAreaVector;
  EllipsoidInertia inertia = EllipsoidInertia::kExact;
  bool by_depth = false;  // the normal law measures the depth, and is content with a point
};

// Two shapes that cannot meet, or not so. `key` is what to blame in the description of the contact,
// dots between the levels ("interference.method", "interference.voxel_size", "normal.law"); empty
// where it is the pair itself.
struct MethodError : InputError {
  MethodError(std::string key_to_blame, const std::string& message)
      : InputError(message), key(std::move(key_to_blame)) {}
  std::string key;
};

// A shape with the forms that methods work on, made when first asked for and shared from then on.
// Both throw MethodError.
template <class T>
class ShapeForms {
 public:
  explicit ShapeForms(const Shape<T>& shape) : shape_(shape) {}

  const Shape<T>& shape() const { return shape_; }
  // Null where the shape is no convex polyhedron.
  const std::shared_ptr<const ConvexPolyhedron>& polyhedron();
  // As cells; null where it has no volume of its own.
  const std::shared_ptr<const SolidParts>& solid();
  // Largest extent of the cells, infinite where endless; after solid().
  double size() const { return size_; }

 private:
  Shape<T> shape_;
  std::shared_ptr<const ConvexPolyhedron> polyhedron_;
  std::shared_ptr<const SolidParts> solid_;
  bool has_polyhedron_ = false, has_solid_ = false;
  double size_ = 0;
};

// At a point for laws of the depth, unless a method is asked for. Throws MethodError.
template <class T>
ShapePair<T> choose_pair(ShapeForms<T>* i, ShapeForms<T>* j, const PairChoices& choices);

// How the pair's overlap is computed: a name of kMethodNames.
template <class P>
std::string method_name(const ShapePair<P>& pair) {
  return std::string(name_of(row_of(pair).method));
}

// The rows of all pairs.
const std::vector<MethodRow>& list_method_rows();

}  // namespace vesica
