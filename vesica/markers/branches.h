// Which of several poses that fit alike a frame has: chosen over the whole recording.
//
// A frame with few markers has several minima (a knee that bends forwards or backwards, a segment
// without markers that is turned around), and noise decides which one is the lowest. So is a frame
// with a wild marker under a robust loss, where any marker may be taken for the wild one. Frames
// beside it know better. Candidates of a suspect frame are the minima that are reached from the
// poses before it and after it, and from its own pose moved both ways along the motion that changes
// its markers least; of all paths through them the one is taken with the least
//
//     sum over frames of  sum_m w min(|Psi_m|^2 / sigma^2, 25)
//   + sum over neighbours of  sum_s (max(0, angle_s - usual_s) / 3 deg)^2
//
// by dynamic programming. Markers count at most like one of five standard deviations, whatever the
// model's loss; sigma and the usual angles come from the recording.
#pragma once

#include "vesica/markers/all_frames.h"

namespace vesica::markers {

struct Branches {
  long moved = 0;    // frames that have another pose now
  double sigma = 0;  // m, of a marker coordinate, from the middle of the residuals
  // Of each frame: how much more the best path costs that goes through another of its poses, one
  // that is turned by more than 5 deg; infinite where none is known. Twice a log-likelihood.
  std::vector<double> margin;
  std::vector<double> apart;  // rad, how far that pose is turned; 0 where there is none
  std::vector<int> segment;   // that it turns most
};
Branches choose_branches(AllFrames& frames, const Eigen::VectorXd& d);
// The same without moving anything.
Branches inspect_branches(AllFrames& frames, const Eigen::VectorXd& d);

}  // namespace vesica::markers
