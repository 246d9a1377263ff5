#include "vesica/identification/foot_trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vesica/error.h"
#include "vesica/forces/marker_jumps.h"
#include "vesica/identification/foot_on_plate.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/math/median.h"
#include "vesica/math/spline.h"
#include "vesica/motion/marker_names.h"
#include "vesica/motion/resample.h"
#include "vesica/motion/rigid_fit.h"
#include "vesica/motion/trial_analysis.h"
#include "vesica/motion/trial_edit.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica {
namespace {

constexpr double kSlopeSpread = 0.005;  // m/m, of the prior
constexpr double kHeightNoise = 0.001;  // m

const Mat3d kTurnedOver = Vec3d(-1, 1, 1).asDiagonal();

// World to ground: z up.
Mat3d make_to_ground(const Vec3d& up) { return calc_turn_of_z(up).transpose(); }

// Markers of one foot: heel, inner, outer, and whatever else of the foot both trials have.
struct FootLabels {
  std::string heel, inner, outer;
  std::vector<std::string> tracked;
  std::string hallux;
};

FootLabels find_labels(const MarkerTracks& standing, const FootMarkers& foot, const char* side) {
  const auto label = [&](int marker, const char* what) {
    if (marker < 0) {
      throw InputError(fmt::format(
          "the standing trial has no marker of the {} {}: heel, first and fifth metatarsal are "
          "needed, named as R.Heel, RHEE or R.MT1 (`vesica motion FILE --rename MAP` renames "
          "markers "
          "of another name)",
          side, what));
    }
    return standing.labels[static_cast<size_t>(marker)];
  };
  FootLabels l{label(foot.heel, "heel"),
               label(foot.inner, "first metatarsal"),
               label(foot.outer, "fifth metatarsal"),
               {},
               {}};
  l.tracked = {l.heel, l.inner, l.outer};
  return l;
}

// The lateral malleolus moves little against the heel and makes the pose firmer.
void add_ankle(const MarkerTracks& standing, char side, FootLabels* labels) {
  for (const std::string& name : {fmt::format("{}.Ankle", side), fmt::format("{}ANK", side)}) {
    if (standing.find(name) < standing.markers()) labels->tracked.push_back(name);
  }
}

void add_hallux(const MarkerTracks& standing, char side, FootLabels* labels) {
  for (const std::string& name : {fmt::format("{}.Hallux", side), fmt::format("{}.HLX", side),
                                  fmt::format("{}HLX", side), fmt::format("{}.Toe1", side)}) {
    if (standing.find(name) < standing.markers()) labels->hallux = name;
  }
}

Vec3d calc_mean_position(const MarkerTracks& tracks, const std::string& label) {
  const size_t marker = tracks.find(label);
  Vec3d sum = Vec3d::Zero();
  int count = 0;
  for (size_t f = 0; f < tracks.frames(); ++f) {
    if (!tracks.has(f, marker)) continue;
    sum += tracks.at(f, marker);
    ++count;
  }
  if (count == 0) throw InputError(fmt::format("the standing trial never shows marker {}", label));
  return sum / count;
}

// Whoever stands keeps the heel where it is.
void check_standing(const MarkerTracks& tracks, const std::string& label) {
  constexpr double kFarthest = 0.05;  // m
  const size_t marker = tracks.find(label);
  Vec3d low = Vec3d::Constant(1e9), high = -low;
  for (size_t f = 0; f < tracks.frames(); ++f) {
    if (!tracks.has(f, marker)) continue;
    low = low.cwiseMin(tracks.at(f, marker));
    high = high.cwiseMax(tracks.at(f, marker));
  }
  const double way = (high - low).maxCoeff();
  if (way < kFarthest) return;
  throw InputError(fmt::format(
      "the standing trial moves: its marker {} goes {:.0f} cm; a trial with both feet flat and at "
      "rest is needed",
      label, 100 * way));
}

FootShape make_shape(const MarkerTracks& standing, const FootLabels& labels, const Mat3d& R_GL,
                     const Pose<double>& X_floor, bool left) {
  FootShape shape;
  shape.labels = labels.tracked;
  const auto at = [&](const std::string& label) -> Vec3d {
    return X_floor * Vec3d(R_GL * calc_mean_position(standing, label));
  };
  const Vec3d heel = at(labels.heel), ball = 0.5 * (at(labels.inner) + at(labels.outer));
  Vec3d forward = ball - heel;
  forward.z() = 0;
  if (forward.norm() < 0.05) throw InputError("the markers of the standing foot span no foot");
  forward.normalize();
  Mat3d R_GF;
  R_GF << forward.cross(Vec3d::UnitZ()), forward, Vec3d::UnitZ();
  const auto in_foot = [&](const std::string& label) -> Vec3d {
    const Vec3d p = R_GF.transpose() * (at(label) - heel);
    return left ? Vec3d(kTurnedOver * p) : p;
  };
  for (const std::string& label : labels.tracked) shape.markers.push_back(in_foot(label));
  shape.inner = in_foot(labels.inner);
  shape.outer = in_foot(labels.outer);
  shape.floor = -heel.z();
  shape.hallux = labels.hallux;
  if (!shape.hallux.empty()) shape.tip = in_foot(labels.hallux);
  return shape;
}

// Heights of markers that stand, for the floor.
struct StandingHeights {
  struct Point {
    Vec3d p_G;
    int group;
  };
  std::vector<Point> points;
  int groups = 0;

