#include "vesica/identification/foot2d_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "vesica/error.h"
#include "vesica/math/median.h"
#include "vesica/motion/trial_analysis.h"
#include "vesica/motion/trial_edit.h"

namespace vesica {
namespace {

constexpr double kStanceShare = 0.62;  // of a stride, where the toe-off before was not recorded
constexpr double kToeHeight = 0.02;    // m, of a tip that is made up
constexpr double kMostBending = 50 * kPi / 180;

// The label as a marker set names it: what stands before a colon is the subject.
size_t find_label(const MarkerTracks& tracks, const std::string& name) {
  for (size_t m = 0; m < tracks.markers(); ++m) {
    const std::string& label = tracks.labels[m];
    const size_t colon = label.rfind(':');
    if ((colon == std::string::npos ? label : label.substr(colon + 1)) == name) return m;
  }
  return tracks.find(name);
}

// The first list of which all markers are there.
std::vector<size_t> find_markers(const MarkerTracks& tracks, const std::vector<std::string>& given,
                                 const std::vector<std::vector<std::string>>& known) {
  const auto find_all = [&](const std::vector<std::string>& names) {
    std::vector<size_t> found;
    for (const std::string& name : names) {
      const size_t m = find_label(tracks, name);
      if (m >= tracks.markers()) return std::vector<size_t>{};
      found.push_back(m);
    }
    return found;
  };
  if (!given.empty()) {
    for (const std::string& name : given) {
      if (find_label(tracks, name) >= tracks.markers()) {
        throw InputError(fmt::format("there is no marker {}", name));
      }
    }
    return find_all(given);
  }
  for (const auto& names : known) {
    if (auto found = find_all(names); !found.empty()) return found;
  }
  return {};
}

struct PointMarkers {
  std::vector<size_t> ankle, heel, ball, toe;
};

void require_one_place_each(const MarkerTracks& tracks, const PointMarkers& p) {
  std::vector<std::pair<size_t, const char*>> taken;
  const auto take = [&](const std::vector<size_t>& markers, const char* what) {
    for (const size_t m : markers) {
      for (const auto& [other, where] : taken) {
        if (other != m) continue;
        throw InputError(fmt::format("marker {} stands for {} and {}: each belongs to one point",
                                     tracks.labels[m], where, what));
      }
      taken.emplace_back(m, what);
    }
  };
  take(p.ankle, "ankle");
  take(p.heel, "heel");
  take(p.ball, "ball");
  take(p.toe, "toe");
}

PointMarkers find_points(const MarkerTracks& tracks, char s, const Foot2dMarkers& given) {
  const auto name = [&](const char* rest) { return std::string(1, s) + rest; };
  PointMarkers p;
  p.ankle = find_markers(tracks, given.ankle,
                         {{name(".Ankle"), name(".Ankle.Medial")},
                          {name(".Ankle")},
                          {name("ANK"), name("MMA")},
                          {name("ANK")}});
  p.heel = find_markers(tracks, given.heel, {{name(".Heel")}, {name("HEE")}, {name("HEEL")}});
  p.ball = find_markers(tracks, given.ball,
                        {{name(".MT1"), name(".MT5")},
                         {name("D1M"), name("D5M")},
                         {name("TOE"), name("D5M")},
                         {name("TOE")}});
  p.toe = find_markers(tracks, given.toe, {{name("HLX")}, {name(".Hallux")}, {name("HALLUX")}});
  const auto need = [&](const std::vector<size_t>& found, const char* what) {
    if (!found.empty()) return;
    throw InputError(fmt::format(
        "no marker of the {} {} is known by its name: say which it is (`markers: {{{}: {{{}: "
        "[NAME]}}}}`)",
        s == 'L' ? "left" : "right", what, s == 'L' ? "left" : "right", what));
  };
  need(p.ankle, "ankle");
  need(p.heel, "heel");
  need(p.ball, "ball");
  require_one_place_each(tracks, p);
  return p;
}

// Lab to plane: forward, up.
struct SagittalPlane {
  Vec3d forward, up;
  Vec3d origin = Vec3d::Zero();
  Point2<double> operator()(const Vec3d& p) const {
    return {forward.dot(p - origin), up.dot(p - origin)};
  }
};

// `up` of the lab tilted to stand on the floor of foot_trials.
SagittalPlane make_plane(const Vec3d& lab_up, const FloorPlane& floor, const Vec3d& ahead) {
  const Mat3d R_LG = calc_turn_of_z(lab_up);
  SagittalPlane plane;
  plane.up = (R_LG * Vec3d(-floor.slope_x, -floor.slope_y, 1)).normalized();
  plane.forward = (ahead - plane.up * plane.up.dot(ahead)).normalized();
  return plane;
}

Vec3d mean_of(const MarkerTracks& tracks, size_t frame, const std::vector<size_t>& markers) {
  Vec3d sum = Vec3d::Zero();
  for (const size_t m : markers) sum += tracks.at(frame, m);
  return sum / double(markers.size());
}

struct WalkTrack {
  std::string name;
  MarkerTracks markers;  // filtered, in the lab
  TrialAnalysis analysis;
};

WalkTrack track_walk(const FootTrial& trial, const Foot2dTrialOptions& options) {
  WalkTrack walk;
  walk.name = trial.name;
  AnalysisOptions analysis;
  analysis.contacts.threshold = analysis.plates.threshold = options.threshold;
  analysis.plates.filter_cutoff = options.cutoff;
  walk.analysis = analyse(trial.motion, analysis);
  walk.markers = trial.motion.markers;
  fill_marker_gaps(&walk.markers, {});
  filter_markers(&walk.markers, make_low_pass(options.cutoff, walk.markers.rate));
  return walk;
}

// Toe-off of this foot before a stance; none where it was not recorded.
std::optional<double> find_toe_off_before(const TrialAnalysis& analysis, Foot foot, double begin) {
  std::optional<double> found;
  const auto take = [&](double time) {
    if (time < begin - 0.1 && time > begin - 1.2 && (!found || time > *found)) found = time;
  };
  for (const Stance& s : analysis.stances) {
    if (s.foot == foot && !s.ends_after) take(s.end);
  }
  if (found) return found;
  for (const GaitEvent& e : analysis.walk.events) {
    if (e.foot == foot && e.kind == GaitEvent::Kind::kOff) take(e.time);
  }
  return found;
}

const PlateForces& find_plate(const TrialAnalysis& analysis, const FootTrials::Entry& entry,
                              double cutoff) {
  const PlateContact* best = nullptr;
  double least = kInfinity;
  for (const PlateContact& c : analysis.contacts) {
    const double away = std::abs(c.start - entry.begin) + std::abs(c.end - entry.end);
    if (away < least) {
      least = away;
      best = &c;
    }
  }
  if (best == nullptr || least > 0.1) {
    throw InputError(fmt::format(
        "its contact is not found again in forces filtered at {:g} Hz: choose a higher `filter`",
        cutoff));
  }
  return analysis.plates[static_cast<size_t>(best->plate)];
}

void add_load(const PlateForces& plate, double time, bool loaded, const SagittalPlane& plane,
              Foot2dStance* out) {
  const auto after = std::upper_bound(plate.times.begin(), plate.times.end(), time);
  const bool known = loaded && after != plate.times.begin() && after != plate.times.end();
  Vec3d force = Vec3d::Zero();
  double cop = kMissing;
  if (known) {
    const auto k = static_cast<size_t>(after - plate.times.begin()) - 1;
    const double part = (time - plate.times[k]) / (plate.times[k + 1] - plate.times[k]);
    force = (1 - part) * plate.forces[k] + part * plate.forces[k + 1];
    cop = plane((1 - part) * plate.centers_of_pressure[k] + part * plate.centers_of_pressure[k + 1])
              .x;
  }
  out->normal.push_back(force.dot(plane.up));
  out->friction.push_back(force.dot(plane.forward));
  out->cop.push_back(cop);
}

// Where A and P are, the pose follows; its rates are central differences.
struct PlaneTrack {
  std::vector<Point2<double>> A, P;

