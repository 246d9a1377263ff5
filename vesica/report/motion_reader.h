// Where the bodies of a run were, read back from its recording.
#pragma once

#include <vector>

#include "vesica/report/run_folder.h"
#include "vesica/simulation/scene.h"

namespace vesica {

// Motion of every body at a row: recorded for free bodies, by their function for the others.
class MotionReader {
 public:
  MotionReader(const RunFolder& run, const Scene<double>& scene) : run_(run), scene_(scene) {
    for (const auto& body : scene.bodies) {
      auto& columns = columns_.emplace_back();
      if (!body.is_free) continue;
      for (const char* name : {".position.x", ".position.y", ".position.z", ".quaternion.w",
                               ".quaternion.x", ".quaternion.y", ".quaternion.z", ".velocity.x",
                               ".velocity.y", ".velocity.z", ".spin.x", ".spin.y", ".spin.z"}) {
        columns.push_back(run.column(body.name + name));
      }
    }
  }
  Motion<double> at(size_t body, size_t row) const {
    const auto& c = columns_[body];
    if (c.empty()) return scene_.bodies[body].prescribed.at(run_.recording.times[row]);
    auto vector = [&](int k) { return Vec3d(c[k][row], c[k + 1][row], c[k + 2][row]); };
    Motion<double> m;
    m.X_WB = make_pose(Quaternion<double>{c[3][row], c[4][row], c[5][row], c[6][row]}, vector(0));
    m.V_WB.v_WB = vector(7);
    m.V_WB.w_WB = vector(10);
    return m;
  }
  const std::vector<std::vector<double>>& columns(size_t body) const { return columns_[body]; }

 private:
  const RunFolder& run_;
  const Scene<double>& scene_;
  std::vector<std::vector<std::vector<double>>> columns_;  // per body, as named above
};

}  // namespace vesica
