#include "vesica/forces/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vesica/error.h"
#include "vesica/forces/contacts.h"
#include "vesica/forces/marker_jumps.h"
#include "vesica/forces/recording_digest.h"
#include "vesica/forces/upper_body.h"
#include "vesica/math/median.h"
#include "vesica/motion/butterworth.h"
#include "vesica/motion/gaps.h"
#include "vesica/motion/marker_names.h"
#include "vesica/motion/rigid_fit.h"
#include "vesica/motion/standing_floor.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica::forces {
namespace {

constexpr double kMostFloorOff = 0.04;                   // m: a floor of 6 mm/m is off by 20
constexpr double kExtension = 0.4, kChangeWindow = 0.1;  // s

// The tracks of a cluster's markers, in the laboratory.
struct ClusterTracks {
  Cluster cluster;
  std::vector<Track> tracks;
};

ClusterTracks find_cluster(const MarkerTracks& markers, const Cluster& cluster,
                           const std::string& file, const char* what, bool exchanged) {
  ClusterTracks found;
  std::vector<std::string> missing;
  for (size_t i = 0; i < cluster.roles.size(); ++i) {
    std::string role = cluster.roles[i];
    if (exchanged && role.starts_with("R.")) {
      role[0] = 'L';
    } else if (exchanged && role.starts_with("L.")) {
      role[0] = 'R';
    }
    const int index = find_role(markers, role);
    if (index < 0) {
      missing.push_back(role);
      continue;
    }
    found.cluster.roles.push_back(cluster.roles[i]);
    found.cluster.points.push_back(cluster.points[i]);
    found.tracks.push_back(markers.track(static_cast<size_t>(index)));
  }
  if (found.tracks.size() < 3) {
    throw InputError(fmt::format(
        "{}: the {} needs at least three markers that the standing trial has too; found {}{}{}. If "
        "they have other names, give a map (--map)",
        file, what, found.cluster.roles.empty() ? "none" : "", fmt::join(found.cluster.roles, ", "),
        missing.empty() ? "" : fmt::format(", not {}", fmt::join(missing, ", "))));
  }
  return found;
}

// Roles without their side, each once, where both sides have them; those that one side alone has
// are a note, by their labels.
std::vector<std::string> list_markers(const std::vector<const ClusterTracks*>& clusters,
                                      bool exchanged, std::vector<std::string>* notes) {
  std::set<std::string> all, roles;
  for (const ClusterTracks* cluster : clusters) {
    all.insert(cluster->cluster.roles.begin(), cluster->cluster.roles.end());
  }
  for (const std::string& role : all) {
    const bool has_side = role.starts_with("R.") || role.starts_with("L.");
    std::string other = role;
    other[0] = role[0] == 'R' ? 'L' : 'R';
    if (!has_side || all.contains(other)) {
      roles.insert(has_side ? role.substr(2) : role);
    } else {
      notes->push_back(fmt::format(
          "There is no {}, although {} is there: its segment's other markers have to do.",
          exchanged ? role : other, exchanged ? other : role));
    }
  }
  return {roles.begin(), roles.end()};
}

// Where the feet of the walk stand lower or higher than they stood: on the deck of a treadmill,
// say.
void find_floor(const std::array<ClusterTracks, 2>& feet, const std::vector<GaitEvent>& events,
                const Body& body, Walk* walk) {
  walk->floor = body.floor;
  std::vector<double> off;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != GaitEvent::Kind::kStrike) continue;
    const auto end = std::find_if(
        events.begin() + static_cast<std::ptrdiff_t>(i), events.end(), [&](const GaitEvent& e) {
          return e.kind == GaitEvent::Kind::kOff && e.foot == events[i].foot;
        });
    if (end == events.end()) continue;
    const bool is_right = (events[i].foot == Foot::kRight) != walk->sides_exchanged;
    const ClusterTracks& foot = feet[is_right ? kRight : kLeft];
    for (size_t m = 0; m < foot.tracks.size(); ++m) {
      const bool is_heel = foot.cluster.roles[m].ends_with("Heel");
      const Vec3d p = find_standing_place(walk->all_times, foot.tracks[m], events[i].time,
                                          end->time, is_heel ? kHeelStands : kBallStands);
      if (!p.allFinite()) continue;
      off.push_back(p.dot(walk->up_W) - body.floor - foot.cluster.points[m].y());
    }
  }
  if (off.empty() || std::abs(calc_median(off)) < kMostFloorOff) return;
  walk->floor += calc_median(off);
  walk->notes.push_back(fmt::format(
      "The feet stand {:.0f} mm {} than in the standing trial: the floor is taken there.",
      1e3 * std::abs(calc_median(off)), calc_median(off) > 0 ? "higher" : "lower"));
}

