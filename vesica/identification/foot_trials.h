// Stances of a foot from a lab's recordings: markers of a standing trial and of walks, and what the
// plates under them measured.
//
// Axes: the ground frame G has z up and its origin on the floor. What is returned has y along the
// feet of the first walk and, for each stance, its origin under the heel while the foot is flat, so
// that nothing hangs on where the lab's zero is or where its axes point. The foot's frame is fixed
// to its markers while standing: origin at the heel marker, y level toward the middle of the first
// and fifth metatarsal, z up, x to the right. Left feet are turned over in x, so that all stances
// are those of a right foot.
//
// Where there is a marker on the great toe, the toe angle is measured: its direction from the toe
// joint of the template, in the plane across the joint's axis, less that while standing.
//
// The lab's zero is not always its floor: in the recordings of one lab the floor rises by 6 mm in a
// metre. Its slope is estimated from the heights of heel and ball while they stand (one height for
// each marker, slopes held to zero by a prior of 5 mm/m), from the walks that are given for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vesica/identification/foot_fit.h"
#include "vesica/io/motion_data.h"
#include "vesica/motion/gait_events.h"

namespace vesica {

struct FootTrial {
  std::string name;
  MotionTrial motion;  // markers and forces
};

// Markers of a standing foot in its own frame, as a right foot [m].
struct FootShape {
  std::vector<std::string> labels;  // that are tracked
  std::vector<Vec3d> markers;
  Vec3d inner, outer;  // metatarsals
  double floor = 0;    // z of the floor
  std::string hallux;  // marker of the great toe; empty: there is none
  Vec3d tip = Vec3d::Zero();
  bool is_there() const { return !markers.empty(); }  // a lab may put markers on one foot only
};

struct FloorPlane {
  double slope_x = 0, slope_y = 0;  // z = slope_x (x - x0) + slope_y (y - y0) in G
  double x0 = 0, y0 = 0;            // middle of the points: the lab's zero may be anywhere
  int points = 0;                   // heights that it was found from
  double rms = 0;                   // m, left over
};

struct FootTrials {
  FootShape left, right;
  FloorPlane floor;
  double weight = 0;  // N
  // One list, in the order of the trials and of time.
  struct Entry {
    std::string trial;
    Foot side = Foot::kUnknown;
    double begin = 0, end = 0;  // s
    double speed = 0;           // of the walk [m/s]
    FootStance stance;
    std::string lost_hallux =
        {};  // marker of the great toe that the standing trial has, the walk not
  };
  std::vector<Entry> stances;
  std::vector<std::string> remarks;  // stances that were left out and why; anything odd
};

struct FootTrialOptions {
  double cutoff = 15;                   // Hz of the markers' filter
  double threshold = 20;                // N, where a stance begins and ends
  double weight = 0;                    // N; 0: from whole strides on the plates
  std::vector<std::string> floor_from;  // trials that tell the floor; empty: all
  // What a plate (its number, from 1) reads is multiplied by this, in all walks.
  std::map<int, double> plate_scale = {};
  // Whether the foot of the standing trial is that of the walks, which whoever tracks it needs:
  // what cannot be one foot is an InputError, what is odd a remark. Forces and weight are looked at
  // too.
  bool check = false;
};

// The walks as they are taken: frozen frames and leaps of a marker are not seen, those whose left
// and right labels are exchanged are turned about, and what plates read is scaled, by
// `plate_scale`, or where they read a multiple of the body's weight. All is told in the remarks.
// Whatever else reads the same walks has to read these.
std::vector<FootTrial> mend_walks(const std::vector<FootTrial>& walks,
                                  const FootTrialOptions& options,
                                  std::vector<std::string>* remarks);

// Of walks as they were recorded, or mended before (then without `plate_scale`).
// Throws InputError where the standing trial lacks a marker of a foot that has some, or no walk has
// a whole stance of one foot on one plate.
FootTrials find_foot_stances(const MotionTrial& standing, const std::vector<FootTrial>& walks,
                             const FootTrialOptions& options);

// A foot to begin with: heel, ball and toe ellipsoids under these markers, the toe joint along the
// metatarsals 16 mm above the floor (the source's), sizes in proportion to the foot.
// `lateral_edge`: a fourth at the outer edge of the middle foot, which the source misses.
FootModel make_template(const FootShape& shape, bool lateral_edge = false);
// The ellipsoid of the lateral edge, for a foot whose ball and heel are where `foot` has them.
FootEllipsoid make_lateral_edge(const FootModel& foot);

}  // namespace vesica
