// Stances that force plates measured whole: which loads belong to which contact of a walk, reasons
// for those that cannot be used, plates that read a multiple, body weight.
#pragma once

#include <string>
#include <vector>

#include "vesica/forces/walk.h"
#include "vesica/motion/plates.h"

namespace vesica::forces {

inline constexpr double kPressureForce = 50.0;  // N, from which on a centre of pressure counts

struct MeasuredStance {
  size_t contact = 0;         // of the walk
  double begin = 0, end = 0;  // s, at 20 N
  std::string plate;          // "3", "1+2" where a foot crossed from one to the next
  // At the walk's frames, in H; zero where the foot is not on the plate.
  Track force;                      // N
  std::vector<Vec2d> pressure;      // centre of pressure, x and z; held beyond the ends
  std::vector<double> free_moment;  // N m, about the vertical
  double level = 0;  // N: single-support force over what motion expects a newton to be
  double begin_level = 0, end_level = 0;  // the same of its first and last third
  // Mean outward force in single support, N, and what motion expects of a newton of body weight.
  double outward = 0, expected_outward = 0;
};

struct RejectedLoad {
  std::string plate;
  double begin = 0, end = 0;
  std::string why;
};

struct MeasuredWalk {
  Walk walk;
  std::vector<MeasuredStance> stances;
  std::vector<RejectedLoad> rejected;
  double pressure_height = 0;  // m, of the centres of pressure, along up
  std::string why_none;        // where no plate is loaded as long as a stance
};

// What a stance of walking shows on a plate whose signs, axes and origin are right. Forces over the
// vertical one; the mean centre of pressure, weighted by vertical force, where it counts.
struct WalkingSigns {
  bool known = false;
  double push = 0;      // fore-aft force of the second half minus that of the first
  double outward = 0;   // lateral force, away from the midline
  double along = 0;     // centre of pressure from the heel, over the foot's length
  double sideways = 0;  // m, outside of the middle between first and fifth metatarsal
};
WalkingSigns calc_walking_signs(const Walk& walk, const Body& body, const MeasuredStance& stance);
// Why it is no stance of walking; empty where it is.
std::string find_wrong_sign(const WalkingSigns& signs);

// Matches the loads of the plates with the contacts of the walk. A load is used where begin and end
// lie within 50 ms of the contact's, it was seen whole, one foot made it, that foot stayed inside
// of the plate's edges (where the file knows them) and the centre of pressure within 50 mm of the
// foot.
MeasuredWalk measure(Walk walk, const Body& body, const std::vector<PlateForces>& plates);

struct PlateScale {
  std::string plate;
  double factor = 1;
};

// Over the walks of one person: finds plates that read a whole multiple of the others, in two
// stances at least (undone, and listed), and rejects stances whose level in single support is more
// than 12 % (thirds of it: 15 %) off the others', or whose lateral force there is more than 3 % of
// body weight off what motion and at least four other stances of that side expect; then those that
// are no walking (WalkingSigns), and both feet's where their centres of pressure lie apart. `mass`
// [kg] decides which plates are right, and where all are more than 25 % off, none is, unless it is
// a multiple. Without it, 0, the group nearest to a body mass index of 24 at the stature that goes
// with the legs, and none where that is no usual index.
std::vector<PlateScale> level_plates(const Body& body, double mass,
                                     std::vector<MeasuredWalk>* walks);

// How much later than the motion's events the loads begin and end, s, means over stances. Where
// both ends agree that plates and cameras do not share one clock, `clock` is what they are late by;
// 0 else. Ends that differ are no clock: people's feet do.
struct LoadDelay {
  double strike = 0, off = 0, clock = 0;
};
LoadDelay find_load_delay(const std::vector<MeasuredWalk>& walks);
std::string say_delay(const LoadDelay& delay);  // a sentence; empty where there is no `clock`

// Body weight [N] from whole steps, off to off, with both feet on plates: mean vertical force,
// corrected for the change of the pelvis' vertical velocity. Without such a step, from single
// support. `spread` is the standard deviation of the steps.
struct WeightFound {
  double weight = 0, spread = 0;
  int steps = 0;
  std::string source;
};
WeightFound find_weight(const std::vector<MeasuredWalk>& walks);
inline constexpr double kMostWeightOff = 0.04;  // between plates and what was told

}  // namespace vesica::forces
