#include "vesica/motion/trial_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "vesica/error.h"
#include "vesica/io/motion_clock.h"
#include "vesica/motion/resample.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica {
namespace {

// Rows [first, last) of a series of times.
struct Range {
  size_t first = 0, last = 0;
};

Range find_range(const std::vector<double>& times, double from, double until) {
  const double half = times.size() < 2 ? 0.0
                                       : 0.5 * (times.back() - times.front()) /
                                             (static_cast<double>(times.size()) - 1.0);
  Range range;
  range.first = static_cast<size_t>(std::lower_bound(times.begin(), times.end(), from - half) -
                                    times.begin());
  range.last = static_cast<size_t>(std::upper_bound(times.begin(), times.end(), until + half) -
                                   times.begin());
  range.last = std::max(range.last, range.first);
  return range;
}

// The samples of an even series, without building its times.
Range find_even_range(double start, double step, size_t count, double from, double until) {
  const auto index = [&](double time) {
    return std::clamp((time - start) / step, -1.0, static_cast<double>(count));
  };
  Range range;
  range.first = static_cast<size_t>(std::max(0.0, std::ceil(index(from) - 0.5)));
  range.last =
      std::min(count, static_cast<size_t>(std::max(0.0, std::floor(index(until) + 0.5) + 1.0)));
  range.last = std::max(range.last, range.first);
  return range;
}

template <class T>
void keep(std::vector<T>* values, const Range& range, size_t width) {
  if (values->empty()) return;
  values->erase(values->begin() + static_cast<long>(range.last * width), values->end());
  values->erase(values->begin(), values->begin() + static_cast<long>(range.first * width));
}

// Groups of three columns that hold one vector: names that end in vx vy vz, px py pz or _x _y _z of
// a torque.
std::vector<std::array<size_t, 3>> find_vector_columns(const TimeTable& table) {
  std::vector<std::array<size_t, 3>> triples;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& name = table.columns[i].name;
    if (name.empty() || name.back() != 'x') continue;
    const bool is_vector = name.ends_with("vx") || name.ends_with("px") ||
                           (name.ends_with("_x") && name.find("torque") != std::string::npos);
    if (!is_vector) continue;
    const std::string stem = name.substr(0, name.size() - 1);
    const size_t y = table.find(stem + "y"), z = table.find(stem + "z");
    if (y < table.columns.size() && z < table.columns.size()) triples.push_back({i, y, z});
  }
  return triples;
}

// Filters what lies between gaps and between holes in time.
int filter_between_holes(const ZeroPhaseFilter& filter, const Clock& clock,
                         std::span<double> signal) {
  int untouched = 0;
  size_t begin = 0;
  for (const ClockHole& hole : clock.holes) {
    untouched += filter_between_gaps(filter, signal.subspan(begin, hole.after + 1 - begin));
    begin = hole.after + 1;
  }
  return untouched + filter_between_gaps(filter, signal.subspan(begin));
}

// Open ends are infinite.
std::string describe_stretch(double from, double until) {
  if (std::isinf(until)) return fmt::format("from {:g} s on", from);
  if (std::isinf(from)) return fmt::format("until {:g} s", until);
  return fmt::format("from {:g} s until {:g} s", from, until);
}

}  // namespace

