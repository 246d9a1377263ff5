// A foot as a scene that `vesica simulate` runs: what was identified, carried through a motion.
//
//   ground   a half-space: level, tilted or moving
//   shank    moves as it is told (a CSV file beside the scene); no mass, no shape
//   foot     free, with its ellipsoids; hangs on the shank by springs in six directions (the drive)
//   toe, ... further segments on revolute joints whose angles are told too
//
// A contact for every ellipsoid, so that each has its own friction states. The drive is rigid
// unless told otherwise: the foot then moves as the shank to within F/k, 7 um at 700 N, which is
// 0.6 N of contact. A compliant one lets the foot find its own place between drive and ground.
//
// Mass is not measured: the foot has 1.4 % of the body's, a tenth of it in the toes, spread evenly
// over the boxes that hold the ellipsoids. In stance it matters little: 1 kg at 10 m/s^2 is 10 N.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vesica/biomechanics/foot_forces.h"
#include "vesica/io/motion_data.h"
#include "vesica/model/model.h"

namespace vesica {

// Springs between shank and foot, at the foot's mass centre.
struct FootDrive {
  Vec3d stiffness = Vec3d::Constant(1e8);  // N/m, along the world's axes
  double turning_stiffness = 1e6;          // N m/rad
  Vec3d damping = Vec3d::Constant(2e4);    // N s/m
  double turning_damping = 100;            // N m s/rad
  bool is_isotropic() const { return stiffness.maxCoeff() == stiffness.minCoeff(); }
};

// Force and moment (about the world's origin) that the ground puts on the foot, to be held by the
// drive: the shank is told to move so that its springs carry them where the foot was measured.
struct CarriedLoad {
  Vec3d force = Vec3d::Zero(), moment = Vec3d::Zero();
};

struct FootSceneOptions {
  std::string title = "A foot on the ground";
  FrictionLaw<double> friction = NoFriction<double>{};
  FootDrive drive;
  std::vector<CarriedLoad> carried;  // one a frame; empty: none
  double mass = 0.96;                // kg, all segments together
  double moving_share = 0.1;         // of it, in the segments beyond the first
  model::Frame<> ground{};
  std::optional<model::Prescribed<>> ground_motion{};
  std::string motion_file = "foot_motion.csv";  // beside the scene
  double interval = 0;                          // between recorded rows [s]; 0: that of the frames
};

struct FootScene {
  Model model;
  struct File {
    std::string name;
    TimeTable motion;
  };
  std::vector<File> files;  // motions that the model refers to
};

// Scene time begins with the first frame. Names: bodies ground, shank, foot and the joints';
// contacts NAME_contact for the ellipsoid NAME. Throws InputError where foot or frames make no
// sense.
FootScene make_foot_scene(const FootModel& foot, std::span<const FootFrame> frames,
                          const FootSceneOptions& options);

// As CSV; values read back as the same numbers.
std::string write_motion(const TimeTable& motion);

// Writes FOLDER/NAME and the files that it needs. Throws FileError.
void save_foot_scene(const FootScene& scene, const std::string& folder, const std::string& name);

// Mass centre of a segment in its own frame, as the scene has it.
Vec3d calc_mass_center(const FootModel& foot, int segment);

// The same motion on the other side: mirrored in the world's plane x = 0.
std::vector<FootFrame> mirrored(std::span<const FootFrame> frames);

}  // namespace vesica