  Foot2dPose pose(size_t f, double step) const {
    const auto direction = [&](size_t k) { return std::atan2(P[k].y - A[k].y, P[k].x - A[k].x); };
    Foot2dPose q;
    q.x = A[f].x;
    q.y = A[f].y;
    q.theta = direction(f);
    q.vx = (A[f + 1].x - A[f - 1].x) / (2 * step);
    q.vy = (A[f + 1].y - A[f - 1].y) / (2 * step);
    q.spin = std::remainder(direction(f + 1) - direction(f - 1), 2 * kPi) / (2 * step);
    return q;
  }
};

// Mean over the frames in which the foot stands flat, by the phase of the contact.
template <class Value>
double mean_while_flat(const Foot2dStance& s, const Value& value) {
  double sum = 0;
  int count = 0;
  for (size_t f = 0; f < s.frames(); ++f) {
    const double u = (s.times[f] - s.begin) / (s.end - s.begin);
    if (u < 0.3 || u > 0.5) continue;
    sum += value(f);
    ++count;
  }
  return count > 0 ? sum / count : kMissing;
}

// Markers that are another foot's or another point's: hindfoot, forefoot and toes are bodies, on
// which distances stay and are those of a foot; it stands while it is loaded, and then the heel
// lies behind the ball, the tip of the toes ahead of it, the ankle above both.
void check_anatomy(const Foot2dStance& s) {
  struct Length {
    const char* what;
    double least, most;  // m; from a child's foot of 120 mm to one of 320 mm in a shoe
    std::vector<double> values;

    double mean() const {
      double sum = 0;
      for (const double v : values) sum += v;
      return sum / double(values.size());
    }
    double spread() const {
      double sum = 0;
      for (const double v : values) sum += (v - mean()) * (v - mean());
      return std::sqrt(sum / double(values.size()));
    }
  };
  std::vector<Length> lengths = {{"ankle to heel", 0.02, 0.14, {}},
                                 {"ankle to ball", 0.06, 0.22, {}}};
  if (!s.T.empty()) lengths.push_back({"ball to tip of the toes", 0.015, 0.12, {}});
  for (size_t f = 0; f < s.frames(); ++f) {
    const Foot2dPose& q = s.poses[f];
    lengths[0].values.push_back(std::hypot(s.H[f].x - q.x, s.H[f].y - q.y));
    lengths[1].values.push_back(std::hypot(s.P[f].x - q.x, s.P[f].y - q.y));
    if (!s.T.empty()) {
      lengths[2].values.push_back(std::hypot(s.T[f].x - s.P[f].x, s.T[f].y - s.P[f].y));
    }
  }
  // Skin and the projection of a foot that turns: up to 8 mm in wbds07 and oxford_foot, of toes up
  // to 4 mm (tests/identification/foot2d_trials_test.cpp).
  constexpr double kMostSpread = 0.03;  // m
  for (const Length& l : lengths) {
    if (l.spread() <= kMostSpread) continue;
    throw InputError(fmt::format(
        "the distance from {} is {:.0f} +- {:.0f} mm, but they are of one body: are their markers "
        "of this foot?",
        l.what, 1e3 * l.mean(), 1e3 * l.spread()));
  }
  constexpr double kMostSpeed = 0.5;  // m/s; a foot that swings: 2 m/s and more
  const auto check_speed = [&](const char* what, const std::vector<Point2<double>>& points) {
    const double speed = mean_while_flat(s, [&](size_t f) {
      const size_t a = f > 0 ? f - 1 : f, b = f + 1 < s.frames() ? f + 1 : f;
      return (points[b].x - points[a].x) / (s.times[b] - s.times[a]);
    });
    if (!(std::abs(speed) > kMostSpeed)) return;
    throw InputError(fmt::format(
        "its {} moves at {:.1f} m/s while it is loaded: are its markers of the other foot, or does "
        "the floor move?",
        what, speed));
  };
  check_speed("heel", s.H);
  check_speed("ball", s.P);
  const auto check_order = [&](const char* words, double least, const auto& distance) {
    const double mean = mean_while_flat(s, distance);
    if (!(mean < least)) return;
    throw InputError(
        fmt::format("{} by {:.0f} mm only: are their markers exchanged, or does it walk backwards?",
                    words, 1e3 * mean));
  };
  check_order("its ball lies ahead of its heel", 0.02,
              [&](size_t f) { return s.P[f].x - s.H[f].x; });
  check_order("its ankle lies above its heel", 0,
              [&](size_t f) { return s.poses[f].y - s.H[f].y; });
  check_order("its ankle lies above its ball", 0,
              [&](size_t f) { return s.poses[f].y - s.P[f].y; });
  if (!s.T.empty()) {
    check_order("the tip of its toes lies ahead of its ball", 0,
                [&](size_t f) { return s.T[f].x - s.P[f].x; });
  }
  for (const Length& l : lengths) {
    if (l.mean() >= l.least && l.mean() <= l.most) continue;
    throw InputError(fmt::format(
        "from {} it is {:.0f} mm, on a foot {:.0f} to {:.0f} mm: are these its markers?", l.what,
        1e3 * l.mean(), 1e3 * l.least, 1e3 * l.most));
  }
}

// Toes that rest on the floor as far as they bend.
void make_up_toe(Foot2dStance* s) {
  const double ratio = make_shourijeh_geometry().PT / make_shourijeh_geometry().AP;
  double AP = 0;
  for (size_t f = 0; f < s->frames(); ++f) {
    AP += std::hypot(s->P[f].x - s->poses[f].x, s->P[f].y - s->poses[f].y) / double(s->frames());
  }
  const double PT = ratio * AP;
  const auto level = [&](size_t f) {
    return std::asin(std::clamp((kToeHeight - s->P[f].y) / PT, -1.0, 1.0)) - s->poses[f].theta;
  };
  const double rest = mean_while_flat(*s, level);
  s->toe_measured = false;
  for (size_t f = 0; f < s->frames(); ++f) {
    const double psi = s->poses[f].theta + std::clamp(level(f), rest, rest + kMostBending);
    s->T.push_back({s->P[f].x + PT * std::cos(psi), s->P[f].y + PT * std::sin(psi)});
  }
}

Foot2dStance make_planar(const WalkTrack& walk, const FootTrials::Entry& entry,
                         const FloorPlane& floor, double weight, const Foot2dTrialOptions& options,
                         std::vector<std::string>* remarks) {
  const MarkerTracks& m = walk.markers;
  const bool left = entry.side == Foot::kLeft;
  const PointMarkers points = find_points(m, left ? 'L' : 'R', left ? options.left : options.right);
  Foot2dStance s;
  s.trial = entry.trial;
  s.side = name_of(entry.side);
  s.name = fmt::format("{} {} {:.2f} s", entry.trial, s.side, entry.begin);
  s.begin = entry.begin;
  s.end = entry.end;
  s.weight = weight;
  const auto off = find_toe_off_before(walk.analysis, entry.side, entry.begin);
  s.period = off ? entry.end - *off : (entry.end - entry.begin) / kStanceShare;

  // The frames of the period, backwards from toe-off as long as markers are known.
  const auto known = [&](size_t f) {
    const Vec3d sum =
        mean_of(m, f, points.ankle) + mean_of(m, f, points.heel) + mean_of(m, f, points.ball);
    return sum.allFinite() && (points.toe.empty() || mean_of(m, f, points.toe).allFinite());
  };
  size_t last = 0, first = 0;
  for (size_t f = 1; f + 1 < m.frames(); ++f) {
    if (m.times[f] <= entry.end) last = f;
  }
  for (first = last; first > 1 && m.times[first - 1] > entry.end - s.period && known(first - 2);) {
    --first;
  }
  const bool cut = first > 1 && m.times[first - 1] > entry.end - s.period;
  if (!known(last) || !known(last + 1) || m.times[first] > entry.begin) {
    throw InputError("markers of the foot are missing in it");
  }
  Vec3d ahead = walk.analysis.walk.ahead;
  if (ahead.norm() < 0.5) {
    ahead = mean_of(m, last, points.heel) - mean_of(m, first, points.heel);
  }
  SagittalPlane plane = make_plane(walk.analysis.up, floor, ahead);
  const size_t middle = (first + last) / 2;
  plane.origin = plane.forward * plane.forward.dot(mean_of(m, middle, points.ankle));
  PlaneTrack track;
  for (size_t f = first - 1; f <= last + 1; ++f) {
    track.A.push_back(plane(mean_of(m, f, points.ankle)));
    track.P.push_back(plane(mean_of(m, f, points.ball)));
  }
  const PlateForces& plate = find_plate(walk.analysis, entry, options.cutoff);
  for (size_t f = first; f <= last; ++f) {
    const size_t k = f - first + 1;
    s.times.push_back(m.times[f]);
    s.poses.push_back(track.pose(k, 0.5 * (m.times[f + 1] - m.times[f - 1])));
    s.H.push_back(plane(mean_of(m, f, points.heel)));
    s.P.push_back(track.P[k]);
    if (!points.toe.empty()) s.T.push_back(plane(mean_of(m, f, points.toe)));
    add_load(plate, m.times[f], m.times[f] >= entry.begin && m.times[f] <= entry.end, plane, &s);
  }
  check_anatomy(s);
  s.heel_height = mean_while_flat(s, [&](size_t f) { return s.H[f].y; });
  s.ball_height = mean_while_flat(s, [&](size_t f) { return s.P[f].y; });
  if (cut) {
    remarks->push_back(fmt::format(
        "{}: {} stance at {:.2f} s: markers are missing in the swing before it, of which {:.2f} of "
        "{:.2f} s are used",
        entry.trial, s.side, entry.begin, std::max(0.0, entry.begin - m.times[first]),
        s.period - (entry.end - entry.begin)));
  }
  if (points.toe.empty()) make_up_toe(&s);
  return s;
}

// From whole strides; NaN where none lies on the plates.
double find_weight(const std::vector<WalkTrack>& walks) {
  std::vector<double> all;
  for (const WalkTrack& walk : walks) {
    for (const WeightEstimate& w : walk.analysis.weights) all.push_back(w.weight);
  }
  return all.empty() ? kMissing : calc_median(all);
}

// What is odd about a walk, so that nobody wonders where its stances are.
void add_remarks(const WalkTrack& walk, const Foot2dTrialOptions& options,
                 std::vector<std::string>* remarks) {
  const auto add = [&](const std::string& words) {
    const bool said = std::any_of(remarks->begin(), remarks->end(), [&](const std::string& r) {
      return r.starts_with(walk.name + ":") && r.ends_with(words);
    });
    if (!said) remarks->push_back(walk.name + ": " + words);
  };
  for (const std::string& warning : walk.analysis.force_warnings) add(warning);
  // Own forces of 88 walks: up to 61 ms; of another walk of hers: 35 to 334 ms.
  constexpr double kMostDisagreement = 0.065;  // s
  const ClockOffset& clocks = walk.analysis.clock_offset;
  const double apart = std::abs(clocks.seconds) + clocks.spread;
  if (!clocks.is_off() && clocks.stances > 1 && apart > kMostDisagreement) {
    add(
        fmt::format("forces and standing feet disagree by up to {:.2f} s in one of {} stances: are "
                    "they of one walk?",
                    apart, clocks.stances));
  }
  if (walk.analysis.contacts.empty() && walk.analysis.force_warnings.empty()) {
    add("no plate is loaded in it: `forces` given, and pushing up?");
  }
  for (const bool left : {true, false}) {
    try {
      const PointMarkers p =
          find_points(walk.markers, left ? 'L' : 'R', left ? options.left : options.right);
      const std::pair<const std::vector<size_t>*, const char*> all[] = {
          {&p.ankle, "ankle"}, {&p.heel, "heel"}, {&p.ball, "ball"}};
      for (const auto& [markers, what] : all) {
        for (const size_t m : *markers) {
          size_t seen = 0;
          for (size_t f = 0; f < walk.markers.frames(); ++f) seen += walk.markers.has(f, m) ? 1 : 0;
          if (seen > 0) continue;
          add(fmt::format("marker {} of the {} is never seen", walk.markers.labels[m], what));
        }
      }
    } catch (const InputError& e) {
      add(e.what());
    }
  }
}

// Forces that no body makes, and a weight that they do not know: they peak at 0.9 to 1.6 times it
// in walking, at 3 in running.
void check_weight(const Foot2dTrials& trials, const std::vector<WalkTrack>& walks,
                  std::vector<std::string>* remarks) {
  constexpr double kLeastPeak = 100, kMostPeak = 8000;  // N: an infant of 10 kg; 270 kg that run
  std::vector<double> peaks;
  for (const Foot2dStance& s : trials.stances) {
    peaks.push_back(*std::max_element(s.normal.begin(), s.normal.end()));
  }
  const double peak = calc_median(peaks);
  if (peak < kLeastPeak || peak > kMostPeak) {
    remarks->push_back(fmt::format(
        "the force peaks at {:.0f} N, which is that of a body of {:.2g} kg: is it in newtons?",
        peak, peak / 1.1 / 9.81));
  }
  // Of thirteen people 19 to 38; the thinnest child has 10.
  constexpr double kThinnest = 9, kStoutest = 70;  // kg/m^2
  std::vector<double> statures;
  for (const WalkTrack& walk : walks) {
    const double stature = walk.analysis.plate_scale.stature;
    if (std::isfinite(stature)) statures.push_back(stature);
  }
  if (!statures.empty() && peak >= kLeastPeak && peak <= kMostPeak) {
    const double stature = calc_median(statures), mass = peak / 1.1 / 9.81;
    const double index = mass / (stature * stature);
    if (index < kThinnest || index > kStoutest) {
      remarks->push_back(fmt::format(
          "the force peaks at {:.0f} N, which is that of a body of {:.0f} kg, and by the height of "
          "the pelvis it is about {:.1f} m tall: is it in newtons (pounds: times 4.448)?",
          peak, mass, stature));
    }
  }
  const double ratio = peak / trials.weight;
  if (!(ratio < 0.7 || ratio > 4)) return;
  remarks->push_back(fmt::format(
      "the force peaks at {:.2g} times the weight of {:.0f} N: check `weight` (the fits do not "
      "hang on it)",
      ratio, trials.weight));
}

// While the foot is flat the centre of pressure lies between heel and ball.
void check_point(const Foot2dTrials& trials, std::vector<std::string>* remarks) {
  // Of the way from the marker of the heel to those of the ball, mean of 19 to 27 stances each:
  // 0.53 to 0.72 in thirteen people, in a child 0.64.
  constexpr double kLeast = 0.45, kMost = 0.8;
  double part = 0, away = 0, count = 0;
  for (const Foot2dStance& s : trials.stances) {
    const double of_way =
        mean_while_flat(s, [&](size_t f) { return (s.cop[f] - s.H[f].x) / (s.P[f].x - s.H[f].x); });
    const double from_heel = mean_while_flat(s, [&](size_t f) { return s.cop[f] - s.H[f].x; });
    if (!std::isfinite(of_way)) continue;
    part += of_way;
    away += from_heel;
    ++count;
  }
  if (count == 0) return;
  part /= count;
  if (part >= kLeast && part <= kMost) return;
  remarks->push_back(fmt::format(
      "under the flat foot the centre of pressure acts {:.0f} mm ahead of the heel's marker, "
      "{:.0f} "
      "% of the way to the ball's (14 people: 53 to 72 %): do plates and markers share one zero?",
      1e3 * away / count, 100 * part));
}

// The foot is taken to stand on the lab's zero.
void check_floor(const Foot2dTrials& trials, const std::vector<WalkTrack>& walks,
                 std::vector<std::string>* remarks) {
  // Of 14 people in two laboratories, barefoot: 24 to 39 mm.
  constexpr double kLeastBall = 0.015, kMostBall = 0.055;  // m
  constexpr double kMostSurface = 0.005;                   // m, of a plate off the zero
  std::vector<double> heights;
  for (const Foot2dStance& s : trials.stances) heights.push_back(s.ball_height);
  const double ball = calc_median(heights);
  std::vector<double> surfaces;
  for (const WalkTrack& walk : walks) {
    for (const PlateContact& c : walk.analysis.contacts) {
      const PlateForces& plate = walk.analysis.plates[static_cast<size_t>(c.plate)];
      const auto at =
          std::upper_bound(plate.times.begin(), plate.times.end(), 0.5 * (c.start + c.end));
      if (at == plate.times.end()) continue;
      const Vec3d& p = plate.centers_of_pressure[static_cast<size_t>(at - plate.times.begin())];
      if (p.allFinite()) surfaces.push_back(walk.analysis.up.dot(p));
    }
  }
  const double surface = surfaces.empty() ? 0 : calc_median(surfaces);
  const bool off = std::abs(surface) > kMostSurface;
  if (ball >= kLeastBall && ball <= kMostBall && !off) return;
  remarks->push_back(fmt::format(
      "the ball's markers stand {:.0f} mm above the lab's zero (barefoot: 24 to 39 mm){}, and the "
      "foot is taken to stand on that zero: is it the floor?",
      1e3 * ball,
      off ? fmt::format(", the plates' forces act {:.0f} mm above it", 1e3 * surface) : ""));
}

// In walking forwards the ground brakes first and pushes after.
void check_shear(const Foot2dTrials& trials, const std::string& walk,
                 std::vector<std::string>* remarks) {
  int count = 0, against = 0;
  for (const Foot2dStance& s : trials.stances) {
    if (s.trial != walk) continue;
    double brakes = 0, pushes = 0;
    for (size_t f = 0; f < s.frames(); ++f) {
      (s.times[f] < 0.5 * (s.begin + s.end) ? brakes : pushes) += s.friction[f];
    }
    ++count;
    against += brakes > pushes ? 1 : 0;
  }
  if (2 * against <= count) return;
  remarks->push_back(fmt::format(
      "{}: the force along the walk pushes first and brakes after in {} of {} stances: is its sign "
      "turned, is it another axis, or does it walk backwards?",
      walk, against, count));
}

// Distances between the markers of heel, ball and ankle that contradict those of the standing trial
// or of another walk, called `where`: a clause for each foot.
std::vector<std::string> find_other_lengths(const MarkerTracks& other, const std::string& where,
                                            const WalkTrack& walk,
                                            const Foot2dTrialOptions& options) {
  std::vector<std::string> found;
  // Skin moves them by up to 10 mm in 13 people of one laboratory; other feet differ by 10 to 30.
  constexpr double kMostChange = 0.012;  // m
  const auto distance = [](const MarkerTracks& tracks, size_t a, size_t b) {
    std::vector<double> all;
    for (size_t f = 0; f < tracks.frames(); ++f) {
      if (!tracks.has(f, a) || !tracks.has(f, b)) continue;
      all.push_back((tracks.at(f, a) - tracks.at(f, b)).norm());
    }
    return all.empty() ? kMissing : calc_median(all);
  };
  for (const bool left : {true, false}) {
    std::string worst;
    double most = kMostChange;
    try {
      const PointMarkers p =
          find_points(walk.markers, left ? 'L' : 'R', left ? options.left : options.right);
      std::vector<size_t> own;
      for (const auto* list : {&p.ankle, &p.heel, &p.ball}) {
        own.insert(own.end(), list->begin(), list->end());
      }
      for (size_t i = 0; i < own.size(); ++i) {
        for (size_t k = 0; k < i; ++k) {
          const std::string &a = walk.markers.labels[own[k]], &b = walk.markers.labels[own[i]];
          const size_t in_a = other.find(a), in_b = other.find(b);
          if (std::max(in_a, in_b) >= other.markers()) continue;
          const double stands = distance(other, in_a, in_b);
          const double walks = distance(walk.markers, own[k], own[i]);
          if (!(std::abs(stands - walks) > most)) continue;
          most = std::abs(stands - walks);
          worst = fmt::format("{} and {} are {:.0f} mm apart in {}, {:.0f} mm in it", a, b,
                              1e3 * stands, where, 1e3 * walks);
        }
      }
    } catch (const InputError&) {
      continue;  // add_remarks tells what is missing
    }
    if (!worst.empty()) found.push_back(worst);
  }
  return found;
}

void check_person(const MotionTrial& standing, const WalkTrack& walk,
                  const Foot2dTrialOptions& options, std::vector<std::string>* remarks) {
  for (const std::string& lengths :
       find_other_lengths(standing.markers, "the standing trial", walk, options)) {
    remarks->push_back(walk.name + ": " + lengths + ": is `standing` of the same person?");
  }
}

// Floor and weight are those of all walks, so a walk of another person would move the fits of the
// others. Where the standing trial suits some walks, those that it does not suit go; where it suits
// none, it is told (check_person), and those go that contradict the walk that most others suit.
void leave_out_others(const MotionTrial& standing, const Foot2dTrialOptions& options,
                      std::vector<FootTrial>* walks, std::vector<WalkTrack>* tracks,
                      std::vector<std::string>* remarks) {
  const size_t n = tracks->size();
  if (n < 2) return;
  const auto compare = [&](const MarkerTracks& other, const std::string& where) {
    std::vector<std::vector<std::string>> all;
    for (const WalkTrack& walk : *tracks) {
      all.push_back(find_other_lengths(other, where, walk, options));
    }
    return all;
  };
  const auto count_suited = [](const std::vector<std::vector<std::string>>& all) {
    return std::count_if(all.begin(), all.end(), [](const auto& list) { return list.empty(); });
  };
  auto least = compare(standing.markers, "the standing trial");
  if (count_suited(least) == 0) {
    for (const WalkTrack& walk : *tracks) {
      auto own = compare(walk.markers, fmt::format("'{}'", walk.name));
      if (count_suited(own) > count_suited(least)) least = std::move(own);
    }
  }
  std::vector<FootTrial> walks_left;
  std::vector<WalkTrack> tracks_left;
  for (size_t k = 0; k < n; ++k) {
    if (!least[k].empty()) {
      remarks->push_back(fmt::format(
          "{} is left out: {}: is it of another person, or are its labels exchanged? (Floor and "
          "weight are taken from all walks together.)",
          (*tracks)[k].name, least[k].front()));
      continue;
    }
    walks_left.push_back(std::move((*walks)[k]));
    tracks_left.push_back(std::move((*tracks)[k]));
  }
  *walks = std::move(walks_left);
  *tracks = std::move(tracks_left);
}

}  // namespace

Foot2dTrials find_foot2d_stances(const MotionTrial& standing,
                                 const std::vector<FootTrial>& recorded,
                                 const Foot2dTrialOptions& options) {
  Foot2dTrials out;
  FootTrialOptions whole;
  whole.threshold = options.threshold;
  // Stances are found in the same recordings that the plane is cut from.
  std::vector<FootTrial> walks = mend_walks(recorded, whole, &out.remarks);
  std::vector<WalkTrack> tracks;
  for (const FootTrial& walk : walks) tracks.push_back(track_walk(walk, options));
  leave_out_others(standing, options, &walks, &tracks, &out.remarks);
  out.weight = options.weight > 0 ? options.weight : find_weight(tracks);
  const auto add_all = [&](std::vector<std::string>* remarks) {
    for (const WalkTrack& walk : tracks) add_remarks(walk, options, remarks);
  };
  whole.weight = std::isfinite(out.weight) ? out.weight : 1;  // no stance hangs on it
  const FootTrials found = [&] {
    try {
      return find_foot_stances(standing, walks, whole);
    } catch (const InputError& e) {
      std::string why = e.what();
      std::vector<std::string> remarks = out.remarks;
      add_all(&remarks);
      for (const std::string& remark : remarks) {
        if (why.find("\n  " + remark) == std::string::npos) why += "\n  " + remark;
      }
      throw InputError(why);
    }
  }();
  out.remarks.insert(out.remarks.end(), found.remarks.begin(), found.remarks.end());
  bool made_up = false;
  for (const FootTrials::Entry& entry : found.stances) {
    const auto walk = std::find_if(tracks.begin(), tracks.end(),
                                   [&](const WalkTrack& w) { return w.name == entry.trial; });
    try {
      out.stances.push_back(
          make_planar(*walk, entry, found.floor, out.weight, options, &out.remarks));
      made_up = made_up || !out.stances.back().toe_measured;
    } catch (const InputError& e) {
      out.remarks.push_back(fmt::format("{}: {} stance at {:.2f} s is left out: {}", entry.trial,
                                        name_of(entry.side), entry.begin, e.what()));
    }
  }
  add_all(&out.remarks);
  if (out.stances.empty()) {
    std::string why;
    for (const std::string& remark : out.remarks) why += "\n  " + remark;
    throw InputError("no stance can be used" + why);
  }
  check_weight(out, tracks, &out.remarks);
  check_point(out, &out.remarks);
  check_floor(out, tracks, &out.remarks);
  for (const WalkTrack& walk : tracks) {
    check_shear(out, walk.name, &out.remarks);
    check_person(standing, walk, options, &out.remarks);
  }
  if (made_up) {
    out.remarks.push_back(
        "no marker on the toes: they are taken to rest on the floor as far as they bend");
  }
  return out;
}

}  // namespace vesica
