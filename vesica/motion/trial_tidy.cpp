#include "vesica/motion/trial_tidy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/io/motion_clock.h"

namespace vesica {
namespace {

// A missing row: which row it follows, and its time.
struct MissingRow {
  size_t after = 0;
  double time = 0.0;
};

constexpr double kLeap = 5.0;  // usual steps: more is a hole, however uneven the clock

std::vector<MissingRow> list_missing_rows(std::span<const double> times, const Clock& clock) {
  std::vector<MissingRow> rows;
  const bool in_full = clock.is_even && clock.missing <= 2 * times.size() + 1000;
  for (const ClockHole& hole : clock.holes) {
    const double from = times[hole.after], until = times[hole.after + 1];
    if (in_full) {
      for (size_t i = 1; i <= hole.missing; ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(hole.missing + 1);
        rows.push_back({hole.after, from + part * (until - from)});
      }
    } else if (clock.is_even || until - from > kLeap * clock.step) {
      rows.push_back({hole.after, 0.5 * (from + until)});
    }
  }
  return rows;
}

// `values` with `width` entries per row, and rows of `filler` where rows are missing.
template <class T>
void insert_rows(std::vector<T>* values, size_t width, const std::vector<MissingRow>& missing,
                 const T& filler) {
  if (values->empty() || width == 0) return;
  std::vector<T> result;
  result.reserve(values->size() + missing.size() * width);
  size_t taken = 0;  // rows of `values` so far
  for (const MissingRow& row : missing) {
    const size_t end = row.after + 1;
    result.insert(result.end(), values->begin() + static_cast<long>(taken * width),
                  values->begin() + static_cast<long>(end * width));
    taken = end;
    result.insert(result.end(), width, filler);
  }
  result.insert(result.end(), values->begin() + static_cast<long>(taken * width), values->end());
  *values = std::move(result);
}

void insert_times(std::vector<double>* times, const std::vector<MissingRow>& missing) {
  for (const MissingRow& row : missing) times->push_back(row.time);
  std::sort(times->begin(), times->end());
}

void tell_of_clock(const std::vector<double>& times, const Clock& clock, const char* what,
                   const char* rows, std::vector<std::string>* warnings) {
  if (!clock.is_even) {
    const size_t k = std::max<size_t>(1, clock.uneven_row);
    warnings->push_back(fmt::format(
        "The times of the {} are uneven: usually {:.4g} ms apart, but {:.4g} ms before {:.4f} s "
        "({} {}). Rates, speeds and events assume even steps; resample (--rate) or cut (--from, "
        "--until) first.",
        what, 1e3 * clock.step, 1e3 * (times[k] - times[k - 1]), times[k], rows, k + 1));
    return;
  }
  if (clock.holes.empty()) return;
  const ClockHole& first = clock.holes.front();
  warnings->push_back(
      fmt::format("The {} have {} hole{} in time, {} {}{} in all, the first from {:.4f} to {:.4f} "
                  "s; nothing is "
                  "filtered, resampled or differentiated across.",
                  what, clock.holes.size(), clock.holes.size() == 1 ? "" : "s", clock.missing, rows,
                  clock.missing == 1 ? "" : "s", times[first.after], times[first.after + 1]));
}

// Slope of a line through points (x, y), by least squares.
double fit_slope(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double mean_x = 0.0, mean_y = 0.0, cross = 0.0, square = 0.0;
  for (size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    cross += (x[i] - mean_x) * (y[i] - mean_y);
    square += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return cross / square;
}

// Times such as 0.00 0.00 0.01 0.01: even ones that lost their digits. Even times in their place,
// where those are no further off than the digits lost. The step comes from the rows at which the
// printed time changes: they are known to a row, whatever the digits; a line through all rows would
// be too flat or too steep by the square of a stair over the recording.
bool restore_even_times(std::vector<double>* times) {
  const size_t n = times->size();
  double resolution = kMissing;
  std::vector<double> rows, printed;  // of the changes
  for (size_t k = 1; k < n; ++k) {
    const double step = (*times)[k] - (*times)[k - 1];
    if (!(step > 0.0)) continue;
    if (!(step >= resolution)) resolution = step;
    rows.push_back(static_cast<double>(k));
    printed.push_back((*times)[k] - times->front());
  }
  if (rows.size() < 3) return false;
  const double step = fit_slope(rows, printed);
  if (!(step > 0.0)) return false;
  double start = 0.0;  // such that printed and even times agree on average
  for (size_t k = 0; k < n; ++k) {
    start += ((*times)[k] - step * static_cast<double>(k)) / static_cast<double>(n);
  }
  std::vector<double> even(n);
  for (size_t k = 0; k < n; ++k) {
    even[k] = start + step * static_cast<double>(k);
    if (!(std::abs(even[k] - (*times)[k]) <= resolution)) return false;
  }
  *times = std::move(even);
  return true;
}

void tidy_table_clock(MotionTrial* trial) {
  TimeTable& table = trial->analog;
  size_t repeated = 0, first = 0;
  for (size_t k = 1; k < table.rows(); ++k) {
    if (table.times[k] > table.times[k - 1]) continue;
    if (repeated++ == 0) first = k;
  }
  if (repeated > 0 && table.times.back() > table.times.front()) {
    const double shared = table.times[first];
    // Digits that were lost make many rows share a time, a row written twice only two.
    if (5 * repeated >= table.rows() && restore_even_times(&table.times)) {
      trial->warnings.push_back(fmt::format(
          "{} rows of the table repeat the time of the row before, first at {:g} s: the times were "
          "rounded; taken as even, {:.6g} Hz.",
          repeated, shared, 1.0 / (table.times[1] - table.times[0])));
    } else {
      const size_t width = table.columns.size();
      size_t kept = 1;
      for (size_t k = 1; k < table.rows(); ++k) {
        if (!(table.times[k] > table.times[kept - 1])) continue;
        table.times[kept] = table.times[k];
        std::copy_n(table.values.begin() + static_cast<long>(k * width), width,
                    table.values.begin() + static_cast<long>(kept * width));
        ++kept;
      }
      table.times.resize(kept);
      table.values.resize(kept * width);
      trial->warnings.push_back(fmt::format(
          "{} row{} of the table repeat{} the time of the row before, first at {:g} s (row {}); "
          "left "
          "out, the first of a time stays.",
          repeated, repeated == 1 ? "" : "s", repeated == 1 ? "s" : "", shared, first + 1));
    }
  }
  const Clock clock = find_clock(table.times);
  tell_of_clock(table.times, clock, "table's rows", "row", &trial->warnings);
  const std::vector<MissingRow> missing = list_missing_rows(table.times, clock);
  if (missing.empty()) return;
  insert_rows(&table.values, table.columns.size(), missing, kMissing);
  insert_times(&table.times, missing);
}

// Coordinates have digits that noise changes: no two frames of a camera system are the same.
constexpr size_t kLeastFrozen = 5;   // frames
constexpr size_t kLeastMarkers = 3;  // seen in them
// Of a marker that is nowhere else; fewer are a snapshot, whose origin may be a marker.
constexpr size_t kLeastOrigin = 5;  // frames

void tell_of_frozen(MotionTrial* trial) {
  const MarkerTracks& markers = trial->markers;
  for (const FrozenStretch& frozen : find_frozen(markers)) {
    const size_t count = frozen.last - frozen.first + 1;
    if (count == markers.frames()) {
      trial->warnings.push_back(fmt::format(
          "All {} frames are the same to the last digit: one frame that was repeated?", count));
      return;
    }
    trial->warnings.push_back(fmt::format(
        "All markers stand still to the last digit in {} frames, {} to {} ({:.3f} to {:.3f} s): "
        "the recording was frozen or filled there; what is computed from those frames is no "
        "measurement.",
        count, markers.first_frame + static_cast<int>(frozen.first),
        markers.first_frame + static_cast<int>(frozen.last), markers.times[frozen.first],
        markers.times[frozen.last]));
  }
}

void tidy_origin(MotionTrial* trial) {
  MarkerTracks& markers = trial->markers;
  std::vector<std::string> sentences;
  for (size_t i = 0; i < markers.markers(); ++i) {
    std::vector<Vec3d> track = markers.track(i);
    const size_t zeros = drop_origin(track);
    if (zeros == 0) continue;
    for (size_t k = 0; k < track.size(); ++k) {
      if (markers.at(k, i) == Vec3d::Zero() && !markers.residuals.empty()) {
        markers.residuals[k * markers.markers() + i] = -1.0f;
      }
      markers.at(k, i) = track[k];
    }
    sentences.push_back(
        fmt::format("marker '{}' is exactly at the origin in {} frame{}; taken as not seen there",
                    markers.labels[i], zeros, zeros == 1 ? "" : "s"));
  }
  constexpr size_t kMostSentences = 4;
  if (sentences.size() > kMostSentences) {
    const size_t more = sentences.size() - kMostSentences;
    sentences.resize(kMostSentences);
    sentences.push_back(fmt::format("so {} {} more marker{}", more == 1 ? "is" : "are", more,
                                    more == 1 ? "" : "s"));
  }
  trial->warnings.insert(trial->warnings.end(), sentences.begin(), sentences.end());
}

}  // namespace

std::vector<FrozenStretch> find_frozen(const MarkerTracks& markers) {
  std::vector<FrozenStretch> stretches;
  const size_t width = markers.markers();
  const auto repeats = [&](size_t k) {
    size_t seen = 0;
    for (size_t i = 0; i < width; ++i) {
      if (!markers.has(k, i) && !markers.has(k - 1, i)) continue;
      if (markers.at(k, i) != markers.at(k - 1, i)) return false;
      ++seen;
    }
    return seen >= kLeastMarkers;
  };
  for (size_t k = 1, end = 1; k < markers.frames(); k = end + 1) {
    for (end = k; end < markers.frames() && repeats(end);) ++end;
    if (end - k + 1 >= kLeastFrozen) stretches.push_back({k - 1, end - 1});
  }
  return stretches;
}

size_t drop_origin(std::span<Vec3d> track) {
  const auto zeros = static_cast<size_t>(std::count(track.begin(), track.end(), Vec3d::Zero()));
  const auto seen = static_cast<size_t>(
      std::count_if(track.begin(), track.end(), [](const Vec3d& p) { return p.allFinite(); }));
  if (zeros == 0 || (zeros == seen && zeros < kLeastOrigin)) return 0;
  std::replace(track.begin(), track.end(), Vec3d(Vec3d::Zero()), Vec3d(Vec3d::Constant(kMissing)));
  return zeros;
}

void require_even_clock(std::span<const double> times, const std::string& what) {
  const Clock clock = find_clock(times);
  if (clock.is_even) return;
  const size_t k = std::max<size_t>(1, clock.uneven_row);
  throw InputError(fmt::format(
      "{}: the times are uneven: row {} is at {:g} s, {:.4g} ms after the one before, where {:.4g} "
      "ms are usual; a filter needs even steps: cut (--from, --until) or resample (--rate) first",
      what, k + 1, times[k], 1e3 * (times[k] - times[k - 1]), 1e3 * clock.step));
}

void mark_holes(MarkerTracks* markers) {
  const std::vector<MissingRow> missing =
      list_missing_rows(markers->times, find_clock(markers->times));
  if (missing.empty()) return;
  const size_t width = markers->markers();
  insert_rows(&markers->positions, width, missing, Vec3d(Vec3d::Constant(kMissing)));
  insert_rows(&markers->residuals, width, missing, -1.0f);
  insert_times(&markers->times, missing);
}

void tidy(MotionTrial* trial) {
  MarkerTracks& markers = trial->markers;
  tell_of_clock(markers.times, find_clock(markers.times), "markers", "frame", &trial->warnings);
  mark_holes(&markers);
  // The channels of a C3D count samples; they have no times of their own.
  if (trial->analog.rows() > 0 && trial->plates.empty()) tidy_table_clock(trial);
  tidy_origin(trial);
  tell_of_frozen(trial);
}

}  // namespace vesica
