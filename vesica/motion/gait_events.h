// When feet touch and leave the floor: from force plates, from markers, and which foot a plate saw.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/motion/plates.h"

namespace vesica {

enum class Foot { kUnknown, kLeft, kRight, kBoth };
const char* name_of(Foot foot);

// One uninterrupted load on one plate.
struct PlateContact {
  int plate = 0;       // index into the plates
  double start = 0.0;  // s, where the normal force crosses the threshold, between samples
  double end = 0.0;
  bool starts_before = false, ends_after = false;  // loaded already at, or still at, the ends
  double peak_force = 0.0;                         // N, normal
  Foot foot = Foot::kUnknown;
  double distance = 0.0;        // m, force-weighted mean from centre of pressure to the foot's line
  double other_distance = 0.0;  // m, the same for the other foot; NaN where its markers are missing
  bool partial = false;  // the foot was partly beside the plate, by its markers or by the force
  // Of both feet, where the centre of pressure tells: it is under this one, and not under the one
  // that it is under most of the time, between these times [s].
  Foot other_foot = Foot::kUnknown;
  double other_from = 0.0, other_to = 0.0;
  // Force in the middle of the stance over what other plates carry then; NaN: not compared.
  double carried = std::numeric_limits<double>::quiet_NaN();  // the foot reaches beyond the plate
                                                              // while it is loaded
};

struct PlateContactOptions {
  double threshold = 20.0;  // N
  double shortest = 0.1;    // s; shorter loads are knocks, not stances
  double bridge = 0.03;     // s; a load that returns sooner than this never ended
};

// A load counts from the crossing of the threshold; the crossing is interpolated linearly between
// samples. Time resolution is that of the force, error mostly that of the threshold: at heel strike
// force rises some 10 N/ms, at toe-off it falls some 2 N/ms.
std::vector<PlateContact> find_contacts(std::span<const PlateForces> plates,
                                        const PlateContactOptions& options);

// Markers of one foot, as indices; -1 where there is none.
struct FootMarkers {
  int heel = -1;
  int toe = -1;    // hallux or second metatarsal, for the toe end
  int inner = -1;  // first metatarsal
  int outer = -1;  // fifth metatarsal
  std::vector<int> all() const;
};
struct GaitMarkers {
  FootMarkers left, right;
  std::vector<int> pelvis;
  bool has_feet() const {
    return left.heel >= 0 && right.heel >= 0 && (left.toe >= 0 || left.inner >= 0) &&
           (right.toe >= 0 || right.inner >= 0);
  }
};
// By the names that the common marker sets use (R.Heel, RHEE, R_Calc, ...), any prefix up to ':'
// ignored. Nothing is guessed from positions.
GaitMarkers find_gait_markers(std::span<const std::string> labels);

// Says for each contact which foot made it: the one whose heel-to-toe line is nearer to the centre
// of pressure, weighted with force; unknown where neither is within 150 mm. Both feet where either
// stands on the plate (its middle inside, slower than 0.3 m/s and within 30 mm of its lowest) for a
// fifth of the load, or where the centre of pressure is within 100 mm of the other foot's line, and
// not of the first one's, for 20 ms of more than 40 N; partial where the foot stands with heel or
// toe 10 mm beyond the edge for a fifth of the load. Standing needs the plate's corners.
void assign_feet(std::span<PlateContact> contacts, std::span<const PlateForces> plates,
                 const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up);

// Contacts of one foot that touch or overlap in time (a step over two plates) as one stance.
struct Stance {
  Foot foot = Foot::kUnknown;
  double start = 0.0, end = 0.0;
  bool starts_before = false, ends_after = false;
  double peak_force = 0.0;  // N, of the sum over plates
  std::vector<int> contacts;
  bool partial = false;
};
std::vector<Stance> find_stances(std::span<const PlateContact> contacts,
                                 std::span<const PlateForces> plates);

struct GaitEvent {
  enum class Kind { kStrike, kOff };
  Kind kind = Kind::kStrike;
  Foot foot = Foot::kUnknown;
  double time = 0.0;
  bool substituted = false;  // its own fine estimate was missing or out of line with the others
  bool doubtful = false;     // breaks a rule of walking; MarkerEvents::remarks says which
};
const char* name_of(GaitEvent::Kind kind);

// A walk as markers tell it. The floor may move: `belt` is its velocity, which the standing feet
// have, and is zero where it is not significant (under 0.15 m/s).
struct MarkerEvents {
  std::vector<GaitEvent> events;     // by time
  std::string why_none;              // a sentence where there are no events, else empty
  std::vector<std::string> remarks;  // sentences: which gates acted, what looks odd
  int left_out_at_the_ends = 0;      // events within 50 ms of the recording's ends
  bool sides_exchanged = false;      // the right foot is to the left of the left one
  Vec3d ahead = Vec3d::Zero();       // unit, horizontal, of the walk over its floor; zero: no walk
  Vec3d belt = Vec3d::Zero();        // m/s
  double speed = kMissing;           // m/s over the floor, mean of the recording
  bool on_treadmill() const { return belt.norm() > 0.0; }
};

// How signs of markers become the times at which the force under a foot crosses 20 N. The offsets
// are those of thirteen people in one laboratory, who were left out one at a time to see what they
// are worth for others (tests/motion/gait_accuracy_test.cpp prints that); a marker on or near the
// toes: half way between them and three people of three other laboratories (-5, +2 and +5 ms
// without it), as laboratories differ by more than people do.
struct MarkerEventRule {
  double strike_offset = -0.0122;  // s, from the peak of acceleration
  double ball_offset = -0.0170;    // s, from the crossing of speed: the first metatarsal
  double toe_offset = -0.0080;     // s, the same of a marker on or near the toes
  double off_speed = 0.9;          // of the walking speed
};

// From markers alone: of walking forwards along one line, in any direction, on a floor or on a
// treadmill. Coarse events are where the heel is furthest ahead of the pelvis and the ball of the
// foot furthest behind it (Zeni, Richards and Higginson 2008; 10 Hz). Near them,
//   strike: the largest upward acceleration of the heel (20 Hz), - 12.2 ms
//   off:    the ball's forward speed over the floor (15 Hz) rises through 0.9 x walking speed,
//           - 17 ms
// with constants that thirteen people in one laboratory gave (docs/theory/motion.md has the errors,
// and those elsewhere). Gates: a fine event that is more than 25 ms off the recording's usual delay
// from its coarse one is replaced by coarse + that delay; feet alternate; contact takes 0.3 to 1.3
// s; double support 0.5 to 1.6 of its median. Events that break the last three are marked doubtful.
// Gaps of up to 0.1 s in the markers that are used are bridged, longer ones end the search.
//
// None, and `why_none`, for: markers that are missing, standing, motion on the spot, one foot only,
// running, shuffling, turning, walking backwards.
MarkerEvents find_marker_events(const MarkerTracks& markers, const GaitMarkers& gait,
                                const Vec3d& up, const MarkerEventRule& rule = {});

// Mean vertical force of all plates between two strikes of one foot, where plates carried the
// subject throughout: body weight, as the vertical velocity is the same at both ends.
struct WeightEstimate {
  double start = 0.0, end = 0.0;  // s
  Foot foot = Foot::kUnknown;
  double weight = 0.0;  // N
};
std::vector<WeightEstimate> calc_stride_weights(std::span<const Stance> stances,
                                                std::span<const PlateForces> plates,
                                                double threshold);

}  // namespace vesica
