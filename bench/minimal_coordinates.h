// Marker fits as users of Ceres set them up: minimal coordinates (18 joint coordinates a frame), 41
// parameters shared by all frames, Jacobians written out.
#pragma once

#include <vector>

#include "vesica/markers/all_frames.h"
#include "vesica/markers/model.h"

namespace ceres {
class CostFunction;
}

namespace vesica::bench {

constexpr int kFrameResiduals = 54, kFrameCoordinates = 18, kFrameParameters = 41;

// Residuals of one frame: markers of the model less those seen [m]. The model must outlive it.
ceres::CostFunction* make_frame_cost(const markers::Model& model, const markers::Frame& frame);

// The largest difference of its Jacobians from those of Ceres' automatic differentiation.
double compare_with_automatic(const markers::Model& model, const markers::Frame& frame,
                              const std::vector<double>& q, const std::vector<double>& d);

}  // namespace vesica::bench