  void add(const Vec3d& p, int group) {
    points.push_back({p, group});
    groups = std::max(groups, group + 1);
  }
};

FloorPlane fit_floor(const StandingHeights& heights) {
  const int n = static_cast<int>(heights.points.size()), unknowns = 2 + heights.groups;
  FloorPlane floor;
  floor.points = n;
  for (const auto& point : heights.points) {
    floor.x0 += point.p_G.x() / n;
    floor.y0 += point.p_G.y() / n;
  }
  if (n < 4) return floor;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + 2, unknowns);
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n + 2, 1);
  for (int k = 0; k < n; ++k) {
    const auto& point = heights.points[static_cast<size_t>(k)];
    A(k, 0) = (point.p_G.x() - floor.x0) / kHeightNoise;
    A(k, 1) = (point.p_G.y() - floor.y0) / kHeightNoise;
    A(k, 2 + point.group) = 1 / kHeightNoise;
    b(k, 0) = point.p_G.z() / kHeightNoise;
  }
  A(n, 0) = A(n + 1, 1) = 1 / kSlopeSpread;
  const Eigen::MatrixXd x = solve_least_squares(A, b);
  floor.slope_x = x(0, 0);
  floor.slope_y = x(1, 0);
  floor.rms = std::sqrt((A.topRows(n) * x - b.topRows(n)).squaredNorm() / n) * kHeightNoise;
  return floor;
}

// Ground to floor: the plane becomes z = 0.
Pose<double> make_to_floor(const FloorPlane& floor) {
  const Vec3d n = Vec3d(-floor.slope_x, -floor.slope_y, 1).normalized();
  const Mat3d R = calc_turn_of_z(n).transpose();
  return {R, R * Vec3d(-floor.x0, -floor.y0, 0)};
}

// A walk that has been looked at.
struct Walk {
  std::string name;
  MotionTrial motion;    // as it is taken: labels, scale of the plates
  MarkerTracks markers;  // filtered, in G
  TrialAnalysis analysis;
  Mat3d R_GL;
};

void analyse_walk(const FootTrialOptions& options, Walk* walk) {
  AnalysisOptions analysis;
  analysis.contacts.threshold = analysis.plates.threshold = options.threshold;
  walk->analysis = analyse(walk->motion, analysis);
}

// Left labels for right ones.
void exchange_sides(std::vector<std::string>* labels) {
  for (const SidedPair& pair : find_sided_pairs(*labels)) {
    std::swap((*labels)[static_cast<size_t>(pair.left)],
              (*labels)[static_cast<size_t>(pair.right)]);
  }
}

// Frames that repeat each other and markers that leap are no measurement: taken as not seen.
void drop_bad_positions(const std::string& name, MarkerTracks* markers,
                        std::vector<std::string>* remarks) {
  if (markers->frames() < 2) return;
  const std::vector<FrozenStretch> frozen = find_frozen(*markers);
  const auto is_whole = [&](const FrozenStretch& f) {
    return f.last - f.first + 1 == markers->frames();  // somebody stands, to the last digit
  };
  if (!frozen.empty() && is_whole(frozen.front())) return;
  for (const FrozenStretch& f : frozen) {
    remarks->push_back(
        fmt::format("{}: no marker moves by the last digit from {:.2f} to {:.2f} s: the recording "
                    "was frozen there, and its markers are taken as not seen",
                    name, markers->times[f.first], markers->times[f.last]));
  }
  std::vector<std::string> notes;  // of one marker each; what is told here is of the walk
  forces::drop_frozen(markers, &notes);
  // Any marker may be named in a study, not only those that play a role in `vesica forces`.
  const std::string role = "R.Heel";
  const double rate =
      double(markers->frames() - 1) / (markers->times.back() - markers->times.front());
  std::vector<std::string> names;
  size_t dropped = 0;
  for (size_t i = 0; i < markers->markers(); ++i) {
    MarkerTracks one;
    one.labels = {role};
    one.rate = rate;
    one.times = markers->times;
    one.positions = markers->track(i);
    forces::drop_jumps({role}, rate, &one, &notes);
    size_t here = 0;
    for (size_t f = 0; f < markers->frames(); ++f) {
      if (one.has(f, 0) || !markers->has(f, i)) continue;
      markers->at(f, i) = Vec3d::Constant(kMissing);
      ++here;
    }
    if (here > 0) names.push_back(markers->labels[i]);
    dropped += here;
  }
  if (names.empty()) return;
  constexpr size_t kMostNames = 4;
  const size_t more = names.size() > kMostNames ? names.size() - kMostNames : 0;
  names.resize(names.size() - more);
  remarks->push_back(fmt::format(
      "{}: {}{} jump{} from one frame to the next: taken as not seen in {} frame{}", name,
      fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more markers", more) : "",
      names.size() + more == 1 ? "s" : "", dropped, dropped == 1 ? "" : "s"));
}

