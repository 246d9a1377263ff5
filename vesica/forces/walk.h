// A recorded walk as ground forces from motion see it: segments, accelerations and contacts.
//
// Frame H of the walk: x ahead, y up, z to the right; on a treadmill it moves with the belt, so
// that the walk goes over the floor. Everything is in H unless a name says otherwise.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "vesica/forces/body.h"
#include "vesica/motion/gait_events.h"

namespace vesica::forces {

using Track = std::vector<Vec3d>;
using Vec2d = Eigen::Matrix<double, 2, 1>;

// One foot on the floor. Times NaN where no event tells.
struct Contact {
  int side = kRight;
  double strike = 0, off = 0;  // s
  double other_off = kMissing, other_strike = kMissing;
  bool starts_before = false, ends_after = false;  // that event was guessed: it lies beyond the
                                                   // recording or too near to its ends
  bool doubtful = false;                           // breaks a rule of walking
  bool is_cut = false;  // part of it lies in frames in which not everything is seen
  bool is_whole() const { return !starts_before && !ends_after && !is_cut; }
  double duration() const { return off - strike; }
};

struct Leg {
  Track hip, knee, ankle;
  std::array<Track, 3> mass_center;  // thigh, shank, foot
  Track origin;                      // of the foot's frame, 15 Hz
  std::vector<Mat3d> R_HF;           // of the foot, 15 Hz
  std::vector<double> pitch, roll;   // rad, against the floor; roll mirrored on the left
  std::vector<Vec2d> toward;         // where the foot points, horizontal (x, z)
  Track toe_tip, inner, outer;       // of the foot
  Track acceleration;                // sum of mass fraction times acceleration / g, 12 Hz
  Track foot_acceleration;           // that of the foot alone, 20 Hz
};

inline constexpr std::array<double, 4> kBands = {2.5, 4.0, 6.0, 10.0};  // Hz

// Mass as a fraction of the body's, and the centre of mass from the proximal end (Winter's and
// Dempster's proportions as in Zatsiorsky; the foot from heel to toe tip).
struct SegmentMass {
  double fraction, center;
};
inline constexpr std::array<SegmentMass, 3> kSegments = {
    {{0.1416, 0.4095}, {0.0433, 0.4459}, {0.0137, 0.4415}}};

// Trunk, head and arms (upper_body.h).
struct UpperBody {
  Track acceleration;              // as Walk::legs_acceleration
  Track moment;                    // as Walk::legs_moment
  std::vector<std::string> parts;  // that are seen: "trunk", "head", "arms"; none: not known
  bool is_seen() const { return !parts.empty(); }
};

struct Walk {
  std::string name, file;
  double rate = 0;
  std::vector<double> times;  // s, of the frames in which everything is seen
  size_t first_frame = 0;     // of the recording
  std::vector<double> all_times;
  Vec3d up_W = Vec3d::UnitY();
  Mat3d R_HW = Mat3d::Identity();
  Vec3d belt_W = Vec3d::Zero();  // m/s
  double floor = 0;              // m, along up, of the laboratory: zero in H
  std::string digest;            // of the recording (recording_digest.h)
  double speed = 0;              // m/s
  double froude_speed = 0;       // speed / sqrt(g leg length)
  Track pelvis, slow_pelvis;     // its centre; 6 Hz
  std::array<Track, kBands.size()> pelvis_acceleration;  // / g
  std::array<Leg, 2> legs;
  Track legs_acceleration;  // both legs
  Track legs_moment;        // sum of mu [(s - pel)(g + a_y) - s_y a] / g, 10 Hz
  UpperBody upper;          // where markers show it
  std::vector<Contact> contacts;
  Vec2d slope = Vec2d::Zero();  // of the floor, ahead and to the right
  bool sides_exchanged = false;
  std::vector<std::string> markers;  // that are used: roles without their side, sorted
  // How far distances between markers of a segment are from those of the standing trial, rms, m,
  // and the pair that differs most.
  double misfit = 0;
  std::string misfit_pair;
  std::vector<std::string> notes;  // sentences

  size_t frames() const { return times.size(); }
  // A point of H in the recording's axes.
  Vec3d as_recorded(size_t frame, const Vec3d& p_H) const {
    return R_HW.transpose() * (p_H + floor * Vec3d::UnitY()) + belt_W * times[frame];
  }
  Vec3d in_heading(double time, const Vec3d& p_W) const {
    return R_HW * (p_W - belt_W * time) - floor * Vec3d::UnitY();
  }
};

// Throws InputError: markers that are missing (by their names), no walk (why), a clock that is
// uneven, another axis up than the standing trial's.
Walk make_walk(const MotionTrial& trial, const std::string& name, const Body& body);

// The slope of the floor from markers of feet that stand on it (motion/standing_floor.h), over
// walks of one recording day. Sets `slope` and the feet's angles of all of them. Returns it in the
// axes of the recording.
Vec3d level_floor(const Body& body, std::vector<Walk*> walks);
void set_floor(const Vec3d& slope_W, Walk* walk);

// Second derivative after a zero-phase low-pass filter at `cutoff`.
Track calc_acceleration(const Track& track, double cutoff, double rate);
Track calc_filtered(const Track& track, double cutoff, double rate);

}  // namespace vesica::forces
