// What a motion-capture system saw: markers over time, matched to a model's markers.
#pragma once

#include <string>
#include <vector>

#include "vesica/markers/frame.h"

namespace vesica::markers {

struct Trial {
  std::string name;
  double rate = 100;  // Hz
  double start_time = 0;
  std::vector<double> times;  // s, of each frame; empty: even ones, from start_time on
  int marker_count = 0;       // of the model
  // frame * marker_count + marker, in the model's order. Weight 0: not seen.
  std::vector<Vec3d> positions;
  std::vector<double> weights;

  int frame_count() const {
    return marker_count == 0 ? 0 : static_cast<int>(positions.size()) / marker_count;
  }
  double time_of(int k) const { return times.empty() ? start_time + k / rate : times[k]; }
  Frame frame(int k) const {
    const size_t offset = static_cast<size_t>(k) * marker_count;
    return {positions.data() + offset, weights.data() + offset};
  }
};

// Weights near gaps rise smoothly from 0 to their value over `ramp` frames (a half cosine), so that
// the poses do not jump where a marker comes back (Andersen et al. 2007). Model weights multiply.
void set_weights(const Model& model, int ramp, Trial& trial);

// A copy with every `stride`-th frame.
Trial thin_trial(const Trial& trial, int stride, int first = 0);

}  // namespace vesica::markers
