// Markers of a walker whose events, footprints, cadence and speed are known by construction: for
// tests, and for a first look where no recording is at hand (vesica gait --example).
#pragma once

#include <cmath>
#include <numbers>
#include <random>

#include "vesica/io/motion_data.h"

namespace vesica {

// A foot stands still on its floor in stance, then swings forwards on a cosine and up and down on
// a sine; heel and ball move together. Steps of the right foot strike at 0.3 s + n stride, those of
// the left one half a stride later. The walker goes along +x with y up, before `R` turns it all.
struct SyntheticWalk {
  double stride = 1.1;          // s
  double stride_length = 1.32;  // m
  double stance = 0.62;         // of the stride
  double left_ahead = 0.0;      // m; left footprints lie so much further ahead than half way
  double width = 0.20;          // m, between the feet
  double lift = 0.1;            // m
  double duration = 6.0, rate = 100.0;
  double belt = 0.0;   // m/s, backwards; the walk goes on relative to it
  double noise = 0.0;  // m, sd per component
  unsigned seed = 7;   // of the noise
  bool left_stands = false;
  Mat3d R = Mat3d::Identity();

  double speed() const { return stride_length / stride; }
  // Events of a foot (0 right, 1 left), n = 0, 1, ...
  double strike_of(int foot, int n) const { return 0.3 + stride * (n + 0.5 * foot); }
  double off_of(int foot, int n) const { return strike_of(foot, n) + stance * stride; }
  // Where its heel stands on the floor, n as above.
  Vec3d footprint_of(int foot, int n) const {
    const double x = stride_length * (n + 0.5 * foot) + (foot == 1 ? left_ahead : 0.0);
    return Vec3d(x + 0.25, 0.02, foot == 0 ? 0.5 * width : -0.5 * width);
  }
  Vec3d heel_at(double t, int foot) const {
    if (foot == 1 && left_stands) return footprint_of(1, 0);
    const double phase = (t - 0.3) / stride - 0.5 * foot;
    const double count = std::floor(phase), part = phase - count;
    const Vec3d stand = footprint_of(foot, static_cast<int>(count));
    if (part < stance) return stand;
    const double s = (part - stance) / (1.0 - stance);
    return stand + Vec3d(stride_length * 0.5 * (1.0 - std::cos(std::numbers::pi * s)),
                         lift * std::sin(std::numbers::pi * s), 0.0);
  }

  MarkerTracks make_markers() const {
    MarkerTracks tracks;
    tracks.labels = {"R.Heel", "R.MT1", "R.MT5", "L.Heel", "L.MT1", "L.MT5", "R.ASIS", "L.ASIS"};
    tracks.rate = rate;
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (int k = 0; k <= static_cast<int>(std::lround(duration * rate)); ++k) {
      const double t = k / rate;
      tracks.times.push_back(t);
      const auto add = [&](Vec3d p) {
        p.x() -= belt * t;
        for (int i = 0; i < 3; ++i) p[i] += noise * normal(random);
        tracks.positions.push_back(R * p);
      };
      for (int foot = 0; foot < 2; ++foot) {
        const Vec3d heel = heel_at(t, foot);
        const double in = foot == 0 ? -0.03 : 0.03;
        add(heel);
        add(heel + Vec3d(0.18, 0.0, in));
        add(heel + Vec3d(0.16, 0.0, -in));
      }
      const double x = speed() * (t - 0.3);
      add(Vec3d(x, 0.9, 0.1));
      add(Vec3d(x, 0.9, -0.1));
    }
    return tracks;
  }
};

}  // namespace vesica