// Bones keep their lengths: markers of another person, or put elsewhere, do not fit the body.
void find_misfit(const std::vector<const ClusterTracks*>& clusters, Walk* walk) {
  double sum = 0, worst = 0;
  size_t pairs = 0;
  std::vector<double> distances(walk->frames());
  for (const ClusterTracks* c : clusters) {
    for (size_t i = 0; i < c->tracks.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        for (size_t k = 0; k < walk->frames(); ++k) {
          distances[k] = (c->tracks[i][k] - c->tracks[j][k]).norm();
        }
        const double standing = (c->cluster.points[i] - c->cluster.points[j]).norm();
        const double off = calc_median(distances) - standing;
        sum += off * off;
        ++pairs;
        if (std::abs(off) <= std::abs(worst)) continue;
        worst = off;
        walk->misfit_pair =
            fmt::format("{} to {}: {:.0f} mm, standing {:.0f} mm", c->cluster.roles[j],
                        c->cluster.roles[i], 1e3 * (standing + off), 1e3 * standing);
      }
    }
  }
  walk->misfit = std::sqrt(sum / static_cast<double>(std::max<size_t>(pairs, 1)));
}

// Short gaps by a cubic, longer ones from the other markers of the segment.
void fill(const std::string& what, double rate, ClusterTracks* cluster,
          std::vector<std::string>* notes) {
  GapFillOptions options;
  options.max_frames = std::max(1, static_cast<int>(kLongestGap * rate));
  int filled = 0, longest = 0, rebuilt = 0;
  for (Track& track : cluster->tracks) {
    for (const FilledGap& gap : fill_gaps(track, options)) {
      filled += gap.gap.count;
      longest = std::max(longest, gap.gap.count);
    }
  }
  const size_t n = cluster->tracks[0].size(), m = cluster->tracks.size();
  std::vector<Vec3d> seen(m);
  for (size_t k = 0; k < n; ++k) {
    size_t present = 0;
    for (size_t i = 0; i < m; ++i) {
      seen[i] = cluster->tracks[i][k];
      if (seen[i].allFinite()) ++present;
    }
    if (present == m || present < 3) continue;
    const RigidFit fit = fit_rigid(cluster->cluster.points, seen);
    if (!fit.found) continue;
    for (size_t i = 0; i < m; ++i) {
      if (seen[i].allFinite()) continue;
      cluster->tracks[i][k] = fit.X_WB * cluster->cluster.points[i];
      ++rebuilt;
    }
  }
  if (filled > 0) {
    notes->push_back(
        fmt::format("Gaps in markers of the {} are filled: {} positions, the longest "
                    "gap {} frames.",
                    what, filled, longest));
  }
  if (rebuilt > 0) {
    notes->push_back(fmt::format(
        "{} positions of markers of the {} are missing; the segment's other markers give them.",
        rebuilt, what));
  }
}

std::vector<Pose<double>> fit_poses(const ClusterTracks& cluster) {
  const size_t n = cluster.tracks[0].size(), m = cluster.tracks.size();
  std::vector<Pose<double>> poses(n);
  std::vector<Vec3d> seen(m);
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < m; ++i) seen[i] = cluster.tracks[i][k];
    poses[k] = fit_rigid(cluster.cluster.points, seen).X_WB;
  }
  return poses;
}

Track place(const std::vector<Pose<double>>& poses, const Vec3d& point) {
  Track track(poses.size());
  for (size_t k = 0; k < poses.size(); ++k) track[k] = poses[k] * point;
  return track;
}

Track mix(const Track& a, const Track& b, double part) {
  Track track(a.size());
  for (size_t k = 0; k < a.size(); ++k) track[k] = a[k] + part * (b[k] - a[k]);
  return track;
}

