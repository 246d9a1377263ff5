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
  // rad: its standard deviation, how far the other pose is away, or how far it would turn if the
  // loss let go of wild markers
  std::vector<double> turn;
  double sigma = 0;                     // m, noise of a marker coordinate that this is for
  double usual_turn = 0;                // rad, the median frame's largest standard deviation
  std::vector<double> usual_turns;      // rad, each segment's median standard deviation
  std::optional<LettingGo> letting_go;  // where wild markers pull
};

// Loose: three standard deviations of a segment's orientation are more than 5 deg, and more than
// half above what is usual for that segment in the recording. Two ways: another path costs less
// than 12 more, a likelihood ratio of 400. Pulled: a marker beyond 3 cm and five standard
// deviations whose residual still counts, or poses that turn by more than 3 deg when the loss lets
// go of such markers (letting_go.h).
// `known`: what inspect_branches would find, where that is known already.
FrameMarks mark_frames(AllFrames& frames, const Eigen::VectorXd& d,
                       const Branches* known = nullptr);

// Stretches of frames marked alike, of one trial.
struct MarkedStretch {
  int trial = 0, first_frame = 0, last_frame = 0;  // zero-based, in the trial
  MarkReason reason = MarkReason::kNone;
  int segment = 0;
  double turn = 0;  // rad, largest
};
std::vector<MarkedStretch> list_marked(const FrameMarks& marks, const AllFrames& frames);

}  // namespace vesica::markers