Walk look_at(const FootTrial& trial, const FootTrialOptions& options,
             std::vector<std::string>* remarks) {
  Walk walk;
  walk.name = trial.name;
  walk.motion = trial.motion;
  drop_bad_positions(trial.name, &walk.motion.markers, remarks);
  for (const auto& [plate, factor] : options.plate_scale) scale_plate(&walk.motion, plate, factor);
  analyse_walk(options, &walk);
  if (walk.analysis.walk.sides_exchanged) {
    exchange_sides(&walk.motion.markers.labels);
    analyse_walk(options, &walk);
    remarks->push_back(
        trial.name +
        ": the right foot's markers lie to the left of the left one's: left and right "
        "are taken to be exchanged");
  }
  return walk;
}

// Plates that read a multiple in one of the walks are scaled in all of them.
void mend_plates(const FootTrialOptions& options, std::vector<Walk>* walks,
                 std::vector<std::string>* remarks) {
  std::map<std::string, double> factors;  // by the plate's name
  for (const Walk& walk : *walks) {
    const PlateScale& scale = walk.analysis.plate_scale;
    if (!scale.is_off()) continue;
    if (!scale.high_is_wrong()) continue;  // which of the two is wrong cannot be told; it warns
    for (const int plate : scale.high) {
      factors.emplace(walk.analysis.plates[static_cast<size_t>(plate)].name, 1 / scale.factor);
    }
  }
  if (factors.empty()) return;
  for (Walk& walk : *walks) {
    bool changed = false;
    for (size_t k = 0; k < walk.analysis.plates.size(); ++k) {
      const auto found = factors.find(walk.analysis.plates[k].name);
      if (found == factors.end()) continue;
      scale_plate(&walk.motion, static_cast<int>(k) + 1, found->second);
      changed = true;
    }
    if (changed) analyse_walk(options, &walk);
  }
  for (const auto& [name, factor] : factors) {
    remarks->push_back(fmt::format(
        "plate {} reads {:g} times the weight of this body, by what the others read and "
        "the height of the pelvis: its forces are divided by {:g} in all walks",
        name, 1 / factor, 1 / factor));
  }
}

std::vector<Walk> take_walks(const std::vector<FootTrial>& trials, const FootTrialOptions& options,
                             std::vector<std::string>* remarks) {
  std::vector<Walk> walks;
  for (const FootTrial& trial : trials) walks.push_back(look_at(trial, options, remarks));
  if (walks.empty()) throw InputError("there is no walk");
  mend_plates(options, &walks, remarks);
  return walks;
}

void track_markers(const FootTrialOptions& options, Walk* given) {
  Walk& walk = *given;
  walk.R_GL = make_to_ground(walk.analysis.up);
  walk.markers = std::move(walk.motion.markers);
  walk.motion = {};
  fill_marker_gaps(&walk.markers, {});
  filter_markers(&walk.markers, make_low_pass(options.cutoff, walk.markers.rate));
  for (Vec3d& p : walk.markers.positions) p = walk.R_GL * p;
}

// Why a stance cannot be used; empty if it can.
std::string find_fault(const Walk& walk, const Stance& stance) {
  if (stance.foot != Foot::kLeft && stance.foot != Foot::kRight) {
    return stance.foot == Foot::kBoth ? "both feet are on the plate" : "no foot is near the load";
  }
  if (stance.starts_before || stance.ends_after) return "it is not whole";
  if (stance.partial) return "the foot reaches beyond the plate";
  if (stance.contacts.size() != 1) return "it lies on several plates";
  if (stance.end - stance.start < 0.3 || stance.end - stance.start > 1.5) {
    return fmt::format("it lasts {:.2f} s", stance.end - stance.start);
  }
  if (stance.start < walk.markers.start_time() || stance.end > walk.markers.times.back()) {
    return "there are no markers for all of it";
  }
  return {};
}

