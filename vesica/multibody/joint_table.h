// The table of joints: a row says what files, recordings and equations know of a joint besides its
// kinematics, which are in joints/<name>.h. Scenes and marker models use the same rows.
//
//   type        q                        u
//   free        p_FM (3), q_FM (4)       v_FM (3), w_FM (3), in F
//   revolute    angle about axis         its rate
//   prismatic   distance along axis      its rate
//   universal   angle about axis, then   their rates
//               about axis2 as turned
//   spherical   q_FM (4)                 w_FM (3), in F
//   planar      x, y of F, angle about z their rates
//   weld        none                     none
//   cylindrical angle about axis,        their rates
//               distance along it
// A quaternion comes after all other coordinates, and the spin that turns it after all other
// speeds; every other coordinate has its speed in the same place.
// `given` is not a joint: the body's motion is prescribed, its pose, velocity and acceleration
// come from outside.
//
// A new joint: an enumerator, a row here, and its file, which joint_kinematics.h includes.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace vesica {

enum class JointType {
  kGiven,
  kFree,
  kRevolute,
  kPrismatic,
  kUniversal,
  kSpherical,
  kPlanar,
  kWeld,
  kCylindrical,
};

constexpr int kMaxSpeeds = 6;

struct JointSpeed {
  std::string_view name;  // of what it changes: a coordinate, or a direction of a pose
  std::string_view rate;  // of the speed itself
  bool turns = true;      // rad, N m; otherwise it slides: m, N
};

struct JointRow {
  JointType type = JointType::kGiven;
  std::string_view name;  // in files
  int coordinates = 0, speeds = 0;
  int quaternion = -1;  // its place among the coordinates, or -1
  int axes = 0;         // directions that describe the joint: `axis`, or two as `axes`
  std::array<JointSpeed, kMaxSpeeds> speed{};
};

inline constexpr JointRow kJointTable[] = {
    {.type = JointType::kGiven, .name = "given"},
    {.type = JointType::kFree,
     .name = "free",
     .coordinates = 7,
     .speeds = 6,
     .quaternion = 3,
     .speed = {{{"position.x", "velocity.x", false},
                {"position.y", "velocity.y", false},
                {"position.z", "velocity.z", false},
                {"rotation.x", "spin.x", true},
                {"rotation.y", "spin.y", true},
                {"rotation.z", "spin.z", true}}}},
    {.type = JointType::kRevolute,
     .name = "revolute",
     .coordinates = 1,
     .speeds = 1,
     .axes = 1,
     .speed = {{{"angle", "angle_rate", true}}}},
    {.type = JointType::kPrismatic,
     .name = "prismatic",
     .coordinates = 1,
     .speeds = 1,
     .axes = 1,
     .speed = {{{"position", "position_rate", false}}}},
    {.type = JointType::kUniversal,
     .name = "universal",
     .coordinates = 2,
     .speeds = 2,
     .axes = 2,
     .speed = {{{"angle1", "angle1_rate", true}, {"angle2", "angle2_rate", true}}}},
    {.type = JointType::kSpherical,
     .name = "spherical",
     .coordinates = 4,
     .speeds = 3,
     .quaternion = 0,
     .speed = {{{"rotation.x", "spin.x", true},
                {"rotation.y", "spin.y", true},
                {"rotation.z", "spin.z", true}}}},
    {.type = JointType::kPlanar,
     .name = "planar",
     .coordinates = 3,
     .speeds = 3,
     .speed = {{{"x", "x_rate", false}, {"y", "y_rate", false}, {"angle", "angle_rate", true}}}},
    {.type = JointType::kWeld, .name = "weld"},
    {.type = JointType::kCylindrical,
     .name = "cylindrical",
     .coordinates = 2,
     .speeds = 2,
     .axes = 1,
     .speed = {{{"angle", "angle_rate", true}, {"distance", "distance_rate", false}}}},
};

constexpr const JointRow& row_of(JointType type) { return kJointTable[static_cast<int>(type)]; }

// The rows that are joints: all but the first.
constexpr std::span<const JointRow> joint_rows() { return std::span(kJointTable).subspan(1); }

constexpr bool is_joint_table_sound() {
  int index = 0;
  for (const JointRow& row : kJointTable) {
    const bool quaternion = row.quaternion >= 0;
    if (row.type != static_cast<JointType>(index++)) return false;
    if (row.speeds > kMaxSpeeds || row.coordinates != row.speeds + (quaternion ? 1 : 0)) {
      return false;
    }
    if (quaternion && row.quaternion + 4 != row.coordinates) return false;
    for (int k = 0; k < row.speeds; ++k) {
      if (row.speed[static_cast<size_t>(k)].name.empty()) return false;
    }
  }
  return true;
}
static_assert(is_joint_table_sound());

constexpr int coordinate_count(JointType type) { return row_of(type).coordinates; }
constexpr int speed_count(JointType type) { return row_of(type).speeds; }
// Where the quaternion is among the coordinates, or -1.
constexpr int quaternion_place(JointType type) { return row_of(type).quaternion; }
// Whether speed k turns or slides.
constexpr bool speed_is_angular(JointType type, int k) {
  return row_of(type).speed[static_cast<size_t>(k)].turns;
}
// The speeds that the joint has, with their names.
constexpr std::span<const JointSpeed> speeds_of(JointType type) {
  return std::span(row_of(type).speed).first(static_cast<size_t>(speed_count(type)));
}

// What scenes and recordings call the coordinates; none for joints with a quaternion.
inline std::vector<std::string_view> coordinate_names(JointType type) {
  std::vector<std::string_view> names;
  if (quaternion_place(type) >= 0) return names;
  for (const JointSpeed& speed : speeds_of(type)) names.push_back(speed.name);
  return names;
}

// In the order of joint_rows().
inline std::vector<std::string_view> joint_names() {
  std::vector<std::string_view> names;
  for (const JointRow& row : joint_rows()) names.push_back(row.name);
  return names;
}
// Of the joints that take so many axes.
inline std::vector<std::string_view> joint_names_with_axes(int axes) {
  std::vector<std::string_view> names;
  for (const JointRow& row : joint_rows()) {
    if (row.axes == axes) names.push_back(row.name);
  }
  return names;
}

}  // namespace vesica
