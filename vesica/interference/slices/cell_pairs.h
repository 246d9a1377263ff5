// Pairs of cells that keep their identity while they touch: each has a slot, a place in whatever
// arrays hold its contact states, from the step in which it appears to the one in which it is gone.
#pragma once

#include <span>
#include <vector>

#include "vesica/geometry/box_tree.h"

namespace vesica {

struct TrackedPair {
  CellPair cells;
  std::int32_t slot = -1;
  bool is_new = false;
};

class PairRegistry {
 public:
  // The pairs that are there now, in ascending order without repetition. What was there before and
  // is there now keeps its slot; what is gone frees it, for use from the next update on, so that
  // a lost pair's states can still be read. Allocates nothing once it has met as many pairs.
  void update(std::span<const CellPair> now);

  std::span<const TrackedPair> alive() const { return alive_; }  // ascending
  std::span<const TrackedPair> lost() const { return lost_; }    // ascending; by the last update
  // All slots are below this: the size of arrays over them.
  std::size_t slot_count() const { return slot_count_; }

 private:
  std::int32_t take_slot();

  std::vector<TrackedPair> alive_, before_, lost_;
  std::vector<std::int32_t> free_;
  std::size_t slot_count_ = 0;
};

}  // namespace vesica
