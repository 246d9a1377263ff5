#include "vesica/motion/segment_pose.h"

#include <fmt/format.h>

#include <algorithm>

#include "vesica/error.h"

namespace vesica {

std::vector<Vec3d> calc_cluster_shape(const MarkerTracks& tracks, std::span<const int> markers) {
  std::vector<std::vector<Vec3d>> complete;
  for (size_t k = 0; k < tracks.frames(); ++k) {
    const bool all = std::all_of(markers.begin(), markers.end(),
                                 [&](int i) { return tracks.has(k, static_cast<size_t>(i)); });
    if (!all) continue;
    std::vector<Vec3d>& points = complete.emplace_back();
    for (const int i : markers) points.push_back(tracks.at(k, static_cast<size_t>(i)));
  }
  if (markers.size() < 3 || complete.empty()) {
    throw InputError(fmt::format(
        "marker cluster: {} markers, {} frames in which all of them are seen; a cluster "
        "needs three markers seen at once",
        markers.size(), complete.size()));
  }
  const auto shape = find_mean_shape(complete);
  if (!shape) {
    throw InputError("marker cluster: its markers lie on a line; they fix no rotation about it");
  }
  return *shape;
}

std::vector<RigidFit> fit_segment(const MarkerTracks& tracks, std::span<const int> markers,
                                  std::span<const Vec3d> points_B,
                                  std::span<const double> weights) {
  std::vector<RigidFit> fits;
  fits.reserve(tracks.frames());
  std::vector<Vec3d> measured(markers.size());
  for (size_t k = 0; k < tracks.frames(); ++k) {
    for (size_t i = 0; i < markers.size(); ++i) {
      measured[i] = tracks.at(k, static_cast<size_t>(markers[i]));
    }
    fits.push_back(fit_rigid(points_B, measured, weights));
  }
  return fits;
}

RelativeMotion calc_relative_motion(const MarkerTracks& tracks, std::span<const int> proximal,
                                    std::span<const int> distal) {
  const auto fit_cluster = [&](std::span<const int> markers) {
    return fit_segment(tracks, markers, calc_cluster_shape(tracks, markers));
  };
  const std::vector<RigidFit> fits_P = fit_cluster(proximal);
  std::vector<RigidFit> fits_D(tracks.frames());
  if (distal.size() >= 3) fits_D = fit_cluster(distal);
  RelativeMotion motion;
  motion.tracks_P.resize(distal.size());
  for (size_t k = 0; k < tracks.frames(); ++k) {
    const Pose<double>& X_WP = fits_P[k].X_WB;
    for (size_t i = 0; i < distal.size(); ++i) {
      const Vec3d& p_W = tracks.at(k, static_cast<size_t>(distal[i]));
      motion.tracks_P[i].push_back(fits_P[k].found
                                       ? Vec3d(X_WP.R_WB.transpose() * (p_W - X_WP.p_WB))
                                       : Vec3d(Vec3d::Constant(kMissing)));
    }
    if (fits_P[k].found && fits_D[k].found) {
      motion.X_PD.push_back(calc_relative_pose(X_WP, fits_D[k].X_WB));
    }
  }
  return motion;
}

}  // namespace vesica