// Cuts to the frames in which all clusters are seen whole, and turns into H.
void cut_and_turn(std::vector<ClusterTracks*> clusters, const std::string& file, Walk* walk) {
  const size_t n = walk->all_times.size();
  const auto is_seen = [&](size_t k) {
    return std::all_of(clusters.begin(), clusters.end(), [&](const ClusterTracks* c) {
      return std::all_of(c->tracks.begin(), c->tracks.end(),
                         [&](const Track& t) { return t[k].allFinite(); });
    });
  };
  // The longest run without a gap.
  size_t first = 0, last = 0;
  for (size_t k = 0; k < n;) {
    size_t end = k;
    while (end < n && is_seen(end)) ++end;
    if (end - k > last - first) {
      first = k;
      last = end;
    }
    k = end + 1;
  }
  const double seconds = static_cast<double>(last - first) / walk->rate;
  if (seconds < 0.5) {
    throw InputError(fmt::format(
        "{}: pelvis, shanks and feet are seen together for {:.2f} s at most; at least 0.5 s are "
        "needed (vesica motion shows which markers have gaps)",
        file, seconds));
  }
  if (last - first < n) {
    walk->notes.push_back(
        fmt::format("Pelvis, shanks and feet are seen together from {:.3f} to {:.3f} s; forces are "
                    "predicted there alone, and the files that are written begin and end there.",
                    walk->all_times[first], walk->all_times[last - 1]));
  }
  walk->first_frame = first;
  walk->times.assign(walk->all_times.begin() + static_cast<std::ptrdiff_t>(first),
                     walk->all_times.begin() + static_cast<std::ptrdiff_t>(last));
  for (ClusterTracks* cluster : clusters) {
    for (Track& track : cluster->tracks) {
      Track cut(last - first);
      for (size_t k = first; k < last; ++k) {
        cut[k - first] = walk->in_heading(walk->all_times[k], track[k]);
      }
      track = std::move(cut);
    }
  }
}

// Goes on beyond both ends with what was a stride before (or after), so that filters see a walk
// there and not an end. What the stride has changed goes on as a line. Returns the frames added at
// either end; 0 where the walk shows less than a stride.
size_t extend_by_strides(const std::vector<ClusterTracks*>& clusters, double stride, double rate) {
  const auto in_frames = [&](double seconds) {
    return static_cast<size_t>(std::lround(seconds * rate));
  };
  const size_t n = clusters[0]->tracks[0].size(), period = in_frames(stride),
               window = in_frames(kChangeWindow);
  if (period == 0 || window < 3 || n < period + window) return 0;
  const size_t extra = std::min(in_frames(kExtension), period);
  for (ClusterTracks* cluster : clusters) {
    for (Track& x : cluster->tracks) {
      Track longer(n + 2 * extra);
      std::copy(x.begin(), x.end(), longer.begin() + static_cast<std::ptrdiff_t>(extra));
      // The change over a stride from frame `first` on, as a line in the frame: a + b (k - first).
      const auto fit_change = [&](size_t first) {
        Vec3d mean = Vec3d::Zero(), slope = Vec3d::Zero();
        const double middle = 0.5 * static_cast<double>(window - 1);
        double spread = 0;
        for (size_t i = 0; i < window; ++i) {
          const Vec3d change = x[first + i + period] - x[first + i];
          const double t = static_cast<double>(i) - middle;
          mean += change / static_cast<double>(window);
          slope += t * change;
          spread += t * t;
        }
        slope /= spread;
        return std::pair<Vec3d, Vec3d>(mean - middle * slope, slope);
      };
      const size_t last = n - window - period;  // of what is a stride before the last window
      const auto [end, end_slope] = fit_change(last);
      const auto [begin, begin_slope] = fit_change(0);
      for (size_t j = 1; j <= extra; ++j) {
        const double step = static_cast<double>(j);
        longer[extra + n - 1 + j] =
            x[n - 1 + j - period] + end + (static_cast<double>(window - 1) + step) * end_slope;
        longer[extra - j] = x[period - j] - begin + step * begin_slope;
      }
      x = std::move(longer);
    }
  }
  return extra;
}

