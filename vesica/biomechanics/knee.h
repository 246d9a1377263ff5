// A knee as a model: femur, shank, two condyles on two plateaus, ligaments as lines.
//
//   Model knee = biomechanics::make_knee();                         // as scenes/knee.yaml
//   const RunResult swing = simulate(knee);                          // simulation/simulate_model.h
//
// The twelve ligaments are those of Abdel-Rahman and Hefzy as Brown (2017, chapter 3) uses them;
// other sets (knee_strands.h) and other shapes go into KneeOptions. Axes of femur and tibia on both
// sides of the body: x to the subject's right, y anterior, z proximal; the tibia's origin is the
// shank's mass centre. The world is the femur's frame: with the femur horizontal and its anterior
// side up, gravity points along -y. docs/theory/knee.md has the equations and where each number
// comes from.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "vesica/math/pose.h"
#include "vesica/model/model.h"

namespace vesica::biomechanics {

enum class Side { kRight, kLeft };

// A surface that a ligament lies on, fixed to one of the bones, of a right knee: an ellipsoid, or a
// cylinder along z.
struct KneeSurface {
  bool on_tibia = false;
  Pose<double> place;  // of its centre and axes in its bone
  Vec3d radii;         // [m]; of a cylinder the last is half of its length
  bool is_cylinder = false;
};

// One line between femur and tibia, of a right knee.
struct KneeLigament {
  std::string name;
  Vec3d femur, tibia;       // where it is attached [m]
  double stiffness = 0;     // K2 [N/m]
  double slack_length = 0;  // L0 [m]
  // Its own, in place of those of KneeOptions.
  std::optional<double> toe_strain{}, damping{};  // [1], [N s/m]
  std::optional<KneeSurface> over{};
};

// Abdel-Rahman and Hefzy's twelve: L0 = K2/(4 K1 0.03) (Brown 3.2).
std::vector<KneeLigament> make_hefzy_ligaments();
// K1 of one of them [N/m^2].
double calc_toe_stiffness(const KneeLigament& ligament, double toe_strain = 0.03);

// A condyle of the femur, of a right knee; a sphere where its radii are equal.
struct Condyle {
  Vec3d center;  // in the femur [m]
  Vec3d radii;   // along x, y, z [m]
};

// A plateau of the tibia, of a right knee: a plane.
struct Plateau {
  Vec3d point;                    // in the tibia [m]
  Vec3d normal = Vec3d::UnitZ();  // outward
};

struct KneeOptions {
  Side side = Side::kRight;
  std::vector<KneeLigament> ligaments = make_hefzy_ligaments();
  double toe_strain = 0.03;
  double ligament_damping = 500;  // [N s/m] (Brown: 0.5 N s/mm, after Guess)
  // Medial and lateral. Beyond 80 deg the medial capsule of the twelve, which is attached farther
  // from their centres than their radius, tightens inside the tibia (docs/theory/knee.md).
  std::array<Condyle, 2> condyles{Condyle{{-0.023, -0.012, 0.020}, {0.020, 0.020, 0.020}},
                                  Condyle{{0.023, -0.013, 0.020}, {0.020, 0.020, 0.020}}};
  std::array<Plateau, 2> plateaus{Plateau{{-0.023, -0.005, 0.2139}},
                                  Plateau{{0.023, -0.005, 0.2139}}};
  double contact_stiffness = 2e9;  // [N/m^3] (Brown)
  double contact_damping = 0;      // [s/m]
  // The shank: a cylinder of uniform density (Brown).
  double shank_mass = 4, shank_radius = 0.05, shank_length = 0.45;
  Vec3d start{-0.0015, -0.0077, -0.2130};  // of the tibia's origin in the femur; statics start here
  double flexion = 0;                      // [rad] at the start, held there by statics
  double impulse = 4;       // [N s] backwards on the shank's mass centre, over `pulse`
  double pulse = 0.02;      // [s]
  double duration = 0.25;   // [s]
  double tolerance = 1e-6;  // of the solver
};

// Throws InputError where the options make no knee.
Model make_knee(const KneeOptions& options = {});

}  // namespace vesica::biomechanics
