// Trunk, head and arms of a walk, where markers show them: what they add to the total ground force.
//
// Mass as a fraction of the body's, and centres of mass, of de Leva 1996 (male columns, as those of
// the legs in walk.h: together they are 1). The trunk, pelvis included, is a rod from the middle of
// the hips to the top of the trunk; a head or an arm that is not seen whole rides on that top.
#pragma once

#include "vesica/forces/walk.h"

namespace vesica::forces {

// At the walk's frames; its legs and pelvis are known. Markers that have gaps longer than 0.1 s
// there are not used, and the walk's notes say so.
UpperBody find_upper_body(const MarkerTracks& markers, Walk* walk);

}  // namespace vesica::forces