// Takes the frames away that extend_by_strides has added.
void cut_extension(size_t extra, Walk* walk) {
  const auto cut = [&](auto& values) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(extra));
    values.resize(values.size() - extra);
  };
  cut(walk->pelvis);
  cut(walk->slow_pelvis);
  for (Track& a : walk->pelvis_acceleration) cut(a);
  cut(walk->legs_acceleration);
  cut(walk->legs_moment);
  for (Leg& leg : walk->legs) {
    for (Track* t : {&leg.hip, &leg.knee, &leg.ankle, &leg.origin, &leg.toe_tip, &leg.inner,
                     &leg.outer, &leg.acceleration, &leg.foot_acceleration}) {
      cut(*t);
    }
    for (Track& t : leg.mass_center) cut(t);
    cut(leg.R_HF);
    cut(leg.toward);
  }
}

void make_leg(const ClusterTracks& shank, const ClusterTracks& foot, const Body& body, int side,
              Track hip, double rate, Leg* leg) {
  const std::vector<Pose<double>> shank_poses = fit_poses(shank);
  leg->hip = std::move(hip);
  leg->knee = place(shank_poses, body.knee[side]);
  leg->ankle = place(shank_poses, body.ankle[side]);
  const std::vector<Pose<double>> foot_poses = fit_poses(foot);
  leg->toe_tip = place(foot_poses, body.toe_tip[side]);
  leg->inner = place(foot_poses, body.inner[side]);
  leg->outer = place(foot_poses, body.outer[side]);
  const auto heel =
      std::find(foot.cluster.roles.begin(), foot.cluster.roles.end(), sided(side, "Heel"));
  const Track& heel_track = foot.tracks[static_cast<size_t>(heel - foot.cluster.roles.begin())];
  leg->mass_center = {mix(leg->hip, leg->knee, kSegments[0].center),
                      mix(leg->knee, leg->ankle, kSegments[1].center),
                      mix(heel_track, leg->toe_tip, kSegments[2].center)};
  leg->acceleration.assign(leg->hip.size(), Vec3d::Zero());
  for (size_t i = 0; i < 3; ++i) {
    const Track a = calc_acceleration(leg->mass_center[i], 12.0, rate);
    for (size_t k = 0; k < a.size(); ++k) {
      leg->acceleration[k] += kSegments[i].fraction / kGravity * a[k];
    }
  }
  leg->foot_acceleration = calc_acceleration(leg->mass_center[2], 20.0, rate);
  for (Vec3d& a : leg->foot_acceleration) a *= kSegments[2].fraction / kGravity;
  ClusterTracks smooth = foot;
  for (Track& track : smooth.tracks) track = calc_filtered(track, 15.0, rate);
  const std::vector<Pose<double>> poses = fit_poses(smooth);
  for (const Pose<double>& pose : poses) {
    leg->origin.push_back(pose.p_WB);
    leg->R_HF.push_back(pose.R_WB);
    leg->toward.push_back(Vec2d(pose.R_WB(0, 0), pose.R_WB(2, 0)).normalized());
  }
}

void make_dynamics(Walk* walk) {
  const size_t n = walk->pelvis.size();
  walk->slow_pelvis = calc_filtered(walk->pelvis, 6.0, walk->rate);
  for (size_t f = 0; f < kBands.size(); ++f) {
    walk->pelvis_acceleration[f] = calc_acceleration(walk->pelvis, kBands[f], walk->rate);
    for (Vec3d& a : walk->pelvis_acceleration[f]) a /= kGravity;
  }
  walk->legs_acceleration.assign(n, Vec3d::Zero());
  walk->legs_moment.assign(n, Vec3d::Zero());
  for (const Leg& leg : walk->legs) {
    for (size_t k = 0; k < n; ++k) walk->legs_acceleration[k] += leg.acceleration[k];
    for (size_t i = 0; i < 3; ++i) {
      const Track s = calc_filtered(leg.mass_center[i], 10.0, walk->rate);
      const Track a = calc_acceleration(leg.mass_center[i], 10.0, walk->rate);
      for (size_t k = 0; k < n; ++k) {
        walk->legs_moment[k] +=
            kSegments[i].fraction / kGravity *
            ((s[k] - walk->slow_pelvis[k]) * (kGravity + a[k].y()) - s[k].y() * a[k]);
      }
    }
  }
}

