#include "bench/long_recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numbers>

#include "tests/motion/synthetic_walk.h"
#include "vesica/io/c3d.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"
#include "vesica/motion/plate_channels.h"
#include "vesica/motion/plates.h"

namespace vesica::bench {
namespace {

constexpr double kMarkerRate = 100.0, kForceRate = 1000.0;
constexpr std::size_t kMarkers = 50;

test::SyntheticWalk make_walk(double duration) {
  test::SyntheticWalk walk;
  walk.duration = duration;
  walk.rate = kMarkerRate;
  walk.belt = walk.speed();
  walk.noise = 0.0002;
  return walk;
}

// Eight markers that events are found by, and others that ride on the pelvis.
MarkerTracks make_markers(double duration) {
  MarkerTracks tracks = make_walk(duration).make_markers();
  MarkerTracks all = tracks;
  all.unit_in_file = "mm";
  all.digits = 7;
  for (std::size_t m = tracks.markers(); m < kMarkers; ++m) {
    all.labels.push_back(fmt::format("T{}", m));
  }
  all.positions.clear();
  all.positions.reserve(tracks.frames() * kMarkers);
  for (std::size_t f = 0; f < tracks.frames(); ++f) {
    for (std::size_t m = 0; m < kMarkers; ++m) {
      const bool is_walk = m < tracks.markers();
      const double k = static_cast<double>(m);
      all.positions.push_back(is_walk ? tracks.at(f, m)
                                      : Vec3d(tracks.at(f, 6) + Vec3d(0.02 * std::sin(k), 0.01 * k,
                                                                      0.1 * std::cos(k))));
    }
  }
  return all;
}

// Two humps over a stance, the centre of pressure from heel to toe.
TimeTable make_forces(double duration) {
  const test::SyntheticWalk walk = make_walk(duration);
  TimeTable table;
  table.name = "forces";
  for (const char* plate : {"1", "2"}) {
    for (const char* axis : {"vx", "vy", "vz", "px", "py", "pz"}) {
      table.columns.push_back({fmt::format("ground_force{}_{}", plate, axis), ""});
    }
  }
  const auto rows = static_cast<std::size_t>(duration * kForceRate);
  table.times.reserve(rows);
  table.values.reserve(rows * table.columns.size());
  for (std::size_t r = 0; r < rows; ++r) {
    const double t = static_cast<double>(r) / kForceRate;
    table.times.push_back(t);
    for (int foot = 0; foot < 2; ++foot) {
      const double phase = (t - 0.3) / walk.stride - 0.5 * foot;
      const double part = (phase - std::floor(phase)) / walk.stance;
      const bool stands = part < 1.0;
      const double s = std::sin(std::numbers::pi * part);
      Vec3d heel = walk.heel_at(t, foot);
      heel.x() -= walk.belt * t;
      const double load = stands ? 700.0 * s * (1.3 - 0.4 * s * s) : 0.0;
      const double shear = stands ? -0.15 * load * std::cos(std::numbers::pi * part) : 0.0;
      const double values[] = {shear, load,    0.02 * load, heel.x() + 0.18 * std::min(part, 1.0),
                               0.0,   heel.z()};
      table.values.insert(table.values.end(), values, values + 6);
    }
  }
  return table;
}

MotionTrial make_trial(double duration) {
  MotionTrial trial;
  trial.file = "walk";
  trial.markers = make_markers(duration);
  trial.analog = make_forces(duration);
  // One sample short of the last frame's ten otherwise.
  trial.markers.times.pop_back();
  trial.markers.positions.resize(trial.markers.frames() * kMarkers);
  const Vec3d up = Vec3d::UnitY();
  make_plate_channels(find_plate_forces(trial.analog, up, {}), up, &trial);
  return trial;
}

// Seconds of recording that fill `bytes`, from what 20 s take.
void write_to_size(const std::string& path, std::size_t bytes,
                   const std::function<void(double duration)>& write) {
  constexpr double kProbe = 20.0;
  write(kProbe);
  const auto taken = static_cast<double>(std::filesystem::file_size(path));
  write(std::floor(std::max(kProbe, kProbe * static_cast<double>(bytes) / taken)));
}

}  // namespace

void write_long_c3d(const std::string& path, std::size_t bytes) {
  write_to_size(path, bytes, [&](double duration) { save_c3d(path, make_trial(duration)); });
}

void write_long_trc(const std::string& path, std::size_t bytes) {
  write_to_size(path, bytes, [&](double duration) { save_trc(path, make_markers(duration)); });
}

void write_long_mot(const std::string& path, std::size_t bytes) {
  write_to_size(path, bytes,
                [&](double duration) { save_sto(path, make_forces(duration), StoVersion::kOne); });
}

}  // namespace vesica::bench
