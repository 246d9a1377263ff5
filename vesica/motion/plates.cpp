#include "vesica/motion/plates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "vesica/error.h"
#include "vesica/io/motion_clock.h"
#include "vesica/motion/butterworth.h"
#include "vesica/motion/plate_level.h"
#include "vesica/motion/plate_order.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica {
namespace {

// Force and moment about the measuring origin, plate axes, with the file's sign.
struct PlateWrench {
  Vec3d F = Vec3d::Zero();
  Vec3d M = Vec3d::Zero();
};

bool is_known(const PlateWrench& wrench) { return wrench.F.allFinite() && wrench.M.allFinite(); }

// Of all samples, apart: what becomes of them takes their place.
struct PlateWrenches {
  std::vector<Vec3d> F, M;

  explicit PlateWrenches(size_t samples) : F(samples), M(samples) {}
  size_t size() const { return F.size(); }
  PlateWrench at(size_t k) const { return {F[k], M[k]}; }
  void set(size_t k, const PlateWrench& wrench) {
    F[k] = wrench.F;
    M[k] = wrench.M;
  }
};

struct PlateFrame {
  Mat3d R;       // plate axes in the lab
  Vec3d center;  // S
};

PlateFrame make_plate_frame(std::span<const Vec3d, 4> c, const std::string& name) {
  const Vec3d x = c[0] - c[1] + c[3] - c[2];
  const Vec3d y = c[0] - c[3] + c[1] - c[2];
  const Vec3d z = x.cross(y);
  // 4 |x| |y| sin: below a square centimetre there is no plate.
  if (!(z.norm() > 4e-4)) {
    throw InputError(fmt::format(
        "force plate {}: its corners span no area; the file's FORCE_PLATFORM:CORNERS must hold "
        "four different points",
        name));
  }
  PlateFrame frame;
  frame.R.col(0) = x.normalized();
  frame.R.col(2) = z.normalized();
  frame.R.col(1) = frame.R.col(2).cross(frame.R.col(0));
  frame.center = 0.25 * (c[0] + c[1] + c[2] + c[3]);
  return frame;
}

// ORIGIN points from below up to the surface and z points down, so its z is negative. Files that
// store the opposite vector are common (older AMTI sheets gave it so); all components then change
// sign together.
Vec3d calc_origin(const ForcePlate& plate, std::vector<std::string>* warnings,
                  const std::string& name) {
  Vec3d origin = plate.origin;
  if (plate.type == 1) origin.head<2>().setZero();
  if (plate.type == 3) origin.head<2>() = origin.head<2>().cwiseAbs();
  if (origin.z() > 0.0) {
    warnings->push_back(fmt::format(
        "Force plate {}: its origin is stored {:.1f} mm above the surface, which cannot be; taken "
        "as below.",
        name, 1000.0 * origin.z()));
    if (plate.type == 3) {
      origin.z() = -origin.z();
    } else {
      origin = -origin;
    }
  }
  return origin;
}

PlateWrench calc_wrench(const ForcePlate& plate, const Vec3d& origin,
                        const Eigen::VectorXd& channels) {
  PlateWrench wrench;
  switch (plate.type) {
    case 1: {
      // The file gives the point on the surface and the free moment there: moment about S, then
      // about the measuring origin, so that all types go the same way from here.
      wrench.F = channels.head<3>();
      const Vec3d p(channels[3], channels[4], 0.0);
      wrench.M = p.cross(wrench.F) + Vec3d(0.0, 0.0, channels[5]) + origin.cross(wrench.F);
      break;
    }
    case 2:
      wrench.F = channels.head<3>();
      wrench.M = channels.segment<3>(3);
      break;
    case 3: {
      const double a = origin.x(), b = origin.y();
      const double fx12 = channels[0], fx34 = channels[1], fy14 = channels[2], fy23 = channels[3];
      const double fz1 = channels[4], fz2 = channels[5], fz3 = channels[6], fz4 = channels[7];
      wrench.F = Vec3d(fx12 + fx34, fy14 + fy23, fz1 + fz2 + fz3 + fz4);
      wrench.M = Vec3d(b * (fz1 + fz2 - fz3 - fz4), a * (-fz1 + fz2 + fz3 - fz4),
                       b * (fx34 - fx12) + a * (fy14 - fy23));
      break;
    }
    case 4: {
      const Eigen::Matrix<double, 6, 1> calibrated = plate.calibration * channels.head<6>();
      wrench.F = calibrated.head<3>();
      wrench.M = calibrated.tail<3>();
      break;
    }
    default:
      break;
  }
  return wrench;
}

void check_plate(const ForcePlate& plate, const std::string& name) {
  if (plate.type < 1 || plate.type > 4) {
    throw InputError(
        fmt::format("force plate {} is of type {}; types 1 to 4 are known", name, plate.type));
  }
  const size_t expected = plate.type == 3 ? 8 : 6;
  if (plate.channels.size() < expected) {
    throw InputError(fmt::format("force plate {} of type {} has {} channels; it needs {}", name,
                                 plate.type, plate.channels.size(), expected));
  }
  if (!(plate.rate > 0.0)) {
    throw InputError(fmt::format("force plate {} has a sampling rate of {} Hz", name, plate.rate));
  }
}

PlateWrench calc_mean(const PlateWrenches& wrenches, std::span<const size_t> samples) {
  PlateWrench mean;
  double count = 0.0;
  for (const size_t k : samples) {
    if (!is_known(wrenches.at(k))) continue;
    mean.F += wrenches.F[k];
    mean.M += wrenches.M[k];
    ++count;
  }
  mean.F /= std::max(1.0, count);
  mean.M /= std::max(1.0, count);
  return mean;
}

void subtract(PlateWrenches* wrenches, const PlateWrench& level) {
  for (Vec3d& F : wrenches->F) F -= level.F;
  for (Vec3d& M : wrenches->M) M -= level.M;
}

// The samples of the marker frames that the file names, one-based and inclusive.
std::vector<size_t> find_zero_samples(const ForcePlate& plate, double frame_rate) {
  std::vector<size_t> samples;
  if (plate.zero_first < 1 || plate.zero_last < plate.zero_first || !(frame_rate > 0.0)) return {};
  const double per_frame = std::max(1.0, std::round(plate.rate / frame_rate));
  const double first = (plate.zero_first - 1) * per_frame;
  const double end = std::min(plate.zero_last * per_frame, static_cast<double>(plate.rows()));
  for (double k = first; k < end; ++k) samples.push_back(static_cast<size_t>(k));
  return samples;
}

// Each run of known samples by itself. Says where runs are too short for it.
void filter_wrenches(PlateWrenches* wrenches, double cutoff, PlateForces* plate) {
  const ZeroPhaseFilter filter = make_low_pass(cutoff, plate->rate);
  std::vector<double> signal(wrenches->size());
  int untouched = 0;
  for (int i = 0; i < 6; ++i) {
    const auto at = [&](size_t k) -> double& {
      return i < 3 ? wrenches->F[k][i] : wrenches->M[k][i - 3];
    };
    for (size_t k = 0; k < signal.size(); ++k) signal[k] = at(k);
    untouched = filter_between_gaps(filter, signal);
    for (size_t k = 0; k < signal.size(); ++k) at(k) = signal[k];
  }
  if (untouched > 0) {
    plate->warnings.push_back(
        fmt::format("Force plate {}: {} samples lie in runs of fewer than {} between missing ones "
                    "and stay unfiltered.",
                    plate->name, untouched, filter.fewest_samples()));
  }
}

struct TableRow {
  Vec3d force = Vec3d::Zero();
  Vec3d point = Vec3d::Zero();
  Vec3d moment = Vec3d::Zero();  // free moment
};

constexpr double kSurelyLoaded = 50.0;  // N

// A force table names no unit of length. Points tens of metres away are millimetres; torques then
// are N mm.
void scale_from_millimetres(std::vector<TableRow>* rows, PlateForces* plate) {
  double furthest = 0.0;  // under load: points of an unloaded plate are noise over nothing
  for (const TableRow& row : *rows) {
    if (row.force.norm() > kSurelyLoaded) furthest = std::max(furthest, row.point.norm());
  }
  if (furthest < 50.0) return;
  for (TableRow& row : *rows) {
    row.point *= 1e-3;
    row.moment *= 1e-3;
  }
  plate->warnings.push_back(
      fmt::format("Force plate {}: its centre of pressure goes to {:.0f}, which can only be "
                  "millimetres; points and torques were scaled to metres.",
                  plate->name, furthest));
}

// The point about which rows become wrenches: where they act, on average.
Vec3d find_middle(std::span<const TableRow> rows, const Vec3d& up) {
  Vec3d middle = Vec3d::Zero();
  double sum = 0.0;
  for (const TableRow& row : rows) {
    const double load = std::abs(row.force.dot(up));
    if (!row.force.allFinite() || !row.point.allFinite()) continue;
    middle += load * row.point;
    sum += load;
  }
  return sum > 0.0 ? Vec3d(middle / sum) : middle;
}

// Force, and moment about `middle`. A row that has a force but no point acts there: such rows are
// unloaded, those with a load are missing.
PlateWrenches as_wrenches(std::span<const TableRow> rows, const Vec3d& middle) {
  PlateWrenches wrenches(rows.size());
  for (size_t k = 0; k < rows.size(); ++k) {
    const TableRow& row = rows[k];
    PlateWrench wrench{row.force, Vec3d::Zero()};
    if (row.point.allFinite()) wrench.M += (row.point - middle).cross(row.force);
    if (row.moment.allFinite()) wrench.M += row.moment;
    wrenches.set(k, wrench);
  }
  return wrenches;
}

// Back again, with the point on the floor through `middle`.
void take_wrenches(const PlateWrenches& wrenches, const Vec3d& middle, const Vec3d& up,
                   std::vector<TableRow>* rows) {
  for (size_t k = 0; k < rows->size(); ++k) {
    const Vec3d& F = wrenches.F[k];
    const Vec3d& M = wrenches.M[k];
    TableRow& row = (*rows)[k];
    row.force = F;
    const double load = F.dot(up);
    if (!(load != 0.0)) continue;
    // M = p x F + T up with p in the floor plane: p = up x M / F_up.
    const Vec3d p = up.cross(M) / load;
    row.point = middle + p;
    row.moment = up * (M - p.cross(F)).dot(up);
  }
}

// Bounds in the plate's own axes that a centre of pressure may leave by `slack` before it is odd.
int count_outside(const PlateForces& forces, const PlateFrame& frame, double slack) {
  const Vec3d half = frame.R.transpose() * (forces.corners[0] - frame.center);
  int count = 0;
  for (const Vec3d& p : forces.centers_of_pressure) {
    if (!p.allFinite()) continue;
    const Vec3d local = frame.R.transpose() * (p - frame.center);
    if (std::abs(local.x()) > std::abs(half.x()) + slack ||
        std::abs(local.y()) > std::abs(half.y()) + slack) {
      ++count;
    }
  }
  return count;
}

constexpr double kQuietOffset = 5.0;  // N that nobody minds

// What the plate reads with nothing on it, after the baseline.
void tell_of_rest(const IdleLevel& idle, const PlateOptions& options, PlateForces* plate) {
  const double reading = plate->idle_offset - plate->subtracted;
  if (!idle.found || std::abs(reading) <= kQuietOffset) return;
  const bool may_be_load = idle.is_far && reading > 0.0;
  const char* after = options.baseline == PlateBaseline::kFile    ? " after --baseline file"
                      : options.baseline == PlateBaseline::kQuiet ? " after --baseline quiet"
                                                                  : "";
  const std::string advice = options.baseline == PlateBaseline::kQuiet
                                 ? "."
                                 : "; --baseline quiet subtracts that, which moves the centre of "
                                   "pressure.";
  plate->warnings.push_back(
      may_be_load
          ? fmt::format("Force plate {}: rests at {:.1f} N{} and never below: an offset, or a load "
                        "that stays{}",
                        plate->name, reading, after, advice)
          : fmt::format("Force plate {}: reads {:.1f} N{} with nothing on it{}", plate->name,
                        reading, after, advice));
}

// A level far from zero is subtracted on request, and told.
void tell_of_far_level(const IdleLevel& idle, PlateForces* plate) {
  if (!idle.is_far) return;
  plate->warnings.push_back(
      fmt::format("Force plate {}: --baseline quiet subtracted {:.1f} N, the level at which it "
                  "rests; right only if nothing was on it then.",
                  plate->name, idle.mean * idle.direction));
}

void tell_of_no_rest(PlateForces* plate) {
  plate->warnings.push_back(
      fmt::format("Force plate {}: --baseline quiet found no stretch in which it is at rest with a "
                  "load at another time; nothing was subtracted.",
                  plate->name));
}

// Samples that are not numbers.
void tell_of_missing(const std::vector<char>& missing, const std::vector<double>& times,
                     PlateForces* plate) {
  const auto count = std::count(missing.begin(), missing.end(), 1);
  plate->missing = static_cast<size_t>(count);
  if (count == 0) return;
  if (plate->missing == missing.size()) {
    plate->warnings.push_back(
        fmt::format("Force plate {}: none of its {} samples is a number.", plate->name, count));
    return;
  }
  const auto first = std::find(missing.begin(), missing.end(), 1) - missing.begin();
  plate->warnings.push_back(
      fmt::format("Force plate {}: {} of {} samples are not numbers, first at {:.4f} s; they are "
                  "missing, not zero.",
                  plate->name, count, missing.size(), times[static_cast<size_t>(first)]));
}

PlateWrenches calc_wrenches(const ForcePlate& plate, const Vec3d& origin) {
  PlateWrenches wrenches(plate.rows());
  Eigen::VectorXd channels(static_cast<Eigen::Index>(plate.channels.size()));
  for (size_t k = 0; k < wrenches.size(); ++k) {
    for (size_t i = 0; i < plate.channels.size(); ++i) {
      channels[static_cast<Eigen::Index>(i)] = plate.at(k, i);
    }
    const PlateWrench wrench = calc_wrench(plate, origin, channels);
    const Vec3d missing = Vec3d::Constant(kMissing);
    wrenches.set(k, is_known(wrench) ? wrench : PlateWrench{missing, missing});
  }
  return wrenches;
}

std::optional<PlateWrench> find_file_level(const ForcePlate& plate, const PlateWrenches& wrenches,
                                           double frame_rate) {
  if (plate.zero_wrench) {
    return PlateWrench{plate.zero_wrench->head<3>(), plate.zero_wrench->tail<3>()};
  }
  std::vector<size_t> samples = find_zero_samples(plate, frame_rate);
  std::erase_if(samples, [&](size_t k) { return !is_known(wrenches.at(k)); });
  if (samples.empty()) return {};
  return calc_mean(wrenches, samples);
}

void subtract_baseline(const ForcePlate& plate, const IdleLevel& idle, double load_direction,
                       const PlateOptions& options, PlateWrenches* wrenches, PlateForces* result) {
  std::optional<PlateWrench> level;
  if (options.baseline == PlateBaseline::kQuiet) {
    if (idle.found) level = calc_mean(*wrenches, idle.samples);
    if (idle.found) tell_of_far_level(idle, result);
    if (!idle.found) tell_of_no_rest(result);
  } else if (options.baseline == PlateBaseline::kFile) {
    level = find_file_level(plate, *wrenches, options.frame_rate);
    if (!level) {
      result->warnings.push_back(
          fmt::format("Force plate {}: --baseline file found no frames that the file names for it "
                      "(FORCE_PLATFORM:ZERO {} {}); nothing was subtracted.",
                      result->name, plate.zero_stated[0], plate.zero_stated[1]));
    }
  }
  if (!level) return;
  subtract(wrenches, *level);
  result->subtracted = level->F.z() * load_direction;
}

// The same for a table of forces and points.
void subtract_table_baseline(const IdleLevel& idle, const Vec3d& up, const PlateOptions& options,
                             std::vector<TableRow>* rows, PlateForces* plate) {
  if (options.baseline == PlateBaseline::kFile) {
    plate->warnings.push_back(
        fmt::format("Force plate {}: --baseline file needs a C3D, which names frames for it; "
                    "nothing was subtracted.",
                    plate->name));
  }
  if (options.baseline != PlateBaseline::kQuiet) return;
  if (!idle.found) return tell_of_no_rest(plate);
  tell_of_far_level(idle, plate);
  const Vec3d middle = find_middle(*rows, up);
  PlateWrenches wrenches = as_wrenches(*rows, middle);
  PlateWrench level = calc_mean(wrenches, idle.samples);
  if (!(level.F.norm() > 1e-9)) return;  // a file that cut its forces at a threshold
  // Files often have no point where they saw no load, and then the offset's moment is not known.
  constexpr double kNearPlate = 1.0;  // m
  const auto pointless = std::count_if(idle.samples.begin(), idle.samples.end(), [&](size_t k) {
    const Vec3d& p = (*rows)[k].point;
    return !p.allFinite() || p == Vec3d::Zero() || (p - middle).norm() > kNearPlate;
  });
  if (2 * static_cast<size_t>(pointless) > idle.samples.size()) {
    level.M.setZero();
    plate->warnings.push_back(
        fmt::format("Force plate {}: the table has no point for its offset of {:.1f} N; taken to "
                    "act in the middle of the loads.",
                    plate->name, idle.mean * idle.direction));
  }
  subtract(&wrenches, level);
  take_wrenches(wrenches, middle, up, rows);
  plate->subtracted = level.F.dot(up);
}

}  // namespace