Vec3d rotation_vector_between(const Mat3d& from, const Mat3d& to) {
  const Quaternion<double> q = as_quaternion(Mat3d(to * from.transpose()));
  const Vec3d v(q.x, q.y, q.z);
  const double s = v.norm();
  const double w = q.w < 0 ? -q.w : q.w;
  const double sign = q.w < 0 ? -1 : 1;
  return s < 1e-12 ? Vec3d(2 * sign * v) : Vec3d(sign * v * (2 * std::atan2(s, w) / s));
}

// Poses of the foot over the whole walk, in the floor's frame, as a right foot.
struct FootTrack {
  std::vector<Pose<double>> poses;
  std::vector<bool> found;
  std::vector<double> toe;  // rad; empty: it is not measured
};

// Direction of a point of the toes, about x of the joint's frame.
double calc_toe_direction(const FootJoint& joint, const Vec3d& p_F) {
  const Vec3d p = joint.X_PF.R_WB.transpose() * (p_F - joint.X_PF.p_WB);
  return std::atan2(p.z(), p.y());
}

void measure_toe(const Walk& walk, const FootShape& shape, const Pose<double>& X_floor, bool left,
                 FootTrack* track) {
  const size_t marker =
      shape.hallux.empty() ? walk.markers.markers() : walk.markers.find(shape.hallux);
  if (marker >= walk.markers.markers()) return;
  const FootJoint joint = make_template(shape).joints.front();
  const double standing = calc_toe_direction(joint, shape.tip);
  for (size_t f = 0; f < walk.markers.frames(); ++f) {
    Vec3d p = X_floor * walk.markers.at(f, marker);
    if (left) p = kTurnedOver * p;
    const Pose<double>& X = track->poses[f];
    const Vec3d p_F = X.R_WB.transpose() * (p - X.p_WB);
    track->toe.push_back(calc_toe_direction(joint, p_F) - standing);
  }
}

FootTrack track_foot(const Walk& walk, const FootShape& shape, const Pose<double>& X_floor,
                     bool left) {
  FootTrack track;
  std::vector<size_t> markers;
  for (const std::string& label : shape.labels) markers.push_back(walk.markers.find(label));
  for (size_t f = 0; f < walk.markers.frames(); ++f) {
    std::vector<Vec3d> seen;
    for (const size_t m : markers) {
      Vec3d p = Vec3d::Constant(kMissing);
      if (m < walk.markers.markers()) p = X_floor * walk.markers.at(f, m);
      seen.push_back(left ? Vec3d(kTurnedOver * p) : p);
    }
    const RigidFit fit = fit_rigid(shape.markers, seen);
    track.found.push_back(fit.found);
    track.poses.push_back(fit.X_WB);
  }
  measure_toe(walk, shape, X_floor, left, &track);
  return track;
}

// Force and centre of pressure of a plate at other times, straight between its samples.
struct PlateAt {
  const PlateForces& plate;
  Mat3d R_GL;
  Pose<double> X_floor;
  bool left;

  // Normal force; the point is NaN where it is not known.
  double operator()(double time, Eigen::Vector2d* cop, Eigen::Vector2d* shear,
                    double* free_moment) const {
    shear->setZero();
    *free_moment = kMissing;
    const auto& t = plate.times;
    const auto after = std::upper_bound(t.begin(), t.end(), time);
    if (after == t.begin() || after == t.end()) {
      *cop = Eigen::Vector2d::Constant(kMissing);
      return 0;
    }
    const auto k = static_cast<size_t>(after - t.begin()) - 1;
    const double part = (time - t[k]) / (t[k + 1] - t[k]);
    const Vec3d force = (1 - part) * plate.forces[k] + part * plate.forces[k + 1];
    const Vec3d point =
        (1 - part) * plate.centers_of_pressure[k] + part * plate.centers_of_pressure[k + 1];
    const Vec3d p = X_floor * Vec3d(R_GL * point);
    *cop = {left ? -p.x() : p.x(), p.y()};
    const double moment = (1 - part) * plate.free_moments[k] + part * plate.free_moments[k + 1];
    *free_moment = left ? -moment : moment;
    const Vec3d f = X_floor.R_WB * R_GL * force;
    *shear = {left ? -f.x() : f.x(), f.y()};
    return f.z();
  }
};

