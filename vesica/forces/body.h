// What ground forces from motion need to know of a person, from a standing trial: joint centres,
// where markers sit on pelvis, shanks and feet, lengths.
//
// Frame S of the standing trial: x where the pelvis faces, y up from the floor, z to the right; x
// and z from the laboratory's origin. Foot frame: x from the heel to the second metatarsal
// (horizontal), y up, z to the right, origin on the floor below the heel marker.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/math/gravity.h"
#include "vesica/motion/gait_events.h"

namespace vesica::forces {

inline constexpr int kRight = 0, kLeft = 1;
inline constexpr double kGravity = kStandardGravity;
inline Foot as_foot(int side) { return side == kRight ? Foot::kRight : Foot::kLeft; }
// Left feet are mirrored, so that one model serves both.
inline double sign_of(int side) { return side == kRight ? 1.0 : -1.0; }

// Markers of one rigid segment by their role ("R.ASIS"), and where they sit.
struct Cluster {
  std::vector<std::string> roles;
  std::vector<Vec3d> points;
};

struct Body {
  Cluster pelvis;  // in S
  Vec3d pelvis_center = Vec3d::Zero();
  std::array<Vec3d, 2> hip, knee, ankle;  // in S
  std::array<Cluster, 2> shank;           // in S
  std::array<Cluster, 2> foot;            // in the foot's frame, as are the next three
  std::array<Vec3d, 2> toe_tip, inner, outer;
  double leg_length = 0;                   // m, mean height of the hip centres
  double pelvis_height = 0;                // m, of its centre
  double foot_length = 0, foot_width = 0;  // m, heel to MT2, MT1 to MT5
  // Heights of MT1 and MT5 of both feet, standing, with where they were, in the laboratory's axes:
  // for the slope of the floor.
  struct Standing {
    std::string role;
    Vec3d p_W;
  };
  std::vector<Standing> standing;
  Vec3d up_W = Vec3d::UnitY();     // of the standing trial
  double floor = 0;                // m, along up: the laboratory's zero, or what the feet stand on
  std::string digest;              // of the recording (recording_digest.h)
  std::vector<std::string> notes;  // sentences

  double length_scale() const { return foot_length / 0.195; }  // of the feet that were trained on
  double width_scale() const { return foot_width / 0.075; }
};

// The marker that plays a role, by the names of the common sets ("R.ASIS": RASI, R_ASIS, ...), any
// prefix up to ':' ignored; -1 where there is none. docs/howto/forces.md lists the roles.
int find_role(const MarkerTracks& markers, const std::string& role);

bool is_role(const std::string& role);

// The axis of the recording that leads from the feet to the pelvis, on average; zero where either
// is not seen.
Vec3d find_vertical(const MarkerTracks& markers);

// Both, with the side in front.
std::string sided(int side, const std::string& role);

// Body mass index [kg/m^2] that a weight [N] would be, at the stature that goes with the legs; and
// a sentence where hardly anybody has it, empty else.
double calc_mass_index(const Body& body, double weight);
bool is_usual_mass_index(double index);
std::string say_mass_index(const Body& body, double weight);

// From a standing trial. Throws InputError that names the markers which are missing, those that are
// on the wrong side, and says why nobody stands there.
Body make_body(const MotionTrial& standing);

}  // namespace vesica::forces
