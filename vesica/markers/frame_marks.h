// Frames whose poses are not to be relied on, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vesica/markers/branches.h"
#include "vesica/markers/letting_go.h"

namespace vesica::markers {

enum class MarkReason {
  kNone,
  kLoose,    // the markers seen leave a segment's orientation open, or nearly so
  kTwoWays,  // another pose fits as well, and the frames beside do not decide
  kPulled    // markers far off pull at the poses: the loss is not one that lets go of them
};
const char* name_of(MarkReason reason);

struct FrameMarks {
  std::vector<MarkReason> reason;  // of each frame
  std::vector<int> segment;        // that is known worst, or whose marker pulls
  // rad, pi at most: its standard deviation, how far the other pose is away, or how far it would
  // turn if the loss let go of wild markers (0 where that is not known)
  std::vector<double> turn;
  std::vector<int> marker;              // that pulls most, -1 where none does
  std::vector<double> off;              // m, how far that one is off
  std::vector<std::vector<int>> open;   // segments that nothing holds, of each frame
  double sigma = 0;                     // m, noise of a marker coordinate that this is for
  double usual_turn = 0;                // rad, the median frame's largest standard deviation
  std::vector<double> usual_turns;      // rad, each segment's median standard deviation
  std::optional<LettingGo> letting_go;  // where wild markers pull
};

// Loose: three standard deviations of a segment's orientation are more than 5 deg, and more than
// half above what is usual for that segment in the recording. Two ways: another path costs less
// than 12 more, a likelihood ratio of 400. Pulled: a marker beyond 3 cm and five standard
// deviations whose residual still counts, or a segment whose turn when the loss lets go of such
// markers (letting_go.h), with three standard deviations of what it has without them, is beyond
// the same bounds.
// Open: a standard deviation of more than 30 deg; the others of the frame are then loose because of
// it, or not at all.
// `known`: what inspect_branches would find, where that is known already.
FrameMarks mark_frames(AllFrames& frames, const Eigen::VectorXd& d,
                       const Branches* known = nullptr);

// Stretches of frames marked alike, of one trial.
struct MarkedStretch {
  int trial = 0, first_frame = 0, last_frame = 0;  // zero-based, in the trial
  MarkReason reason = MarkReason::kNone;
  int segment = 0;
  double turn = 0;  // rad, largest
  int marker = -1;  // that pulls most
  double off = 0;   // m, how far it is off
};
std::vector<MarkedStretch> list_marked(const FrameMarks& marks, const AllFrames& frames);

}  // namespace vesica::markers
