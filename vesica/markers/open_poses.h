// Segments that no marker holds for a while: their poses between the frames beside.
//
// What the fit leaves open it leaves where its steps happened to stop, which may be turned by any
// amount. Here the segment is put, relative to its parent (a free one: in the laboratory), between
// the last frame before the stretch and the first one after it in which markers hold it, at the
// ends of a recording like the frame beside (where one turn alone is open, only turned, until it is
// nearest to that place); then the frame is solved again, with the markers that
// the segment lacks expected there at a thousandth of the usual weight, so that what the markers
// seen do hold stays as it was.
#pragma once

#include "vesica/markers/frame_marks.h"

namespace vesica::markers {

// Moves poses only; the constants and the marks stay. Trees; does nothing to models with loops.
void fill_open_poses(AllFrames& frames, const Eigen::VectorXd& d, const FrameMarks& marks);

}  // namespace vesica::markers