// Right is right of left: of the pelvis, seen along the walk.
bool are_sides_exchanged(const MarkerTracks& markers, const Vec3d& to_the_right) {
  int right = -1, left = -1;
  for (const char* role : {"ASIS", "Iliac.Crest", "PSIS"}) {
    right = find_role(markers, sided(kRight, role));
    left = find_role(markers, sided(kLeft, role));
    if (right >= 0 && left >= 0) break;
  }
  if (right < 0 || left < 0) return false;
  double sum = 0;
  for (size_t k = 0; k < markers.frames(); ++k) {
    const double apart =
        (markers.at(k, static_cast<size_t>(right)) - markers.at(k, static_cast<size_t>(left)))
            .dot(to_the_right);
    if (std::isfinite(apart)) sum += apart;
  }
  return sum < 0;
}

// Without them no event is found.
void refuse_missing(const GaitMarkers& gait, const std::string& file) {
  std::vector<std::string> missing;
  for (const auto& [foot, letter] : {std::pair{&gait.right, "R"}, std::pair{&gait.left, "L"}}) {
    if (foot->heel < 0) missing.push_back(fmt::format("{}.Heel", letter));
    if (foot->toe < 0 && foot->inner < 0) missing.push_back(fmt::format("{}.MT1 or MT2", letter));
  }
  if (missing.empty()) return;
  throw InputError(fmt::format(
      "{}: there is no {}, which strikes and offs are found by. If it has another name, give a map "
      "(--map)",
      file, fmt::join(missing, ", no ")));
}

// The fifth metatarsal lies outside of the first.
void check_feet(const ClusterTracks& foot, int side, const std::string& file) {
  const auto index = [&](const char* role) {
    return static_cast<size_t>(
        std::find(foot.cluster.roles.begin(), foot.cluster.roles.end(), sided(side, role)) -
        foot.cluster.roles.begin());
  };
  const size_t inner = index("MT1"), outer = index("MT5");
  if (inner >= foot.tracks.size() || outer >= foot.tracks.size()) return;
  double sum = 0;
  for (size_t k = 0; k < foot.tracks[0].size(); ++k) {
    sum += (foot.tracks[outer][k] - foot.tracks[inner][k]).z();
  }
  if (sum * sign_of(side) > 0) return;
  throw InputError(fmt::format(
      "{}: {} lies to the inside of {}, seen along the walk, although the pelvis has its sides "
      "right: labels of the foot are exchanged; a map that exchanges them mends that (--map)",
      file, sided(side, "MT5"), sided(side, "MT1")));
}

}  // namespace

Track calc_filtered(const Track& track, double cutoff, double rate) {
  const ZeroPhaseFilter filter = make_low_pass(std::min(cutoff, 0.4 * rate), rate);
  Track result(track.size());
  std::vector<double> x(track.size());
  for (int a = 0; a < 3; ++a) {
    for (size_t k = 0; k < track.size(); ++k) x[k] = track[k][a];
    filter_signal(filter, x);
    for (size_t k = 0; k < track.size(); ++k) result[k][a] = x[k];
  }
  return result;
}

Track calc_acceleration(const Track& track, double cutoff, double rate) {
  const Track x = calc_filtered(track, cutoff, rate);
  Track a(x.size(), Vec3d::Zero());
  for (size_t k = 1; k + 1 < x.size(); ++k) {
    a[k] = rate * rate * (x[k + 1] - 2.0 * x[k] + x[k - 1]);
  }
  if (x.size() > 2) {
    a.front() = a[1];
    a.back() = a[a.size() - 2];
  }
  return a;
}

