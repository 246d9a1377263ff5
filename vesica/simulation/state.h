// What a run is at an instant: time, coordinates, and what its contacts remember. It can be copied,
// compared, saved and restored; whatever else the equations compute follows from it (Evaluation in
// system.h).
#pragma once

#include <vector>

#include "vesica/contact/damping.h"

namespace vesica {

// What one slot remembers (system.h: a slot holds one contact, or one pair of parts of it).
template <class T>
struct SlotMemory {
  ContactMemory<T> contact;
  int pair = -1;  // of parts: PartPairs::pairs; -1: none. Unused where a contact has no parts
  bool touching = false;  // as of the last time that contacts were seen to begin and to end

  bool operator==(const SlotMemory&) const = default;
};
template <class T>
using Memory = std::vector<SlotMemory<T>>;

template <class T>
struct State {
  double t = 0;
  std::vector<T> y;  // laid out by StateLayout
  Memory<T> memory;  // per slot

  bool operator==(const State&) const = default;
};

// The same in another scalar, into memory that is there already: no allocation.
template <class S, class T>
void copy_memory(const Memory<S>& from, Memory<T>* to) {
  to->resize(from.size());
  for (size_t k = 0; k < from.size(); ++k) {
    (*to)[k] = {{T(from[k].contact.impact_speed), from[k].contact.captured},
                from[k].pair,
                from[k].touching};
  }
}

}  // namespace vesica
