#include "vesica/model/uniform_mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "vesica/interference/method.h"
#include "vesica/interference/slices/solid_moments.h"

namespace vesica {
namespace {

// About its centre, shape's axes.
template <class P>
UniformMass<P> calc_mass_of(const Shape<P>& shape, const PartPlace& place,
                            const std::string& remedy) {
  UniformMass<P> mass;
  const bool is_done = std::visit(
      [&](const auto& s) {
        if constexpr (requires { s.unit_inertia(); }) {
          mass.volume = s.volume();
          mass.I = (s.unit_inertia() * mass.volume).asDiagonal();
          return true;
        } else {
          return false;
        }
      },
      shape);
  if (is_done) return mass;
  const auto* mesh = std::get_if<MeshShape>(&shape);
  const auto* solid = std::get_if<SolidShape>(&shape);
  if (!mesh && !(solid && solid->solid->bounds.is_finite())) {
    place.fail("", "has no volume to compute an inertia from, for it has no end; " + remedy);
  }
  const TriangleMesh::Solid moments =
      mesh ? mesh->mesh->solid() : calc_solid_moments(*solid->solid);
  mass.volume = P(moments.volume);
  mass.center = moments.centroid.template cast<P>();
  mass.I = inertia_of(moments.M).matrix().template cast<P>();
  return mass;
}

// m (r^2 1 - r r^T).
template <class P>
Mat3<P> calc_point_inertia(const P& mass, const Vec3<P>& r) {
  Mat3<P> I = -(r * r.transpose()) * mass;
  const P square = r.squaredNorm() * mass;
  for (int k = 0; k < 3; ++k) I(k, k) += square;
  return I;
}

bool is_point(const Shape<double>& shape) { return std::holds_alternative<Point>(shape); }

void check_apart(const std::vector<PlacedShape<double>>& shapes, const PartPlace& place,
                 const std::string& remedy) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (is_point(shapes[i].shape)) continue;
    const Pose<double>& X_i = shapes[i].X_BS;
    const Bounds box_i = calc_bounds(shapes[i].shape).moved(X_i);
    for (size_t j = i + 1; j < shapes.size(); ++j) {
      if (is_point(shapes[j].shape)) continue;
      const Pose<double>& X_j = shapes[j].X_BS;
      const Bounds box_j = calc_bounds(shapes[j].shape).moved(X_j);
      if ((box_i.min.array() >= box_j.max.array()).any() ||
          (box_j.min.array() >= box_i.max.array()).any()) {
        continue;
      }
      double shared = 0;
      try {
        ShapeForms<double> form_i(shapes[i].shape), form_j(shapes[j].shape);
        shared = calc_overlap(choose_pair(&form_i, &form_j, {}), X_i, X_j).volume;
      } catch (const InputError&) {  // what it advises is of contacts
        place.fail("", fmt::format("whether shapes {} and {} overlap cannot be told, and what they "
                                   "share would count twice: {}",
                                   i, j, remedy));
      }
      // Rounding at faces that touch is no overlap.
      const double room = 8 * std::min(box_i.half().prod(), box_j.half().prod());
      if (shared > 1e-9 * room) {
        place.fail("", fmt::format("shapes {} and {} overlap by {:.3g} m^3, which would count "
                                   "twice: {}",
                                   i, j, shared, remedy));
      }
    }
  }
}

}  // namespace

template <class P>
UniformMass<P> calc_uniform_mass(const std::vector<PlacedShape<P>>& shapes, const PartPlace& place,
                                 const std::string& remedy) {
  std::vector<UniformMass<P>> parts;
  UniformMass<P> whole;
  for (size_t k = 0; k < shapes.size(); ++k) {
    if (std::holds_alternative<Point>(shapes[k].shape)) continue;
    UniformMass<P> part =
        calc_mass_of<P>(shapes[k].shape, shapes.size() > 1 ? place.below(k) : place, remedy);
    const Pose<P>& X = shapes[k].X_BS;
    part.center = X * part.center;
    part.I = X.R_WB * part.I * X.R_WB.transpose();
    whole.volume += part.volume;
    whole.center += part.center * part.volume;
    parts.push_back(part);
  }
  if (parts.empty()) place.fail("", "has no volume; " + remedy);
  // A model on dual numbers is made of a plain one, which has been through this.
  if constexpr (std::is_same_v<P, double>) check_apart(shapes, place, remedy);
  whole.center /= whole.volume;
  for (const UniformMass<P>& part : parts) {
    whole.I += part.I + calc_point_inertia<P>(part.volume, part.center - whole.center);
  }
  return whole;
}

#define VESICA_INSTANTIATE(P)                                                                     \
  template UniformMass<P> calc_uniform_mass(const std::vector<PlacedShape<P>>&, const PartPlace&, \
                                            const std::string&);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
