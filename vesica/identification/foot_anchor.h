// The height of a stance from its motion alone.
//
// Cameras, floor and skin put a whole stance up or down by a millimetre, which is 80 N. While the
// foot is flat, from two to five tenths of the stance, heel and ball stand at heights that are much
// the same in every stance: a stance is moved so that they stand where they stood on average in the
// stances that calibrate. No force is used but to know when the stance begins and ends, which its
// plate says, as for every phase here; what is lost is how much deeper a heavier step sinks in.
#pragma once

#include "vesica/identification/foot_fit.h"

namespace vesica {

class FootAnchor {
 public:
  FootAnchor() = default;  // moves nothing
  explicit FootAnchor(const std::vector<FootStance>& stances);
  FootStance apply(FootStance stance) const;

 private:
  bool moves_ = false;
  double height_ = 0;
};

}  // namespace vesica
