#include "vesica/interference/polyhedra/polyhedral_contacts.h"

namespace vesica {

void PolyhedralContacts::update(const PolyhedralSolid& i, const Pose<double>& X_WI,
                                const PolyhedralSolid& j, const Pose<double>& X_WJ,
                                PolyhedraNormal normal, bool with_derivatives) {
  find_box_pairs(i.tree(), X_WI, j.tree(), X_WJ, 0, &candidates_);
  touching_.clear();
  overlaps_.clear();
  for (const CellPair& pair : candidates_) {
    PolyhedraOverlap result;
    if (!find_polyhedra_overlap(i.cells()[pair.i], X_WI, j.cells()[pair.j], X_WJ, normal,
                                with_derivatives, &result)) {
      continue;
    }
    touching_.push_back(pair);
    overlaps_.push_back(result);
  }
  registry_.update(touching_);
}

}  // namespace vesica