// Its origin under the heel while it is flat.
void move_to_heel(FootStance* stance) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  int count = 0;
  for (size_t f = 0; f < stance->frames.size(); ++f) {
    if (stance->phase(f) < 0.3 || stance->phase(f) > 0.5) continue;
    sum += stance->frames[f].foot.X_WB.p_WB.head<2>();
    ++count;
  }
  if (count == 0) return;
  const Eigen::Vector2d origin = sum / count;
  for (FootFrame& frame : stance->frames) frame.foot.X_WB.p_WB.head<2>() -= origin;
  for (Eigen::Vector2d& cop : stance->cop) cop -= origin;
}

FootStance make_stance(const Walk& walk, const Stance& stance, const FootTrack& track,
                       const Pose<double>& X_floor, bool left) {
  const auto& times = walk.markers.times;
  const PlateContact& contact =
      walk.analysis.contacts[static_cast<size_t>(stance.contacts.front())];
  const PlateAt plate{walk.analysis.plates[static_cast<size_t>(contact.plate)], walk.R_GL, X_floor,
                      left};
  FootStance out;
  out.plate = contact.plate;
  for (size_t f = 1; f + 1 < times.size(); ++f) {
    if (times[f] < stance.start || times[f] > stance.end) continue;
    if (!track.found[f - 1] || !track.found[f] || !track.found[f + 1]) {
      throw InputError(fmt::format("the foot's markers are missing at {:.3f} s", times[f]));
    }
    FootFrame frame;
    frame.time = times[f];
    const double h = times[f + 1] - times[f - 1];
    const Pose<double>&before = track.poses[f - 1], &after = track.poses[f + 1];
    frame.foot.X_WB = track.poses[f];
    frame.foot.V_WB.v_WB = (after.p_WB - before.p_WB) / h;
    frame.foot.V_WB.w_WB = rotation_vector_between(before.R_WB, after.R_WB) / h;
    frame.angles = {0.0};
    frame.rates = {0.0};
    if (!track.toe.empty()) {
      frame.angles[0] = track.toe[f];
      frame.rates[0] = (track.toe[f + 1] - track.toe[f - 1]) / h;
      if (!std::isfinite(frame.rates[0]) || !std::isfinite(frame.angles[0])) {
        throw InputError(fmt::format("the toe's marker is missing at {:.3f} s", times[f]));
      }
    }
    Eigen::Vector2d cop, shear;
    double free_moment = 0;
    out.force.push_back(plate(times[f], &cop, &shear, &free_moment));
    out.free_moment.push_back(free_moment);
    out.cop.push_back(cop);
    out.shear.push_back(shear);
    out.frames.push_back(std::move(frame));
  }
  move_to_heel(&out);
  return out;
}

// The turn about the vertical that brings the feet of a walk to point along y.
Mat3d calc_turn_ahead(const Walk& walk, const std::vector<const FootLabels*>& feet) {
  Vec3d ahead = Vec3d::Zero();
  for (const FootLabels* foot : feet) {
    const size_t heel = walk.markers.find(foot->heel), inner = walk.markers.find(foot->inner);
    if (std::max(heel, inner) >= walk.markers.markers()) continue;
    for (size_t f = 0; f < walk.markers.frames(); ++f) {
      if (!walk.markers.has(f, heel) || !walk.markers.has(f, inner)) continue;
      ahead += walk.markers.at(f, inner) - walk.markers.at(f, heel);
    }
  }
  ahead.z() = 0;
  if (!(ahead.norm() > 0)) return Mat3d::Identity();
  ahead.normalize();
  Mat3d R;
  R << ahead.y(), -ahead.x(), 0, ahead.x(), ahead.y(), 0, 0, 0, 1;
  return R;
}

// Bones keep their lengths: distances between markers of the foot in a walk against the standing
// ones.
void check_lengths(const Walk& walk, const FootShape& shape, FootTrials* trials) {
  // Skin moves them by up to 10 mm in thirteen people; feet of others differ by 10 to 30 mm.
  constexpr double kOdd = 0.012, kWrong = 0.04;  // m
  double most = 0;
  std::string words;
  for (size_t i = 0; i < shape.labels.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const size_t a = walk.markers.find(shape.labels[j]), b = walk.markers.find(shape.labels[i]);
      if (std::max(a, b) >= walk.markers.markers()) continue;
      std::vector<double> lengths;
      for (size_t f = 0; f < walk.markers.frames(); ++f) {
        if (!walk.markers.has(f, a) || !walk.markers.has(f, b)) continue;
        lengths.push_back((walk.markers.at(f, a) - walk.markers.at(f, b)).norm());
      }
      if (lengths.empty()) continue;
      const double walking = calc_median(lengths);
      const double standing = (shape.markers[i] - shape.markers[j]).norm();
      if (std::abs(walking - standing) <= most) continue;
      most = std::abs(walking - standing);
      words = fmt::format("{} to {}: {:.0f} mm, standing {:.0f} mm", shape.labels[j],
                          shape.labels[i], 1e3 * walking, 1e3 * standing);
    }
  }
  if (most > kWrong) {
    throw InputError(fmt::format(
        "{}: these are not the markers of the foot that stands: {}; look at units, labels, and "
        "whose trial it is",
        walk.name, words));
  }
  if (most > kOdd) {
    trials->remarks.push_back(
        fmt::format("{}: {}: is the standing trial of the same person, with the same labels?",
                    walk.name, words));
  }
}

