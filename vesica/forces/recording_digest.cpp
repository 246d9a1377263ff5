#include "vesica/forces/recording_digest.h"

#include <fmt/format.h>

#include "vesica/forces/body.h"
#include "vesica/io/sha256.h"

namespace vesica::forces {

std::string calc_recording_digest(const MarkerTracks& markers) {
  std::string text = fmt::format("{}", markers.frames());
  for (const char* role : {"R.ASIS", "L.ASIS", "R.Heel", "L.Heel"}) {
    const int index = find_role(markers, role);
    if (index < 0) continue;
    Vec3d sum = Vec3d::Zero();
    double count = 0;
    for (const Vec3d& p : markers.track(static_cast<size_t>(index))) {
      if (!p.allFinite()) continue;
      sum += p;
      count += 1;
    }
    for (int a = 0; a < 3 && count > 0; ++a) text += fmt::format(" {:.4f}", sum[a] / count);
  }
  return calc_sha256(text).substr(0, 16);
}

}  // namespace vesica::forces
