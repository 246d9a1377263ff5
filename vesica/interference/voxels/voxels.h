// What two solids share by counting voxels, the sources' way (Gonthier 4.5 and appendix A.3): the
// baseline that slices.h is held against, and what a published voxel run is repeated with.
//
// A lattice of cubes of the given edge lies along the axes of the smaller body and is fixed to it.
// The box where both bodies may be is halved along its sides, again and again, wherever a surface
// crosses it (an octree); boxes wholly inside both count with their exact moments, boxes wholly
// outside either are dropped. A voxel that is still crossed counts whole if its centre is inside
// both, and not at all otherwise. The thesis' library weighs such voxels with the part of them that
// is filled, by a rule that it does not give.
//
// Error: of the volume, with N crossed voxels of edge h, at most about N h^3/2; where surfaces lie
// at random against the lattice the voxels' errors mostly cancel and the error falls like h^2.
// Surfaces along the lattice's planes err all together, like h. Contacts less deep than a voxel are
// not seen or seen as a few voxels: forces come in steps of k h^3, hence the rule h = (df/k)^(1/3)
// for a force df that does not matter (Gonthier 4.5).
//
// What it cannot do: derivatives. The volume is a step function of the pose.
#pragma once

#include <cstdint>

#include "vesica/interference/slices/cell_pair.h"

namespace vesica {

// In the world frame; M about the centroid.
struct VoxelMoments {
  double volume = 0;
  Vec3d centroid = Vec3d::Zero();
  Symmetric3<double> M = Symmetric3<double>::zero();
  double error_estimate = 0;  // relative, of the volume: as if every crossed voxel erred by a half
  std::int64_t boxes = 0;     // of the octree, looked at
};

// More boxes than this, some half a second of them, are refused.
inline constexpr std::int64_t kMaxVoxelBoxes = 10'000'000;

// Throws InputError where neither solid has bounds, or there would be too many boxes.
VoxelMoments calc_voxel_moments(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                                const Pose<double>& X_WJ, double voxel_size);

// Of j's surface inside i: minus the change of the volume while i is shifted by a voxel to either
// side along each axis of the lattice. Six more counts.
Vec3d calc_voxel_area_vector(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                             const Pose<double>& X_WJ, double voxel_size);

// Normals as in cell_pair.h. Gap and depth are those of the exact shapes, but that the gap is
// positive where they overlap too little for a voxel, and so the volume is 0.
Overlap<double> calc_voxel_overlap(const SolidParts& i, const Pose<double>& X_WI,
                                   const SolidParts& j, const Pose<double>& X_WJ, double voxel_size,
                                   ContactNormal normal, Wanted wanted = {});

// Throws InputError: names the method and what to do.
void refuse_voxel_derivatives();

}  // namespace vesica
