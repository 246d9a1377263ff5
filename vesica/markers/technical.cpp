#include "vesica/markers/technical.h"

#include <fmt/format.h>

#include "vesica/error.h"
#include "vesica/motion/rigid_fit.h"

namespace vesica::markers {
namespace {

constexpr size_t kMaxFrames = 2000;  // that a shape is taken from

}  // namespace

void set_technical_frames(const std::vector<Trial>& trials, Model& model) {
  for (size_t s = 0; s < model.segments.size(); ++s) {
    if (model.segments[s].standing && !model.segments[s].calibrated) {
      throw InputError(fmt::format(
          "segment '{}' takes its frame and markers from a standing trial; give one with --neutral",
          model.segments[s].name));
    }
    if (!model.segments[s].technical) continue;
    const std::string& name = model.segments[s].name;
    std::vector<int> own;
    for (size_t m = 0; m < model.markers.size(); ++m) {
      if (model.markers[m].segment == static_cast<int>(s)) own.push_back(static_cast<int>(m));
    }
    if (own.size() < 3) {
      throw InputError(
          fmt::format("segment '{}' has a technical frame but {} markers; it needs "
                      "three or more",
                      name, own.size()));
    }
    std::vector<std::vector<Vec3d>> seen;
    for (const Trial& trial : trials) {
      for (int k = 0; k < trial.frame_count(); ++k) {
        const Frame f = trial.frame(k);
        std::vector<Vec3d> points;
        for (int m : own) {
          if (f.weights[m] > 0) points.push_back(f.positions[m]);
        }
        if (points.size() == own.size()) seen.push_back(std::move(points));
      }
    }
    if (seen.empty()) {
      throw InputError(
          fmt::format("segment '{}': no frame shows all of its {} markers, so that "
                      "their shape is unknown; leave out the marker that is missing",
                      name, own.size()));
    }
    const size_t stride = seen.size() / kMaxFrames + 1;
    std::vector<std::vector<Vec3d>> some;
    for (size_t k = 0; k < seen.size(); k += stride) some.push_back(seen[k]);
    const auto shape = find_mean_shape(some);
    if (!shape) {
      throw InputError(
          fmt::format("segment '{}': its markers lie on one line, so that its "
                      "orientation is unknown; add a marker off the line",
                      name));
    }
    for (size_t i = 0; i < own.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        model.markers[own[i]].position.coordinate[k] = Affine{(*shape)[i][k]};
      }
    }
  }
}

}  // namespace vesica::markers