void trim(MotionTrial* trial, double from, double until) {
  if (!(from < until)) {
    throw InputError(
        fmt::format("{}: {} is no stretch of time", trial->file, describe_stretch(from, until)));
  }
  size_t left = 0;
  if (!trial->markers.times.empty()) {
    MarkerTracks& markers = trial->markers;
    const Range range = find_range(markers.times, from, until);
    keep(&markers.positions, range, markers.markers());
    keep(&markers.residuals, range, markers.markers());
    keep(&markers.words, range, markers.markers());
    keep(&markers.times, range, 1);
    markers.first_frame += static_cast<std::int64_t>(range.first);
    left += markers.frames();
  }
  if (!trial->computed.times.empty()) {
    TimeTable& table = trial->computed;
    const Range range = find_range(table.times, from, until);
    keep(&trial->computed_words, range, table.columns.size() / 3);
    keep(&table.values, range, table.columns.size());
    keep(&table.times, range, 1);
    left += table.rows();
  }
  if (!trial->analog.times.empty()) {
    TimeTable& table = trial->analog;
    const Range range = find_range(table.times, from, until);
    keep(&table.values, range, table.columns.size());
    keep(&table.times, range, 1);
    left += table.rows();
  }
  for (ForcePlate& plate : trial->plates) {
    keep_file_baseline(&plate, trial->markers.rate);
    const Range range =
        find_even_range(plate.start_time, 1.0 / plate.rate, plate.rows(), from, until);
    keep(&plate.samples, range, plate.channels.size());
    plate.start_time += static_cast<double>(range.first) / plate.rate;
    plate.zero_first = plate.zero_last = 0;  // frames counted from a beginning that is gone
  }
  for (PressureFilm& film : trial->films) {
    const Range range = find_even_range(film.start_time, film.dt, film.frames(), from, until);
    keep(&film.pressures, range, film.rows * film.cols);
    film.start_time += static_cast<double>(range.first) * film.dt;
    left += film.frames();
  }
  std::erase_if(trial->events,
                [&](const MotionEvent& event) { return event.time < from || event.time > until; });
  if (left == 0) {
    throw InputError(
        fmt::format("{}: nothing was recorded {}", trial->file, describe_stretch(from, until)));
  }
}

void shift_forces(MotionTrial* trial, double seconds) {
  for (double& t : trial->analog.times) t += seconds;
  for (ForcePlate& plate : trial->plates) plate.start_time += seconds;
}

MotionTrial join(MotionTrial a, MotionTrial b) {
  if (a.markers.markers() > 0 && b.markers.markers() > 0) {
    throw InputError(
        fmt::format("{} and {} both hold markers; give one marker file per trial", a.file, b.file));
  }
  if (!a.analog.columns.empty() && !b.analog.columns.empty()) {
    throw InputError(
        fmt::format("{} and {} both hold a table; give one table per trial", a.file, b.file));
  }
  const bool markers_of_b = a.markers.markers() == 0;
  const std::string file_of_a = std::move(a.file);
  MotionTrial joined = std::move(a);
  joined.file = file_of_a + " + " + b.file;
  joined.format += ", " + b.format;
  if (markers_of_b) joined.markers = std::move(b.markers);
  if (joined.analog.columns.empty()) joined.analog = std::move(b.analog);
  if (joined.c3d == nullptr) joined.c3d = b.c3d;
  const auto append = [](auto* to, auto& from) {
    std::move(from.begin(), from.end(), std::back_inserter(*to));
  };
  append(&joined.plates, b.plates);
  append(&joined.events, b.events);
  append(&joined.films, b.films);
  append(&joined.metadata, b.metadata);
  append(&joined.warnings, b.warnings);
  if (joined.axes.empty() || markers_of_b) joined.axes = b.axes;
  const auto& markers = joined.markers.times;
  const auto& table = joined.analog.times;
  if (!markers.empty() && !table.empty() &&
      (markers.front() > table.back() || table.front() > markers.back())) {
    joined.warnings.push_back(fmt::format(
        "{} and {} have no moment in common: {:.3f} to {:.3f} s and {:.3f} to {:.3f} s.", file_of_a,
        b.file, markers.front(), markers.back(), table.front(), table.back()));
  }
  return joined;
}

int filter_markers(MarkerTracks* markers, const ZeroPhaseFilter& filter) {
  require_even_clock(markers->times, "markers");
  const Clock clock = find_clock(markers->times);
  int untouched = 0;
  std::vector<double> signal(markers->frames());
  for (size_t i = 0; i < markers->markers(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      for (size_t k = 0; k < signal.size(); ++k) signal[k] = markers->at(k, i)[axis];
      const int left = filter_between_holes(filter, clock, signal);
      if (axis == 0) untouched += left;
      for (size_t k = 0; k < signal.size(); ++k) markers->at(k, i)[axis] = signal[k];
    }
  }
  return untouched;
}