PlateForces calc_plate_forces(const ForcePlate& plate, const std::string& name,
                              const PlateOptions& options) {
  return calc_plate_forces(plate, plate.corners, name, options);
}

PlateForces calc_plate_forces(const ForcePlate& plate, std::span<const Vec3d, 4> corners,
                              const std::string& name, const PlateOptions& options) {
  check_plate(plate, name);
  const PlateFrame frame = make_plate_frame(corners, name);
  PlateForces result;
  result.name = name;
  result.rate = plate.rate;
  result.normal = -frame.R.col(2);
  result.corners.assign(corners.begin(), corners.end());
  const Vec3d origin = calc_origin(plate, &result.warnings, name);
  const Vec3d depth = plate.type == 3 ? Vec3d(0.0, 0.0, origin.z()) : origin;

  PlateWrenches wrenches = calc_wrenches(plate, origin);
  std::vector<char> missing;
  missing.reserve(wrenches.size());
  result.times.reserve(wrenches.size());
  for (size_t k = 0; k < wrenches.size(); ++k) {
    result.times.push_back(plate.start_time + static_cast<double>(k) / plate.rate);
    missing.push_back(!is_known(wrenches.at(k)));
  }
  tell_of_missing(missing, result.times, &result);
  if (options.filter_cutoff > 0.0 && wrenches.size() > 0) {
    filter_wrenches(&wrenches, options.filter_cutoff, &result);
  }

  // Into the floor is +z of the plate: a load there is the force on the plate.
  std::vector<double> normal(wrenches.size());
  for (size_t k = 0; k < normal.size(); ++k) normal[k] = wrenches.F[k].z();
  const IdleLevel idle = find_idle_level(normal);
  double most = 0.0;
  for (const double f : normal) {
    if (std::abs(f) > std::abs(most)) most = f;
  }
  const double load_direction = idle.found ? idle.direction : most > 0.0 ? 1.0 : -1.0;
  const double sign = -load_direction;
  if (idle.found) {
    result.idle_offset = load_direction * idle.mean;
    result.idle_noise = idle.sd;
  }
  subtract_baseline(plate, idle, load_direction, options, &wrenches, &result);
  tell_of_rest(idle, options, &result);

  // A recording may be a gigabyte: forces and points take the place of the wrenches.
  std::vector<double>().swap(normal);
  result.forces = std::move(wrenches.F);
  result.centers_of_pressure = std::move(wrenches.M);
  result.free_moments.resize(result.size(), kMissing);
  for (size_t k = 0; k < result.size(); ++k) {
    const Vec3d F = result.forces[k];
    const Vec3d M_S = result.centers_of_pressure[k] - depth.cross(F);
    result.forces[k] = sign * (frame.R * F);
    if (!(-sign * F.z() >= options.threshold)) {
      result.centers_of_pressure[k].setConstant(kMissing);
      continue;
    }
    const Vec3d p(-M_S.y() / F.z(), M_S.x() / F.z(), 0.0);
    result.centers_of_pressure[k] = frame.center + frame.R * p;
    // About `normal`, which is -z of the plate.
    result.free_moments[k] = -sign * (M_S.z() - (p.x() * F.y() - p.y() * F.x()));
  }
  const int outside = count_outside(result, frame, 0.02);
  if (outside > 0) {
    result.warnings.push_back(fmt::format(
        "Force plate {}: the centre of pressure lies more than 20 mm beyond its edge in "
        "{} loaded samples; is the plate where the file says?",
        name, outside));
  }
  return result;
}

