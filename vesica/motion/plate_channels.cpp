#include "vesica/motion/plate_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"

namespace vesica {

namespace {

struct Surface {
  Mat3d R;  // plate axes in the lab, z into the floor
  Vec3d center;
  double half_x = 0.0, half_y = 0.0;
};

Surface find_surface(const PlateForces& plate, const Vec3d& up) {
  constexpr double kMargin = 0.05;  // m, so that no point lies on the edge
  Surface surface;
  surface.R.col(2) = -up;
  const Vec3d along = std::abs(up.x()) < 0.9 ? Vec3d::UnitX() : Vec3d::UnitZ();
  surface.R.col(0) = (along - along.dot(up) * up).normalized();
  surface.R.col(1) = surface.R.col(2).cross(surface.R.col(0));
  Vec3d low = Vec3d::Constant(1e9), high = -low;
  double height = 0.0;
  int count = 0;
  for (std::size_t k = 0; k < plate.size(); ++k) {
    if (!plate.is_loaded(k)) continue;
    const Vec3d p = surface.R.transpose() * plate.centers_of_pressure[k];
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
    height += p.z();
    ++count;
  }
  if (count == 0) low = high = Vec3d::Zero();
  Vec3d middle = 0.5 * (low + high);
  middle.z() = count > 0 ? height / count : 0.0;
  surface.center = surface.R * middle;
  surface.half_x = 0.5 * (high.x() - low.x()) + kMargin;
  surface.half_y = 0.5 * (high.y() - low.y()) + kMargin;
  return surface;
}

bool is_force_column(const std::string& name) {
  for (const char* end : {"vx", "vy", "vz", "px", "py", "pz"}) {
    if (name.ends_with(end)) return true;
  }
  return name.find("torque") != std::string::npos &&
         (name.ends_with("x") || name.ends_with("y") || name.ends_with("z"));
}

}  // namespace

void make_plate_channels(const std::vector<PlateForces>& plates, const Vec3d& up,
                         MotionTrial* trial) {
  if (!trial->plates.empty() || plates.empty()) return;
  TimeTable& table = trial->analog;
  for (const PlateForces& plate : plates) {
    if (plate.size() == table.rows()) continue;
    throw InputError(fmt::format("{}: force plate {} has {} samples and the table {} rows",
                                 trial->file, plate.name, plate.size(), table.rows()));
  }
  TimeTable channels;
  channels.name = table.name;
  channels.times = table.times;
  std::vector<std::size_t> others;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!is_force_column(table.columns[c].name)) others.push_back(c);
  }
  std::vector<Surface> surfaces;
  for (const PlateForces& source : plates) {
    surfaces.push_back(find_surface(source, up));
    const Surface& s = surfaces.back();
    ForcePlate plate;
    plate.type = 1;
    constexpr double kSigns[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int i = 0; i < 4; ++i) {
      plate.corners[i] =
          s.center + s.R * Vec3d(kSigns[i][0] * s.half_x, kSigns[i][1] * s.half_y, 0.0);
    }
    constexpr const char* kNames[] = {"Fx", "Fy", "Fz", "Px", "Py", "Mz"};
    constexpr const char* kUnits[] = {"N", "N", "N", "m", "m", "Nm"};
    for (int i = 0; i < 6; ++i) {
      plate.channels.push_back(static_cast<int>(channels.columns.size()));
      plate.channel_names.push_back(kNames[i] + source.name);
      channels.columns.push_back({plate.channel_names.back(), kUnits[i]});
    }
    plate.rate = source.rate;
    plate.start_time = table.times.empty() ? 0.0 : table.times[0];
    trial->plates.push_back(std::move(plate));
  }
  for (const std::size_t c : others) channels.columns.push_back(table.columns[c]);
  channels.values.reserve(channels.rows() * channels.columns.size());
  for (std::size_t k = 0; k < channels.rows(); ++k) {
    for (std::size_t i = 0; i < plates.size(); ++i) {
      const Surface& s = surfaces[i];
      const PlateForces& source = plates[i];
      // On the plate, which is the opposite of what the subject feels; about z, which points into
      // the floor, the free moment then keeps its sign.
      const Vec3d force = -(s.R.transpose() * source.forces[k]);
      Vec3d point = Vec3d::Zero();
      double moment = 0.0;
      if (source.is_loaded(k)) {
        point = s.R.transpose() * (source.centers_of_pressure[k] - s.center);
        moment = source.free_moments[k];
      }
      const double six[] = {force.x(), force.y(), force.z(), point.x(), point.y(), moment};
      channels.values.insert(channels.values.end(), six, six + 6);
      trial->plates[i].samples.insert(trial->plates[i].samples.end(), six, six + 6);
    }
    for (const std::size_t c : others) channels.values.push_back(table.at(k, c));
  }
  table = std::move(channels);
}

}  // namespace vesica