int filter_table(TimeTable* table, const ZeroPhaseFilter& filter) {
  require_even_clock(table->times, "table " + table->name);
  const Clock clock = find_clock(table->times);
  int untouched = 0;
  for (size_t i = 0; i < table->columns.size(); ++i) {
    std::vector<double> signal = table->column(i);
    untouched += filter_between_holes(filter, clock, signal);
    for (size_t k = 0; k < signal.size(); ++k) table->at(k, i) = signal[k];
  }
  return untouched;
}

double find_table_rate(const TimeTable& table) {
  const size_t n = table.rows();
  if (n < 2 || !(table.times.back() > table.times.front())) {
    throw InputError(
        fmt::format("table {}: {} rows; a rate needs two at different times", table.name, n));
  }
  require_even_clock(table.times, "table " + table.name);
  return find_clock(table.times).rate();
}

void resample_markers(MarkerTracks* markers, double rate) {
  if (markers->frames() < 2) {
    throw InputError(
        fmt::format("resampling: {} frame; it takes two at different times", markers->frames()));
  }
  mark_holes(markers);
  // Uneven frames become even ones first: the filter before going down counts samples.
  if (rate < markers->rate && !find_clock(markers->times).is_even) {
    resample_markers(markers, markers->rate);
  }
  const std::vector<double> times =
      make_even_times(markers->times.front(), markers->times.back(), rate);
  MarkerTracks result = *markers;
  result.times = times;
  result.rate = rate;
  result.residuals.clear();
  result.words.clear();
  result.positions.assign(times.size() * markers->markers(), Vec3d::Constant(kMissing));
  std::vector<double> signal(markers->frames());
  for (size_t i = 0; i < markers->markers(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      for (size_t k = 0; k < signal.size(); ++k) signal[k] = markers->at(k, i)[axis];
      const auto resampled = change_rate(markers->times, signal, markers->rate, rate, times);
      for (size_t k = 0; k < times.size(); ++k) result.at(k, i)[axis] = resampled[k];
    }
  }
  *markers = std::move(result);
}

std::vector<FilledMarker> fill_marker_gaps(MarkerTracks* markers, const GapFillOptions& options) {
  std::vector<FilledMarker> filled;
  for (size_t i = 0; i < markers->markers(); ++i) {
    std::vector<Vec3d> track = markers->track(i);
    for (const FilledGap& gap : fill_gaps(track, options)) {
      filled.push_back({static_cast<int>(i), gap});
    }
    for (size_t k = 0; k < track.size(); ++k) markers->at(k, i) = track[k];
  }
  return filled;
}

Mat3d make_rotation_to_y_up(const Vec3d& up, const Vec3d& forwards) {
  Mat3d R = Mat3d::Identity();
  const Vec3d y = Vec3d::UnitY();
  if (up.dot(y) < -0.99) {
    R = Eigen::AngleAxisd(M_PI, Vec3d::UnitX()).toRotationMatrix();
  } else if (up.dot(y) < 0.99) {
    R = Eigen::AngleAxisd(std::acos(up.dot(y)), up.cross(y).normalized()).toRotationMatrix();
  }
  Vec3d ahead = R * forwards;
  ahead.y() = 0.0;
  if (ahead.norm() > 1e-9) {
    const double angle = std::atan2(ahead.z(), ahead.x());  // about +y this takes z to x
    const double quarters = std::round(angle / (0.5 * M_PI));
    R = Eigen::AngleAxisd(quarters * 0.5 * M_PI, y).toRotationMatrix() * R;
  }
  // Quarter turns are whole numbers: without rounding dust, positions keep their printed digits.
  for (int i = 0; i < 9; ++i) {
    double& value = R.data()[i];
    if (std::abs(value - std::round(value)) < 1e-12) value = std::round(value);
  }
  return R;
}

namespace {

// A rotation of vectors; by quarters exact, so that turning back gives the same bits.
class Turn {
 public:
  explicit Turn(const Mat3d& R) : R_(R) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (std::abs(R(i, j)) == 1.0) from_[i] = j;
      }
      by_quarters_ = by_quarters_ && from_[i] >= 0;
    }
  }
  Vec3d operator()(const Vec3d& v) const {
    if (!by_quarters_) return R_ * v;
    Vec3d turned;
    for (int i = 0; i < 3; ++i) turned[i] = R_(i, from_[i]) < 0.0 ? -v[from_[i]] : v[from_[i]];
    return turned;
  }

 private:
  Mat3d R_;
  int from_[3] = {-1, -1, -1};
  bool by_quarters_ = true;
};

}  // namespace

