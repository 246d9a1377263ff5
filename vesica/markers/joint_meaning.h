// What a joint's angles mean and what they are called: which joint of the body it is, on which
// side.
//
// Segments have X forward, Y up and Z to the subject's right, on both sides. A child turns in its
// parent by Cardan angles Z-X'-Y'' (Grood and Suntay's for a segment that hangs from the other: the
// first axis is the parent's, the last the child's; ISB, Wu et al. 2002). Signs are turned such
// that on both sides
//   about Z   flexion and dorsiflexion are positive (knees bend the other way),
//   about X   adduction, inversion and supination,
//   about Y   internal rotation, adduction of the forefoot and toes.
// Columns are `<joint>_<angle>_<side>`: hip_flexion_r, ankle_dorsiflexion_l.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vesica::markers {

enum class Side { kNone, kLeft, kRight };

enum class JointMeaning {
  kOther,
  kHip,
  kKnee,
  kAnkle,
  kSubtalar,
  kMidfoot,
  kToe,
  kShoulder,
  kElbow,
  kWrist,
  kTrunk,
};

struct MeaningRow {
  JointMeaning meaning = JointMeaning::kOther;
  std::string_view name;                  // in files
  std::array<std::string_view, 3> angle;  // about Z, X, Y
  double sign_z = 1;
  bool has_side = true;
};
const MeaningRow& row_of(JointMeaning meaning);
std::span<const MeaningRow> meaning_rows();

// +1 or -1 for the angles about Z, X and Y.
std::array<double, 3> calc_angle_signs(JointMeaning meaning, Side side);

// What a name says: "hip_l" is the hip of the left side, "hip" what remains of it.
struct ReadName {
  std::string stem;
  Side side = Side::kNone;
};
ReadName read_side(const std::string& name);
// Nothing where the name has no word for it.
std::optional<JointMeaning> find_meaning(const std::string& name);

const char* suffix_of(Side side);  // "_l", "_r" or ""
const char* name_of(Side side);

}  // namespace vesica::markers
