#include "vesica/forces/recording_digest.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "vesica/forces/body.h"
#include "vesica/io/sha256.h"

namespace vesica::forces {

std::string calc_recording_digest(const MarkerTracks& markers) {
  std::string text = fmt::format("{}", markers.frames());
  for (const auto& [one, other] :
       {std::pair{"R.ASIS", "L.ASIS"}, std::pair{"R.Heel", "L.Heel"}, std::pair{"R.ASIS", "R.Heel"},
        std::pair{"L.ASIS", "L.Heel"}, std::pair{"R.ASIS", "L.Heel"}}) {
    const int i = find_role(markers, one), j = find_role(markers, other);
    double sum = 0, count = 0;
    for (size_t k = 0; k < markers.frames() && i >= 0 && j >= 0; ++k) {
      const double distance =
          (markers.at(k, static_cast<size_t>(i)) - markers.at(k, static_cast<size_t>(j))).norm();
      if (!std::isfinite(distance)) continue;
      sum += distance;
      count += 1;
    }
    text += count > 0 ? fmt::format(" {:.4f}", sum / count) : " none";
  }
  return calc_sha256(text).substr(0, 16);
}

}  // namespace vesica::forces
