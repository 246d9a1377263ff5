// Contacts of the feet from the events of a walk.
#pragma once

#include <array>
#include <set>
#include <vector>

#include "vesica/forces/walk.h"

namespace vesica::forces {

// Events of each foot, from `MarkerEvents`, with the feet as they are, not as they are labelled.
struct FootEvents {
  std::vector<double> strikes, offs;
  std::set<double> doubtful;
};

// Into `walk->contacts`; its times are known. Whole contacts, then those of which the recording
// shows one end, or none: a walk has a foot on the floor at any time.
void find_walk_contacts(const std::array<FootEvents, 2>& events, Walk* walk);

// Time from a foot's strike or off to its next one; 0 where no foot has two.
double find_stride(const std::vector<GaitEvent>& events);

}  // namespace vesica::forces
