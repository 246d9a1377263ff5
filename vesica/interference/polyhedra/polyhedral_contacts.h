// All contacts between two solids of convex polyhedra: boxes prune, clipping decides, every pair of
// cells that shares volume keeps its slot (cell_pairs.h).
#pragma once

#include <span>
#include <vector>

#include "vesica/geometry/polyhedral_solid.h"
#include "vesica/interference/polyhedra/polyhedra.h"
#include "vesica/interference/slices/cell_pairs.h"

namespace vesica {

class PolyhedralContacts {
 public:
  // Cost: the boxes on the way to the contacts, and a few microseconds for each pair of cells whose
  // boxes meet. Results come in the order of the cells, whatever the tree. Allocates nothing once
  // it has met as many contacts.
  void update(const PolyhedralSolid& i, const Pose<double>& X_WI, const PolyhedralSolid& j,
              const Pose<double>& X_WJ, PolyhedraNormal normal, bool with_derivatives);

  // alive()[k] has overlaps()[k].
  std::span<const TrackedPair> alive() const { return registry_.alive(); }
  std::span<const PolyhedraOverlap> overlaps() const { return overlaps_; }
  std::span<const TrackedPair> lost() const { return registry_.lost(); }
  std::size_t slot_count() const { return registry_.slot_count(); }
  // How many pairs of cells were clipped.
  std::size_t tried() const { return candidates_.size(); }

 private:
  std::vector<CellPair> candidates_, touching_;
  std::vector<PolyhedraOverlap> overlaps_;
  PairRegistry registry_;
};

}  // namespace vesica
