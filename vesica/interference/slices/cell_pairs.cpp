#include "vesica/interference/slices/cell_pairs.h"

namespace vesica {

std::int32_t PairRegistry::take_slot() {
  if (free_.empty()) return static_cast<std::int32_t>(slot_count_++);
  const std::int32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

// Two ascending lists, merged.
void PairRegistry::update(std::span<const CellPair> now) {
  // In descending order, so that the lowest are taken first.
  for (std::size_t k = lost_.size(); k-- > 0;) free_.push_back(lost_[k].slot);
  lost_.clear();
  before_.swap(alive_);
  alive_.clear();
  std::size_t k = 0;
  for (const CellPair& cells : now) {
    while (k < before_.size() && before_[k].cells < cells) lost_.push_back(before_[k++]);
    if (k < before_.size() && before_[k].cells == cells) {
      alive_.push_back({cells, before_[k++].slot, false});
    } else {
      alive_.push_back({cells, take_slot(), true});
    }
  }
  while (k < before_.size()) lost_.push_back(before_[k++]);
}

}  // namespace vesica