// A foot that is flat in a walk lies as it stood, at the same height. `shape`: of this side.
void check_flat_feet(const FootTrials::Entry& entry, FootTrials* trials) {
  // Thirteen people: up to 13 degrees and 8 mm.
  constexpr double kWrongTilt = 0.5, kOddTilt = 0.3, kOddHeight = 0.010;  // rad, m
  const FootShape& shape = entry.side == Foot::kLeft ? trials->left : trials->right;
  std::vector<double> tilts, heights;
  for (size_t f = 0; f < entry.stance.frames.size(); ++f) {
    if (entry.stance.phase(f) < 0.3 || entry.stance.phase(f) > 0.5) continue;
    const Pose<double>& X = entry.stance.frames[f].foot.X_WB;
    tilts.push_back(std::acos(std::clamp(X.R_WB(2, 2), -1.0, 1.0)));
    // The middle of the foot, which a little pitch leaves where it is.
    heights.push_back((X * Vec3d(0, 0.085, shape.floor)).z());
  }
  if (tilts.empty()) return;
  const double tilt = calc_median(tilts), height = calc_median(heights);
  const std::string place =
      fmt::format("{}: {} stance at {:.2f} s", entry.trial, name_of(entry.side), entry.begin);
  if (tilt > kWrongTilt) {
    throw InputError(fmt::format(
        "{}: the foot that stands flat is turned over by {:.0f} degrees against the standing one; "
        "does the standing trial have the same axes, and the same labels inside and outside?",
        place, tilt * 180 / M_PI));
  }
  if (tilt > kOddTilt) {
    trials->remarks.push_back(fmt::format(
        "{}: the foot, flat, is tilted by {:.0f} degrees against the standing one: were both feet "
        "flat in the standing trial, with the same labels?",
        place, tilt * 180 / M_PI));
  }
  if (std::abs(height) > kOddHeight) {
    trials->remarks.push_back(fmt::format(
        "{}: the foot, flat, is {:.0f} mm {} than it stood: do both trials have the same zero, and "
        "did both feet stand flat?",
        place, 1e3 * std::abs(height), height > 0 ? "higher" : "lower"));
  }
}

// The weight against what the plates say, and the clocks of forces and markers.
void check_forces(const std::vector<Walk>& walks, FootTrials* trials) {
  // Own forces of 88 walks: up to 61 ms; of another walk of the same person: 35 to 334 ms.
  constexpr double kMostDisagreement = 0.065;  // s
  for (const Walk& walk : walks) {
    const ClockOffset& clocks = walk.analysis.clock_offset;
    const double apart = std::abs(clocks.seconds) + clocks.spread;
    if (clocks.is_off() || clocks.stances < 2 || apart <= kMostDisagreement) continue;
    trials->remarks.push_back(fmt::format(
        "{}: forces and standing feet disagree by up to {:.2f} s in one of {} stances: are they of "
        "one walk?",
        walk.name, apart, clocks.stances));
  }
  std::vector<double> peaks;
  for (const FootTrials::Entry& e : trials->stances) {
    peaks.push_back(*std::max_element(e.stance.force.begin(), e.stance.force.end()));
  }
  const double peak = calc_median(peaks) / trials->weight;
  if (peak < 0.8 || peak > 2) {
    trials->remarks.push_back(
        fmt::format("forces peak at {:.2g} times the weight of {:.0f} N, in walking at 1.0 to 1.6 "
                    "times: is `weight` right?",
                    peak, trials->weight));
  }
}

