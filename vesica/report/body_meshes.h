// The bodies of a scene or of a probe case as triangles, to be looked at elsewhere.
#pragma once

#include <string>
#include <vector>

#include "vesica/contact/contact_input.h"
#include "vesica/geometry/surface_mesh.h"
#include "vesica/report/run_folder.h"

namespace vesica {

struct ShownBody {
  std::string name;
  bool is_fixed = false;
  Pose<double> X_WB;
  std::vector<PlacedShape<double>> shapes;
  // Filled by mesh_bodies.
  SurfaceMesh mesh;                // in the body's frame
  std::vector<std::string> notes;  // what of it has no mesh
};

// Bodies where they start: of a scene as it runs (joints, equilibrium and loops included), or of a
// case. Throws InputError where the file is neither.
std::vector<ShownBody> list_bodies(const InputFile& file);

// Moves them to where the run recorded them, in the row nearest to `time`, and returns that row's
// time. Throws InputError for a time outside the recording and for gaps in that row.
double move_to_recorded(const RunFolder& run, double time, std::vector<ShownBody>* bodies);

// Fills the meshes. Exact: boxes, convex solids, meshes, cells of planes. Spheres and ellipsoids
// have `cells` segments around, with their corners on the surface: they enclose less than the
// solid. Other cells are marched on a grid of `cells` cubes along the longest side of their solid
// (geometry/surface_mesh.h), with at least 16 along their own. Cells are meshed one by one: where
// they touch or overlap, both surfaces are there.
//
// A half-space becomes a square plate below its plane, half as large again as everything else.
// Points, edges and endless surfaces have no mesh.
void mesh_bodies(int cells, std::vector<ShownBody>* bodies);

}  // namespace vesica
