// Pelvis, legs and feet of a walker whose feet are those of SyntheticWalk: events are known by
// construction.
#pragma once

#include <string>

#include "tests/motion/synthetic_walk.h"

namespace vesica::test {

struct SyntheticWalker {
  SyntheticWalk steps;
  Mat3d R = Mat3d::Identity();    // turns all of it
  Vec3d offset = Vec3d::Zero();   // then moves it
  bool mirrored = false;          // z to -z, and left to right
  double bounce = 0, sway = 0;    // m, of everything, up and ahead
  double bounce_frequency = 0.6;  // Hz
  double lateral = 0.01;          // m, of the pelvis

  // Markers of one leg at the place of its ankle, the foot turned by `pitch` about the heel.
  void add_leg(const Vec3d& heel, double pitch, const Vec3d& hip, double side,
               std::vector<std::pair<std::string, Vec3d>>* markers, bool standing) const {
    const std::string letter = side > 0 ? "R." : "L.";
    const double c = std::cos(pitch), s = std::sin(pitch);
    const auto on_foot = [&](double x, double y, double z) {
      return Vec3d(heel + Vec3d(c * x - s * y, s * x + c * y, side * z));
    };
    const Vec3d ankle = on_foot(0.05, 0.05, 0.0);
    const auto add = [&](const char* name, const Vec3d& p) {
      markers->emplace_back(letter + name, p);
    };
    add("Heel", heel);
    add("MT1", on_foot(0.19, 0.0, -0.03));
    add("MT5", on_foot(0.16, 0.0, 0.045));
    add("Ankle", on_foot(0.05, 0.05, 0.035));
    // The knee bends forwards so that thigh and shank keep 0.42 and 0.40 m.
    const Vec3d d = hip - ankle;
    const double length = std::min(d.norm(), 0.815);
    const double along = (0.40 * 0.40 - 0.42 * 0.42 + length * length) / (2 * length);
    const Vec3d up = d.normalized();
    const Vec3d forward = Vec3d(0, 0, 1).cross(up).normalized() * -1.0;
    const Vec3d knee =
        ankle + along * up + std::sqrt(std::max(0.0, 0.16 - along * along)) * forward;
    const Vec3d shank_up = (knee - ankle).normalized();
    const Vec3d shank_forward = (Vec3d::UnitZ().cross(shank_up) * -1.0).normalized();
    add("Knee", knee + Vec3d(0, 0, side * 0.05));
    add("HF", knee - 0.05 * shank_up + Vec3d(0, 0, side * 0.05) - 0.02 * shank_forward);
    add("TT", knee - 0.06 * shank_up + 0.05 * shank_forward);
    if (!standing) return;
    add("Knee.Medial", knee - Vec3d(0, 0, side * 0.05));
    add("Ankle.Medial", on_foot(0.05, 0.05, -0.035));
    add("MT2", on_foot(0.20, 0.0, 0.0));
  }

  void add_pelvis(const Vec3d& center, std::vector<std::pair<std::string, Vec3d>>* markers) const {
    for (const double side : {1.0, -1.0}) {
      const std::string letter = side > 0 ? "R." : "L.";
      markers->emplace_back(letter + "ASIS", center + Vec3d(0.09, 0.0, side * 0.12));
      markers->emplace_back(letter + "PSIS", center + Vec3d(-0.09, 0.02, side * 0.05));
    }
  }

  MotionTrial make_trial(bool standing) const {
    MotionTrial trial;
    trial.file = standing ? "standing" : "walk";
    trial.format = "TRC";
    MarkerTracks& tracks = trial.markers;
    const double rate = steps.rate;
    tracks.rate = rate;
    const int frames = standing ? 30 : static_cast<int>(std::lround(steps.duration * rate)) + 1;
    for (int k = 0; k < frames; ++k) {
      const double t = k / rate;
      std::vector<std::pair<std::string, Vec3d>> markers;
      const double w = 2 * M_PI / (0.5 * steps.stride);
      Vec3d pelvis(steps.speed() * (t - 0.3), 0.86 + 0.012 * std::cos(w * t),
                   lateral * std::sin(0.5 * w * t));
      if (standing) pelvis = Vec3d(0, 0.9, 0);
      add_pelvis(pelvis, &markers);
      for (int foot = 0; foot < 2; ++foot) {
        const double side = foot == 0 ? 1.0 : -1.0;
        Vec3d heel = steps.heel_at(t, foot);
        double pitch = 0;
        if (standing) {
          heel = Vec3d(-0.05, 0.02, side * 0.1);
        } else {
          const double phase = (t - 0.3) / steps.stride - 0.5 * foot;
          const double part = phase - std::floor(phase);
          // The heel rises towards the end of stance and comes down in swing.
          const double late = std::clamp((part - 0.45) / 0.17, 0.0, 1.0);
          const double swing = std::clamp((part - steps.stance) / (1 - steps.stance), 0.0, 1.0);
          pitch = -0.5 * (3 * late * late - 2 * late * late * late) * (1 - swing) +
                  0.2 * swing * swing * (part > steps.stance ? 1 : 0);
          const double early = std::clamp(1 - part / 0.12, 0.0, 1.0);
          if (part < steps.stance) pitch += 0.2 * early * early;
        }
        add_leg(heel, pitch, pelvis + Vec3d(0.03, -0.07, side * 0.09), side, &markers, standing);
      }
      if (k == 0) {
        for (const auto& [name, p] : markers) {
          std::string label = name;
          if (mirrored) label[0] = label[0] == 'R' ? 'L' : 'R';
          tracks.labels.push_back(label);
        }
      }
      tracks.times.push_back(t);
      const double v = 2 * M_PI * bounce_frequency;
      for (auto [name, p] : markers) {
        if (mirrored) p.z() = -p.z();
        if (!standing) p += Vec3d(sway * std::cos(v * t), bounce * std::cos(v * t), 0);
        tracks.positions.push_back(R * p + offset);
      }
    }
    return trial;
  }
};

}  // namespace vesica::test