void add_standing_heights(const Walk& walk, const FootLabels& labels, Foot side, int group,
                          StandingHeights* heights) {
  struct Window {
    std::string label;
    double from, to;
  };
  const Window windows[] = {
      {labels.heel, 0.2, 0.4}, {labels.inner, 0.3, 0.6}, {labels.outer, 0.3, 0.6}};
  for (const Stance& stance : walk.analysis.stances) {
    if (stance.foot != side || stance.starts_before || stance.ends_after) continue;
    for (int k = 0; k < 3; ++k) {
      const size_t marker = walk.markers.find(windows[k].label);
      if (marker >= walk.markers.markers()) continue;
      std::vector<Vec3d> seen;
      const double duration = stance.end - stance.start;
      for (size_t f = 0; f < walk.markers.frames(); ++f) {
        const double u = (walk.markers.times[f] - stance.start) / duration;
        if (u >= windows[k].from && u <= windows[k].to && walk.markers.has(f, marker)) {
          seen.push_back(walk.markers.at(f, marker));
        }
      }
      if (seen.size() < 3) continue;
      std::sort(seen.begin(), seen.end(),
                [](const Vec3d& a, const Vec3d& b) { return a.z() < b.z(); });
      heights->add(seen[seen.size() / 2], group + k);
    }
  }
}

double calc_weight(const std::vector<Walk>& walks) {
  std::vector<double> all;
  for (const Walk& walk : walks) {
    for (const WeightEstimate& w : walk.analysis.weights) all.push_back(w.weight);
  }
  if (all.empty()) {
    throw InputError(
        "no whole stride lies on the plates: give the body's weight (`weight: 700 N`)");
  }
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                   all.end());
  return all[all.size() / 2];
}

}  // namespace

std::vector<FootTrial> mend_walks(const std::vector<FootTrial>& walks,
                                  const FootTrialOptions& options,
                                  std::vector<std::string>* remarks) {
  std::vector<FootTrial> mended;
  for (Walk& walk : take_walks(walks, options, remarks)) {
    mended.push_back({walk.name, std::move(walk.motion)});
  }
  return mended;
}

FootTrials find_foot_stances(const MotionTrial& standing, const std::vector<FootTrial>& trials,
                             const FootTrialOptions& options) {
  FootTrials result;
  const GaitMarkers gait = find_gait_markers(standing.markers.labels);
  const auto labels_of = [&](const FootMarkers& foot, const FootMarkers& other, const char* side) {
    const auto has_any = [](const FootMarkers& f) {
      return f.heel >= 0 || f.inner >= 0 || f.outer >= 0;
    };
    if (!has_any(foot) && has_any(other)) {
      result.remarks.push_back(
          fmt::format("the standing trial has no markers of the {} foot: it is left out", side));
      return FootLabels{};
    }
    FootLabels labels = find_labels(standing.markers, foot, side);
    check_standing(standing.markers, labels.heel);
    const char letter = side[0] == 'l' ? 'L' : 'R';
    add_ankle(standing.markers, letter, &labels);
    add_hallux(standing.markers, letter, &labels);
    return labels;
  };
  const FootLabels left = labels_of(gait.left, gait.right, "left");
  const FootLabels right = labels_of(gait.right, gait.left, "right");

  std::vector<Walk> walks = take_walks(trials, options, &result.remarks);
  for (Walk& walk : walks) {
    if (walk.analysis.plates.empty()) {
      result.remarks.push_back(walk.name + ": has no force plates, so it says nothing here");
    }
    for (const std::string& warning : walk.analysis.force_warnings) {
      result.remarks.push_back(walk.name + ": " + warning);
    }
    track_markers(options, &walk);
  }
  const Mat3d R_GL = walks.front().R_GL;
  StandingHeights heights;
  for (const Walk& walk : walks) {
    const auto& from = options.floor_from;
    if (!from.empty() && std::find(from.begin(), from.end(), walk.name) == from.end()) continue;
    if (!left.tracked.empty()) add_standing_heights(walk, left, Foot::kLeft, 0, &heights);
    if (!right.tracked.empty()) add_standing_heights(walk, right, Foot::kRight, 3, &heights);
  }
  result.floor = fit_floor(heights);
  result.weight = options.weight > 0 ? options.weight : calc_weight(walks);
  std::vector<const FootLabels*> feet;
  for (const FootLabels* labels : {&left, &right}) {
    if (!labels->tracked.empty()) feet.push_back(labels);
  }
  const Mat3d R_ahead = calc_turn_ahead(walks.front(), feet);
  const Pose<double> X_level = make_to_floor(result.floor);
  const Pose<double> X_floor{R_ahead * X_level.R_WB, R_ahead * X_level.p_WB};
  if (!left.tracked.empty()) {
    result.left = make_shape(standing.markers, left, R_GL, X_floor, true);
  }
  if (!right.tracked.empty()) {
    result.right = make_shape(standing.markers, right, R_GL, X_floor, false);
  }

  for (const Walk& walk : walks) {
    for (const bool is_left : {true, false}) {
      if (!(is_left ? result.left : result.right).is_there()) continue;
      const FootShape& shape = is_left ? result.left : result.right;
      if (options.check) check_lengths(walk, shape, &result);
      const FootTrack track = track_foot(walk, shape, X_floor, is_left);
      for (const Stance& stance : walk.analysis.stances) {
        if ((stance.foot == Foot::kLeft) != is_left && stance.foot != Foot::kUnknown &&
            stance.foot != Foot::kBoth) {
          continue;
        }
        const std::string fault = find_fault(walk, stance);
        const std::string place = fmt::format("{}: {} stance at {:.2f} to {:.2f} s", walk.name,
                                              name_of(stance.foot), stance.start, stance.end);
        if (!fault.empty()) {
          const bool twice = stance.foot == Foot::kUnknown || stance.foot == Foot::kBoth;
          if (!twice || is_left || !result.left.is_there()) {
            result.remarks.push_back(place + " is left out: " + fault);
          }
          continue;
        }
        try {
          FootTrials::Entry entry{walk.name,
                                  stance.foot,
                                  stance.start,
                                  stance.end,
                                  walk.analysis.walking_speed,
                                  make_stance(walk, stance, track, X_floor, is_left)};
          entry.stance.name = fmt::format("{} {}", walk.name, name_of(stance.foot));
          entry.stance.weight = result.weight;
          if (track.toe.empty()) entry.lost_hallux = shape.hallux;
          if (options.check) check_flat_feet(entry, &result);
          const std::string other = find_second_foot(entry.stance, shape);
          if (!other.empty()) throw InputError(other);
          result.stances.push_back(std::move(entry));
        } catch (const InputError& e) {
          result.remarks.push_back(fmt::format("{} is left out: {}", place, e.what()));
        }
      }
    }
  }
  if (options.check && !result.stances.empty()) check_forces(walks, &result);
  if (result.stances.empty()) {
    std::string why;
    for (const std::string& remark : result.remarks) why += "\n  " + remark;
    throw InputError("no walk has a whole stance of one foot on one plate" + why);
  }
  return result;
}