Walk make_walk(const MotionTrial& trial, const std::string& name, const Body& body) {
  MarkerTracks markers = trial.markers;
  Walk walk;
  walk.digest = calc_recording_digest(markers);
  walk.name = name;
  walk.file = trial.file;
  walk.all_times = markers.times;
  if (markers.frames() < 20) {
    throw InputError(trial.file + ": there are fewer than 20 frames of markers");
  }
  require_even_clock(markers.times, trial.file);
  walk.rate =
      static_cast<double>(markers.frames() - 1) / (markers.times.back() - markers.times.front());
  walk.notes = trial.warnings;
  std::vector<std::string> roles = body.pelvis.roles;
  for (const auto* clusters : {&body.shank, &body.foot}) {
    for (const Cluster& c : *clusters) roles.insert(roles.end(), c.roles.begin(), c.roles.end());
  }
  std::vector<std::string> dropped;
  drop_frozen(&markers, &dropped);
  drop_jumps(roles, walk.rate, &markers, &dropped);
  walk.notes.insert(walk.notes.end(), dropped.begin(), dropped.end());
  const GaitMarkers gait = find_gait_markers(markers.labels);
  // Missing markers by name before anything else: no walk is found without them either.
  ClusterTracks pelvis = find_cluster(markers, body.pelvis, trial.file, "pelvis", false);
  for (int side = 0; side < 2; ++side) {
    find_cluster(markers, body.foot[side], trial.file, side == kRight ? "right foot" : "left foot",
                 false);
  }
  refuse_missing(gait, trial.file);
  walk.up_W = find_vertical(markers);
  if ((walk.up_W - body.up_W).norm() > 1e-9) {
    const auto say = [](const Vec3d& up) {
      Eigen::Index axis = 0;
      up.cwiseAbs().maxCoeff(&axis);
      return fmt::format("{}{}", up[axis] > 0 ? "+" : "-", "XYZ"[axis]);
    };
    throw InputError(
        fmt::format("{}: {} is up, but {} in the standing trial: write both in the same axes",
                    trial.file, say(walk.up_W), say(body.up_W)));
  }
  const MarkerEvents found = find_marker_events(markers, gait, walk.up_W);
  if (!found.why_none.empty()) {
    throw InputError(fmt::format("{}: no walk that forces could be predicted of: {}{}{}",
                                 trial.file, found.why_none, dropped.empty() ? "" : ". ",
                                 fmt::join(dropped, " ")));
  }
  walk.R_HW.row(0) = found.ahead;
  walk.R_HW.row(1) = walk.up_W;
  walk.R_HW.row(2) = found.ahead.cross(walk.up_W);
  walk.belt_W = found.belt;
  walk.notes.insert(walk.notes.end(), found.remarks.begin(), found.remarks.end());
  walk.sides_exchanged = are_sides_exchanged(markers, walk.R_HW.row(2));
  if (walk.sides_exchanged) {
    std::erase_if(walk.notes, [](const std::string& note) {  // it is mended here
      return note.find("look exchanged") != note.npos;
    });
    walk.notes.push_back(
        "Left and right labels are exchanged throughout (the pelvis' right is to its left): "
        "undone.");
    pelvis = find_cluster(markers, body.pelvis, trial.file, "pelvis", true);
  }
  std::array<ClusterTracks, 2> shanks, feet;
  for (int side = 0; side < 2; ++side) {
    const char* shank = side == kRight ? "right shank" : "left shank";
    const char* foot = side == kRight ? "right foot" : "left foot";
    shanks[side] = find_cluster(markers, body.shank[side], trial.file, shank, walk.sides_exchanged);
    feet[side] = find_cluster(markers, body.foot[side], trial.file, foot, walk.sides_exchanged);
    if (std::find(feet[side].cluster.roles.begin(), feet[side].cluster.roles.end(),
                  sided(side, "Heel")) == feet[side].cluster.roles.end()) {
      throw InputError(fmt::format("{}: there is no marker {}", trial.file, sided(side, "Heel")));
    }
    fill(shank, walk.rate, &shanks[side], &walk.notes);
    fill(foot, walk.rate, &feet[side], &walk.notes);
  }
  fill("pelvis", walk.rate, &pelvis, &walk.notes);
  walk.markers = list_markers({&pelvis, &shanks[0], &shanks[1], &feet[0], &feet[1]},
                              walk.sides_exchanged, &walk.notes);
  find_floor(feet, found.events, body, &walk);
  cut_and_turn({&pelvis, &shanks[0], &shanks[1], &feet[0], &feet[1]}, trial.file, &walk);
  find_misfit({&pelvis, &shanks[0], &shanks[1], &feet[0], &feet[1]}, &walk);
  const size_t extra = extend_by_strides({&pelvis, &shanks[0], &shanks[1], &feet[0], &feet[1]},
                                         find_stride(found.events), walk.rate);
  const std::vector<Pose<double>> pelvis_poses = fit_poses(pelvis);
  walk.pelvis = place(pelvis_poses, body.pelvis_center);
  for (int side = 0; side < 2; ++side) {
    check_feet(feet[side], side, trial.file);
    make_leg(shanks[side], feet[side], body, side, place(pelvis_poses, body.hip[side]), walk.rate,
             &walk.legs[side]);
  }
  make_dynamics(&walk);
  cut_extension(extra, &walk);
  // Speed: the slope of the pelvis' way.
  double n = 0, st = 0, stt = 0, sx = 0, stx = 0;
  for (size_t k = 0; k < walk.frames(); ++k) {
    const double t = walk.times[k] - walk.times[0], x = walk.pelvis[k].x();
    n += 1;
    st += t;
    stt += t * t;
    sx += x;
    stx += t * x;
  }
  walk.speed = (n * stx - st * sx) / (n * stt - st * st);
  walk.froude_speed = walk.speed / std::sqrt(kGravity * body.leg_length);
  walk.upper = find_upper_body(markers, &walk);
  std::array<FootEvents, 2> events;
  for (const GaitEvent& event : found.events) {
    int side = event.foot == Foot::kRight ? kRight : kLeft;
    if (walk.sides_exchanged) side = 1 - side;
    (event.kind == GaitEvent::Kind::kStrike ? events[side].strikes : events[side].offs)
        .push_back(event.time);
    if (event.doubtful) events[side].doubtful.insert(event.time);
  }
  find_walk_contacts(events, &walk);
  for (Contact& c : walk.contacts) {
    c.is_cut = (!c.starts_before && c.strike < walk.times.front()) ||
               (!c.ends_after && c.off > walk.times.back());
  }
  if (walk.contacts.empty()) {
    throw InputError(fmt::format(
        "{}: no contact of a foot from strike to off lies in the recording", trial.file));
  }
  set_floor(Vec3d::Zero(), &walk);
  return walk;
}