void rotate(MotionTrial* trial, const Mat3d& R) {
  const Turn turn(R);
  for (Vec3d& p : trial->markers.positions) p = turn(p);
  for (ForcePlate& plate : trial->plates) {
    for (Vec3d& corner : plate.corners) corner = turn(corner);
  }
  for (const auto& columns : find_vector_columns(trial->analog)) {
    for (size_t k = 0; k < trial->analog.rows(); ++k) {
      Vec3d v;
      for (int i = 0; i < 3; ++i) v[i] = trial->analog.at(k, columns[i]);
      v = turn(v);
      for (int i = 0; i < 3; ++i) trial->analog.at(k, columns[i]) = v[i];
    }
  }
}

void rotate(PlateForces* plate, const Mat3d& R) {
  const Turn turn(R);
  for (auto* vectors : {&plate->forces, &plate->centers_of_pressure, &plate->corners}) {
    for (Vec3d& v : *vectors) v = turn(v);
  }
  plate->normal = turn(plate->normal);
}

TableRows make_force_rows(const std::vector<PlateForces>& plates, const std::string& name) {
  TableRows rows;
  TimeTable& head = rows.head;
  head.name = name;
  if (plates.empty()) return rows;
  head.times = plates[0].times;
  std::vector<Vec3d> resting(plates.size(), Vec3d::Zero());
  for (size_t i = 0; i < plates.size(); ++i) {
    const PlateForces& plate = plates[i];
    if (plate.times.size() != head.times.size()) {
      throw InputError(fmt::format(
          "force plates {} and {} have {} and {} samples; they do not fit into one table",
          plates[0].name, plate.name, head.times.size(), plate.times.size()));
    }
    for (const char* kind : {"force{}_v", "force{}_p", "torque{}_"}) {
      for (const char axis : {'x', 'y', 'z'}) {
        head.columns.push_back(
            {"ground_" + fmt::format(fmt::runtime(kind), plate.name) + axis, ""});
      }
    }
    for (const Vec3d& corner : plate.corners) resting[i] += 0.25 * corner;
  }
  // A point that rests is the last one that was loaded: rows come in order.
  rows.fill = [&plates, resting](size_t k, double* values) mutable {
    for (size_t i = 0; i < plates.size(); ++i) {
      const PlateForces& plate = plates[i];
      const bool loaded = plate.is_loaded(k);
      if (loaded && plate.corners.empty()) resting[i] = plate.centers_of_pressure[k];
      const Vec3d none = Vec3d::Constant(plate.is_missing(k) ? kMissing : 0.0);
      const Vec3d force = loaded ? plate.forces[k] : none;
      const Vec3d point = loaded ? plate.centers_of_pressure[k] : Vec3d(resting[i] + none);
      const Vec3d torque = loaded ? Vec3d(plate.free_moments[k] * plate.normal) : none;
      for (const Vec3d* v : {&force, &point, &torque}) {
        for (int axis = 0; axis < 3; ++axis) *values++ = (*v)[axis];
      }
    }
  };
  return rows;
}

TableRows make_marker_rows(const MarkerTracks& markers, const std::string& name) {
  TableRows rows;
  rows.head.name = name;
  rows.head.times = markers.times;
  for (const std::string& label : markers.labels) {
    for (const char* axis : {"_x", "_y", "_z"}) rows.head.columns.push_back({label + axis, "m"});
  }
  rows.fill = [&markers](size_t k, double* values) {
    for (size_t i = 0; i < markers.markers(); ++i) {
      for (int axis = 0; axis < 3; ++axis) *values++ = markers.at(k, i)[axis];
    }
  };
  return rows;
}

TimeTable make_force_table(const std::vector<PlateForces>& plates, const std::string& name) {
  TableRows rows = make_force_rows(plates, name);
  TimeTable table = std::move(rows.head);
  table.values.resize(table.rows() * table.columns.size());
  for (size_t k = 0; k < table.rows(); ++k) {
    rows.fill(k, table.values.data() + k * table.columns.size());
  }
  return table;
}

}  // namespace vesica