FootModel make_template(const FootShape& shape, bool lateral_edge) {
  const Vec3d ball = 0.5 * (shape.inner + shape.outer);
  const double length = ball.y(), scale = length / 0.17, width = (shape.outer - shape.inner).norm();
  Vec3d axis = shape.outer - shape.inner;
  axis.z() = 0;
  axis.normalize();
  const double turn = std::atan2(axis.y(), axis.x());  // of the metatarsals about z
  const double sole = shape.floor - 0.005;             // of the pad as it is loaded in standing
  FootModel foot;
  foot.stiffness = 1.6e7;
  foot.damping = 0.6;
  FootJoint toe{"toe", 0, {as_rotation_123({0, 0, turn}), ball}};
  toe.X_PF.p_WB.z() = shape.floor + 0.016;
  toe.X_PF.p_WB += 0.01 * scale * toe.X_PF.R_WB.col(1);
  foot.joints = {toe};
  const Vec3d heel_radii = scale * Vec3d(0.030, 0.042, 0.026);
  const Vec3d ball_radii(0.5 * width + 0.008, 0.032 * scale, 0.024 * scale);
  const Vec3d toe_radii(0.4 * width, 0.026 * scale, 0.014 * scale);
  foot.ellipsoids = {
      {"heel", 0, heel_radii, {0, 0.22 * length, sole + heel_radii.z()}, Vec3d::Zero()},
      {"ball", 0, ball_radii, {ball.x(), ball.y() - 0.005, sole + ball_radii.z()}, {0, 0, turn}},
      {"toe",
       1,
       toe_radii,
       {-0.1 * width, 0.035 * scale, sole + toe_radii.z() - toe.X_PF.p_WB.z()},
       Vec3d::Zero()},
  };
  if (lateral_edge) foot.ellipsoids.push_back(make_lateral_edge(foot));
  return foot;
}

FootEllipsoid make_lateral_edge(const FootModel& foot) {
  const int heel = foot.find_ellipsoid("heel"), ball = foot.find_ellipsoid("ball");
  if (heel < 0 || ball < 0) {
    throw InputError("foot: the lateral edge lies between ellipsoids heel and ball");
  }
  const FootEllipsoid& h = foot.ellipsoids[static_cast<size_t>(heel)];
  const FootEllipsoid& b = foot.ellipsoids[static_cast<size_t>(ball)];
  const double length = b.position.y() - h.position.y();
  FootEllipsoid edge{"lateral", 0, {0.016, 0.35 * length, 0.018}, {}, Vec3d::Zero()};
  const double bottom = 0.5 * (h.position.z() - h.radii.z() + b.position.z() - b.radii.z()) + 0.002;
  edge.position = {b.position.x() + 0.6 * b.radii.x(), h.position.y() + 0.6 * length,
                   bottom + edge.radii.z()};
  return edge;
}

}  // namespace vesica