void set_floor(const Vec3d& slope_W, Walk* walk) {
  const Vec3d slope = walk->R_HW * slope_W;
  walk->slope = Vec2d(slope.x(), slope.z());
  for (int side = 0; side < 2; ++side) {
    Leg& leg = walk->legs[side];
    leg.pitch.resize(walk->frames());
    leg.roll.resize(walk->frames());
    for (size_t k = 0; k < walk->frames(); ++k) {
      const Mat3d& R = leg.R_HF[k];
      const auto rise = [&](int column) {
        return std::clamp(
            R(1, column) - walk->slope[0] * R(0, column) - walk->slope[1] * R(2, column), -1.0,
            1.0);
      };
      leg.pitch[k] = std::asin(rise(0));
      leg.roll[k] = sign_of(side) * std::asin(rise(2));
    }
  }
}

Vec3d level_floor(const Body& body, std::vector<Walk*> walks) {
  std::vector<StandingPoint> points;  // heel, inner, outer of either side
  for (const Walk* walk : walks) {
    const Mat3d R_WH = walk->R_HW.transpose();
    for (const Contact& c : walk->contacts) {
      const Leg& leg = walk->legs[c.side];
      const auto add = [&](int marker, const Track& track, const StancePart& part) {
        // On a treadmill the belt's own frame: its feet stand there.
        const Vec3d p = R_WH * find_standing_place(walk->times, track, c.strike, c.off, part);
        if (p.allFinite()) points.push_back({p, marker + 3 * c.side});
      };
      add(0, leg.origin, kHeelStands);
      add(1, leg.inner, kBallStands);
      add(2, leg.outer, kBallStands);
    }
  }
  if (walks[0]->belt_W.norm() == 0.0) {
    for (const Body::Standing& s : body.standing) {
      points.push_back({s.p_W, (s.role.ends_with("MT1") ? 1 : 2) + (s.role[0] == 'L' ? 3 : 0)});
    }
  }
  const Vec3d slope_W = find_floor_slope(points, walks[0]->up_W).slope;
  for (Walk* walk : walks) set_floor(slope_W, walk);
  return slope_W;
}

}  // namespace vesica::forces
