// Volume, mass centre and inertia of a body whose shapes are filled with one density.
#pragma once

#include <string>
#include <vector>

#include "vesica/model/shapes.h"

namespace vesica {

template <class P>
struct UniformMass {
  P volume{0.0};
  Vec3<P> center = Vec3<P>::Zero();  // in the body's frame
  Mat3<P> I = Mat3<P>::Zero();       // about the centre, body axes, of 1 kg/m^3 [m^5]
};

// Exact for spheres, ellipsoids, boxes, tori, meshes and convex solids; by slices to rounding for
// solids of cells. Derivatives by the sizes of the first four. Points add nothing. Throws
// InputError at `place` (of the shapes), with the remedy, for a shape that has no end, where no
// shape has a volume, and where two shapes overlap: what they share would count twice.
template <class P>
UniformMass<P> calc_uniform_mass(const std::vector<PlacedShape<P>>& shapes, const PartPlace& place,
                                 const std::string& remedy = "give the body 'inertia'");

}  // namespace vesica
