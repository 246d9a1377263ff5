// Segments whose frame is that of their marker cluster, with no anatomy: positions of their markers
// come from the recording.
#pragma once

#include "vesica/markers/trial.h"

namespace vesica::markers {

// For every technical segment: the mean shape of its markers over all frames in which all of them
// were seen (generalised Procrustes, in place), origin at its centroid, axes those of the world in
// the first such frame. Throws InputError where a segment has fewer than three markers, no such
// frame, or markers on a line.
void set_technical_frames(const std::vector<Trial>& trials, Model& model);

}  // namespace vesica::markers
