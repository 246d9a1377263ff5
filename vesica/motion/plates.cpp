#include "vesica/motion/plates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vesica/error.h"
#include "vesica/motion/butterworth.h"

namespace vesica {
namespace {

// Force and moment about the measuring origin, plate axes, with the file's sign.
struct PlateWrench {
  Vec3d F = Vec3d::Zero();
  Vec3d M = Vec3d::Zero();
};

struct PlateFrame {
  Mat3d R;       // plate axes in the lab
  Vec3d center;  // S
};

PlateFrame make_plate_frame(const ForcePlate& plate, const std::string& name) {
  const Vec3d* c = plate.corners;
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

// The unloaded level of a plate: the mode of the normal force over half-overlapping bins of 5 N,
// among samples in the lower part of its range, then mean and spread within 15 N of it. A plate
// that is always loaded has no such level; the mode is then far from zero and is refused.
struct IdleLevel {
  bool found = false;
  double mean = 0.0, sd = 0.0;
  std::vector<size_t> samples;
};

IdleLevel find_idle_level(std::span<const double> normal_forces) {
  IdleLevel level;
  constexpr double kBin = 5.0, kFurthest = 60.0, kWidth = 15.0;  // N
  std::vector<int> counts(static_cast<size_t>(2.0 * kFurthest / kBin) + 1, 0);
  for (const double f : normal_forces) {
    if (std::abs(f) < kFurthest) ++counts[static_cast<size_t>((f + kFurthest) / kBin)];
  }
  const auto mode = std::max_element(counts.begin(), counts.end());
  if (*mode < 5) return level;
  const double middle = (mode - counts.begin() + 0.5) * kBin - kFurthest;
  for (size_t k = 0; k < normal_forces.size(); ++k) {
    if (std::abs(normal_forces[k] - middle) < kWidth) level.samples.push_back(k);
  }
  // Fewer than a twentieth of the recording is a foot passing through, not a plate at rest.
  if (level.samples.size() * 20 < normal_forces.size()) return level;
  for (const size_t k : level.samples) level.mean += normal_forces[k];
  level.mean /= static_cast<double>(level.samples.size());
  for (const size_t k : level.samples) {
    level.sd += (normal_forces[k] - level.mean) * (normal_forces[k] - level.mean);
  }
  level.sd = std::sqrt(level.sd / static_cast<double>(level.samples.size()));
  level.found = true;
  return level;
}

void subtract_mean(std::vector<PlateWrench>* wrenches, std::span<const size_t> samples) {
  if (samples.empty()) return;
  PlateWrench mean;
  for (const size_t k : samples) {
    mean.F += (*wrenches)[k].F;
    mean.M += (*wrenches)[k].M;
  }
  const double n = static_cast<double>(samples.size());
  for (PlateWrench& wrench : *wrenches) {
    wrench.F -= mean.F / n;
    wrench.M -= mean.M / n;
  }
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

void filter_wrenches(std::vector<PlateWrench>* wrenches, double cutoff, double rate) {
  const ZeroPhaseFilter filter = make_low_pass(cutoff, rate);
  std::vector<double> signal(wrenches->size());
  for (int i = 0; i < 6; ++i) {
    const auto at = [&](size_t k) -> double& {
      return i < 3 ? (*wrenches)[k].F[i] : (*wrenches)[k].M[i - 3];
    };
    for (size_t k = 0; k < signal.size(); ++k) signal[k] = at(k);
    filter_signal(filter, signal);
    for (size_t k = 0; k < signal.size(); ++k) at(k) = signal[k];
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

// Points cannot be filtered by themselves: they jump at touchdown. Force and moment about a fixed
// point can; the point follows from them, on the floor height of the loaded samples.
void filter_rows(std::vector<TableRow>* rows, const Vec3d& up, double cutoff, double rate) {
  Vec3d middle = Vec3d::Zero();
  double sum = 0.0;
  for (const TableRow& row : *rows) {
    const double load = std::max(0.0, row.force.dot(up));
    middle += load * row.point;
    sum += load;
  }
  if (!(sum > 0.0)) return;
  middle /= sum;
  std::vector<PlateWrench> wrenches;
  for (const TableRow& row : *rows) {
    wrenches.push_back({row.force, (row.point - middle).cross(row.force) + row.moment});
  }
  filter_wrenches(&wrenches, cutoff, rate);
  for (size_t k = 0; k < rows->size(); ++k) {
    const Vec3d& F = wrenches[k].F;
    const Vec3d& M = wrenches[k].M;
    TableRow& row = (*rows)[k];
    row.force = F;
    const double load = F.dot(up);
    if (!(load > 0.0)) continue;
    // M = p x F + T up with p in the floor plane: p = up x M / F_up.
    const Vec3d p = up.cross(M) / load;
    row.point = middle + p;
    row.moment = up * (M - p.cross(F)).dot(up);
  }
}

// Bounds in the plate's own axes that a centre of pressure may leave by `slack` before it is odd.
int count_outside(const PlateForces& forces, const PlateFrame& frame, const ForcePlate& plate,
                  double slack) {
  const Vec3d half = frame.R.transpose() * (plate.corners[0] - frame.center);
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

void describe_idle(PlateForces* forces, const IdleLevel& idle, const PlateOptions& options) {
  if (!idle.found) return;
  forces->idle_offset = idle.mean;
  forces->idle_noise = idle.sd;
  if (std::abs(idle.mean) > 5.0 && options.baseline == PlateBaseline::kNone) {
    forces->warnings.push_back(
        fmt::format("Force plate {}: reads {:.1f} N with nothing on it; --baseline quiet subtracts "
                    "that, which moves the centre of pressure.",
                    forces->name, idle.mean));
  }
}

}  // namespace

PlateForces calc_plate_forces(const ForcePlate& plate, const std::string& name,
                              const PlateOptions& options) {
  check_plate(plate, name);
  const PlateFrame frame = make_plate_frame(plate, name);
  PlateForces result;
  result.name = name;
  result.rate = plate.rate;
  result.normal = -frame.R.col(2);
  result.corners.assign(plate.corners, plate.corners + 4);
  const Vec3d origin = calc_origin(plate, &result.warnings, name);
  const Vec3d depth = plate.type == 3 ? Vec3d(0.0, 0.0, origin.z()) : origin;

  std::vector<PlateWrench> wrenches(plate.rows());
  int unreadable = 0;
  Eigen::VectorXd channels(static_cast<Eigen::Index>(plate.channels.size()));
  for (size_t k = 0; k < wrenches.size(); ++k) {
    for (size_t i = 0; i < plate.channels.size(); ++i) {
      channels[static_cast<Eigen::Index>(i)] = plate.at(k, i);
    }
    wrenches[k] = calc_wrench(plate, origin, channels);
    if (!wrenches[k].F.allFinite() || !wrenches[k].M.allFinite()) {
      wrenches[k] = k == 0 ? PlateWrench{} : wrenches[k - 1];
      ++unreadable;
    }
  }
  if (unreadable > 0) {
    result.warnings.push_back(
        fmt::format("Force plate {}: {} of {} samples are not numbers; the sample before stands in "
                    "for each.",
                    name, unreadable, wrenches.size()));
  }
  if (options.filter_cutoff > 0.0 && !wrenches.empty()) {
    filter_wrenches(&wrenches, options.filter_cutoff, plate.rate);
  }

  // Into the floor is +z of the plate: a load there is the force on the plate.
  double most = 0.0;
  for (const PlateWrench& wrench : wrenches) {
    if (std::abs(wrench.F.z()) > std::abs(most)) most = wrench.F.z();
  }
  const double sign = most > 0.0 ? -1.0 : 1.0;
  std::vector<double> loads(wrenches.size());
  for (size_t k = 0; k < loads.size(); ++k) loads[k] = -sign * wrenches[k].F.z();
  const IdleLevel idle = find_idle_level(loads);
  describe_idle(&result, idle, options);
  if (options.baseline == PlateBaseline::kQuiet && idle.found) {
    subtract_mean(&wrenches, idle.samples);
  } else if (options.baseline == PlateBaseline::kFile) {
    subtract_mean(&wrenches, find_zero_samples(plate, options.frame_rate));
  }

  for (size_t k = 0; k < wrenches.size(); ++k) {
    const Vec3d& F = wrenches[k].F;
    const Vec3d M_S = wrenches[k].M - depth.cross(F);
    result.times.push_back(plate.start_time + static_cast<double>(k) / plate.rate);
    result.forces.push_back(sign * (frame.R * F));
    if (-sign * F.z() < options.threshold) {
      result.centers_of_pressure.push_back(Vec3d::Constant(kMissing));
      result.free_moments.push_back(kMissing);
      continue;
    }
    const Vec3d p(-M_S.y() / F.z(), M_S.x() / F.z(), 0.0);
    result.centers_of_pressure.push_back(frame.center + frame.R * p);
    // About `normal`, which is -z of the plate.
    result.free_moments.push_back(-sign * (M_S.z() - (p.x() * F.y() - p.y() * F.x())));
  }
  const int outside = count_outside(result, frame, plate, 0.02);
  if (outside > 0) {
    result.warnings.push_back(fmt::format(
        "Force plate {}: the centre of pressure lies more than 20 mm beyond its edge in "
        "{} loaded samples; is the plate where the file says?",
        name, outside));
  }
  return result;
}

std::vector<PlateForces> find_plate_forces(const TimeTable& table, const Vec3d& up,
                                           const PlateOptions& options) {
  std::vector<PlateForces> plates;
  for (const TimeTable::Column& column : table.columns) {
    if (column.name.size() < 2 || column.name.substr(column.name.size() - 2) != "vx") continue;
    const std::string stem = column.name.substr(0, column.name.size() - 2);
    size_t v[3], p[3], m[3];
    bool complete = true;
    std::string torque = stem;
    if (const size_t at = torque.find("force"); at != std::string::npos) {
      torque.replace(at, 5, "torque");
    }
    for (int i = 0; i < 3; ++i) {
      const char axis = static_cast<char>('x' + i);
      v[i] = table.find(stem + 'v' + axis);
      p[i] = table.find(stem + 'p' + axis);
      m[i] = table.find(torque + axis);
      complete = complete && v[i] < table.columns.size() && p[i] < table.columns.size();
    }
    if (!complete) continue;
    PlateForces plate;
    plate.name = std::to_string(plates.size() + 1);
    plate.normal = up;
    plate.times = table.times;
    plate.rate = table.rows() < 2 ? 0.0
                                  : (static_cast<double>(table.rows()) - 1.0) /
                                        (table.times.back() - table.times.front());
    std::vector<TableRow> rows(table.rows());
    for (size_t k = 0; k < table.rows(); ++k) {
      Vec3d& force = rows[k].force;
      Vec3d& point = rows[k].point;
      Vec3d& moment = rows[k].moment;
      for (int i = 0; i < 3; ++i) {
        force[i] = table.at(k, v[i]);
        point[i] = table.at(k, p[i]);
        if (m[i] < table.columns.size()) moment[i] = table.at(k, m[i]);
      }
      if (!force.allFinite() || !point.allFinite() || !moment.allFinite()) rows[k] = TableRow{};
    }
    scale_from_millimetres(&rows, &plate);
    if (options.filter_cutoff > 0.0) filter_rows(&rows, up, options.filter_cutoff, plate.rate);
    std::vector<double> loads;
    for (const TableRow& row : rows) {
      plate.forces.push_back(row.force);
      loads.push_back(row.force.dot(up));
      const bool loaded = loads.back() >= options.threshold;
      plate.centers_of_pressure.push_back(loaded ? row.point : Vec3d::Constant(kMissing));
      plate.free_moments.push_back(loaded ? row.moment.dot(up) : kMissing);
    }
    if (!loads.empty()) {
      const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
      if (-*least > *most) {
        plate.warnings.push_back(fmt::format(
            "Force plate {}: its largest vertical force is {:.0f} N, downwards; the file seems to "
            "hold the force on the plate, or another axis points up.",
            plate.name, *least));
      }
      describe_idle(&plate, find_idle_level(loads), options);
    }
    plates.push_back(std::move(plate));
  }
  return plates;
}

std::vector<PlateForces> calc_all_plate_forces(const MotionTrial& trial, const Vec3d& up,
                                               const PlateOptions& options) {
  if (trial.plates.empty()) return find_plate_forces(trial.analog, up, options);
  std::vector<PlateForces> plates;
  PlateOptions with_rate = options;
  with_rate.frame_rate = trial.markers.rate;
  for (size_t i = 0; i < trial.plates.size(); ++i) {
    plates.push_back(calc_plate_forces(trial.plates[i], std::to_string(i + 1), with_rate));
  }
  return plates;
}

}  // namespace vesica