namespace {

// Room for all samples at once: a recording may be a gigabyte.
void reserve(size_t samples, PlateForces* plate) {
  plate->forces.reserve(samples);
  plate->centers_of_pressure.reserve(samples);
  plate->free_moments.reserve(samples);
}

void fill_plate(std::vector<TableRow> rows, const Vec3d& up, const PlateOptions& options,
                PlateForces* plate) {
  scale_from_millimetres(&rows, plate);
  std::vector<double> loads(rows.size());
  std::vector<char> missing(rows.size(), 0);
  for (size_t k = 0; k < rows.size(); ++k) {
    loads[k] = rows[k].force.dot(up);
    // Many files have no point where there is no load, which is no loss.
    const bool has_point = rows[k].point.allFinite() && rows[k].moment.allFinite();
    missing[k] =
        !rows[k].force.allFinite() || (!has_point && std::abs(loads[k]) >= options.threshold);
    if (missing[k]) rows[k].force.setConstant(kMissing);
  }
  tell_of_missing(missing, plate->times, plate);
  const auto take_loads = [&] {
    for (size_t k = 0; k < rows.size(); ++k) loads[k] = rows[k].force.dot(up);
  };
  if (options.filter_cutoff > 0.0 && !rows.empty()) {
    require_even_clock(plate->times, "force plate " + plate->name);
    const Vec3d middle = find_middle(rows, up);
    PlateWrenches wrenches = as_wrenches(rows, middle);
    filter_wrenches(&wrenches, options.filter_cutoff, plate);
    take_wrenches(wrenches, middle, up, &rows);
  }
  take_loads();
  const IdleLevel idle = find_idle_level(loads);
  if (idle.found) {
    plate->idle_offset = idle.mean;
    plate->idle_noise = idle.sd;
  }
  subtract_table_baseline(idle, up, options, &rows, plate);
  take_loads();
  tell_of_rest(idle, options, plate);
  double least = 0.0, most = 0.0;
  reserve(rows.size(), plate);
  for (size_t k = 0; k < rows.size(); ++k) {
    const TableRow& row = rows[k];
    plate->forces.push_back(row.force);
    const bool loaded = loads[k] >= options.threshold;
    plate->centers_of_pressure.push_back(loaded ? row.point : Vec3d::Constant(kMissing));
    plate->free_moments.push_back(loaded ? row.moment.dot(up) : kMissing);
    least = std::min(least, loads[k]);
    most = std::max(most, loads[k]);
  }
  if (-least > most) {
    plate->warnings.push_back(
        fmt::format("Force plate {}: its largest vertical force is {:.0f} N, downwards; the file "
                    "seems to hold the force on the plate, or another axis points up.",
                    plate->name, least));
  }
}

}  // namespace

