// The 18-dof lower-extremity model of Andersen et al. 2009 and motions of it with known truth.
//
// 9 segments (pelvis; thigh, shank, talus, foot on each side), 63 coordinates and 45 constraints a
// frame, 18 markers (their Table 1). The base geometry is ours, a generic adult (the source's, from
// a cadaver, is not printed). X forward, Y up, Z to the right. The segment frames sit at the
// proximal joint. One scale a segment, given as a length; talus and foot share the foot's.
#pragma once

#include <cstdint>

#include "vesica/markers/trial.h"

namespace vesica::markers {

// With `foot_axes` the ankle and subtalar axes are parameters too: 41 instead of 33.
Model make_lower_extremity(bool foot_axes);

// d of a subject: the model's start values changed by `size` of the usual differences between
// people (lengths by up to 10 %, axes by up to 10 deg, marker coordinates by up to 7 cm), from a
// seed.
Eigen::VectorXd make_subject(const Model& model, double size, std::uint64_t seed);

enum class MotionKind { kGait, kRangeOfMotion };

struct MarkerNoise {
  double white_sd = 0;        // m, a coordinate
  double soft_tissue_sd = 0;  // m, a coordinate, first-order autoregressive in time, in the segment
  double soft_tissue_time = 0.1;  // s, its correlation time
  double occluded_fraction = 0;   // of all marker frames, in gaps of about 20 frames
  std::vector<double> factor{};   // of the noise of each marker; empty: 1
};

struct SyntheticTrial {
  Trial trial;
  std::vector<SegmentPose> poses;  // the truth, frame * segments + segment
};
SyntheticTrial make_synthetic_trial(const Model& model, const Eigen::VectorXd& d, MotionKind kind,
                                    int frames, double rate, const MarkerNoise& noise,
                                    std::uint64_t seed);

}  // namespace vesica::markers