std::vector<PlateColumns> find_plate_columns(const TimeTable& table) {
  std::vector<PlateColumns> found;
  for (const TimeTable::Column& column : table.columns) {
    if (!column.name.ends_with("vx")) continue;
    const std::string stem = column.name.substr(0, column.name.size() - 2);
    PlateColumns columns{};
    bool complete = true;
    std::string torque = stem;
    if (const size_t at = torque.find("force"); at != std::string::npos) {
      torque.replace(at, 5, "torque");
    }
    for (size_t i = 0; i < 3; ++i) {
      const char axis = static_cast<char>('x' + i);
      columns.v[i] = table.find(stem + 'v' + axis);
      columns.p[i] = table.find(stem + 'p' + axis);
      columns.m[i] = table.find(torque + axis);
      complete =
          complete && columns.v[i] < table.columns.size() && columns.p[i] < table.columns.size();
    }
    if (complete) found.push_back(columns);
  }
  return found;
}

bool has_force_columns(const TimeTable& table) { return !find_plate_columns(table).empty(); }

std::vector<PlateForces> find_plate_forces(const TimeTable& table, const Vec3d& up,
                                           const PlateOptions& options) {
  std::vector<PlateForces> plates;
  for (const auto& [v, p, m] : find_plate_columns(table)) {
    PlateForces plate;
    plate.name = std::to_string(plates.size() + 1);
    plate.normal = up;
    plate.times = table.times;
    plate.rate = find_clock(table.times).rate();
    std::vector<TableRow> rows(table.rows());
    for (size_t k = 0; k < table.rows(); ++k) {
      for (int i = 0; i < 3; ++i) {
        rows[k].force[i] = table.at(k, v[i]);
        rows[k].point[i] = table.at(k, p[i]);
        if (m[i] < table.columns.size()) rows[k].moment[i] = table.at(k, m[i]);
      }
    }
    fill_plate(std::move(rows), up, options, &plate);
    plates.push_back(std::move(plate));
  }
  return plates;
}

void keep_file_baseline(ForcePlate* plate, double frame_rate) {
  if (plate->zero_wrench || plate->zero_first < 1) return;
  std::vector<std::string> told_later;
  const Vec3d origin = calc_origin(*plate, &told_later, "");
  const auto level = find_file_level(*plate, calc_wrenches(*plate, origin), frame_rate);
  if (!level) return;
  plate->zero_wrench.emplace();
  *plate->zero_wrench << level->F, level->M;
}

namespace {

// `done` is called with each plate of a C3D once its forces are known.
template <class Done>
std::vector<PlateForces> calc_plates(const MotionTrial& trial, const Vec3d& up,
                                     const PlateOptions& options, Done done) {
  if (trial.plates.empty()) return find_plate_forces(trial.analog, up, options);
  std::vector<PlateForces> plates;
  PlateOptions with_rate = options;
  with_rate.frame_rate = trial.markers.rate;
  for (size_t i = 0; i < trial.plates.size(); ++i) {
    plates.push_back(calc_upright_plate_forces(trial.plates[i], std::to_string(i + 1),
                                               trial.markers, up, with_rate));
    done(i);
  }
  return plates;
}

}  // namespace

std::vector<PlateForces> calc_all_plate_forces(const MotionTrial& trial, const Vec3d& up,
                                               const PlateOptions& options) {
  return calc_plates(trial, up, options, [](size_t) {});
}

std::vector<PlateForces> calc_and_release_plate_forces(MotionTrial* trial, const Vec3d& up,
                                                       const PlateOptions& options) {
  return calc_plates(*trial, up, options,
                     [&](size_t i) { std::vector<double>().swap(trial->plates[i].samples); });
}

}  // namespace vesica
