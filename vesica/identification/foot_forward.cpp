#include "vesica/identification/foot_forward.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>

#include "vesica/model/model_file.h"
#include "vesica/simulation/simulate_model.h"

namespace vesica {
namespace {

// The scene's motions are files; they live as long as this.
class ScratchFolder {
 public:
  ScratchFolder() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("vesica_foot_{}_{}", getpid(), count++);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Critically damped against a kilogram.
double calc_damping(double stiffness) { return 2 * std::sqrt(stiffness); }

FootDrive make_drive(const FootForwardOptions& options) {
  FootDrive drive;
  const double k = options.drive_stiffness, d = calc_damping(k);
  if (options.mode == FootDriveMode::kHeld) {
    drive.stiffness.head<2>().setConstant(k);
    drive.damping.head<2>().setConstant(d);
    return drive;
  }
  drive.stiffness.setConstant(k);
  drive.damping.setConstant(d);
  // A load of 700 N on a foot whose mass centre is 40 mm high tips it with 28 N m/rad.
  drive.turning_stiffness = 500;
  drive.turning_damping = 3;
  return drive;
}

// The measured force at the measured centre of pressure; where that is not known, nothing.
std::vector<CarriedLoad> make_loads(const FootStance& stance) {
  std::vector<CarriedLoad> loads(stance.frames.size());
  for (size_t f = 0; f < loads.size(); ++f) {
    if (!stance.cop[f].allFinite()) continue;
    Vec3d force(0, 0, stance.force[f]);
    if (!stance.shear.empty()) force.head<2>() = stance.shear[f];
    const Vec3d point(stance.cop[f].x(), stance.cop[f].y(), 0);
    loads[f] = {force, point.cross(force)};
  }
  return loads;
}

// Columns of a recording.
struct ContactColumns {
  size_t normal, force, moment, center;
  ContactColumns(const TimeTable& table, const std::string& name)
      : normal(table.find(name + ".normal_force")),
        force(table.find(name + ".force.x")),
        moment(table.find(name + ".moment.x")),
        center(table.find(name + ".pressure_center.x")) {}
};

void read_recording(const TimeTable& table, const FootModel& foot, size_t frames,
                    FootForward* out) {
  out->loads.assign(frames, FootLoad::Zero());
  out->shear.assign(frames, Eigen::Vector2d::Zero());
  std::vector<double> about_origin(frames, 0.0);
  for (const FootEllipsoid& e : foot.ellipsoids) {
    const ContactColumns at(table, e.name + "_contact");
    for (size_t r = 0; r < std::min(frames, table.rows()); ++r) {
      const double n = table.at(r, at.normal);
      out->loads[r] += n * FootLoad(1, table.at(r, at.center), table.at(r, at.center + 1));
      const Eigen::Vector2d f(table.at(r, at.force), table.at(r, at.force + 1));
      out->shear[r] += f;
      if (!(n > 0)) continue;
      // The moment is about the shared volume's centroid, which lies beside the centre of pressure
      // by what the moment about the horizontal axes says.
      const Eigen::Vector2d center(table.at(r, at.center) + table.at(r, at.moment + 1) / n,
                                   table.at(r, at.center + 1) - table.at(r, at.moment) / n);
      about_origin[r] += table.at(r, at.moment + 2) + center.x() * f.y() - center.y() * f.x();
    }
  }
  for (size_t r = 0; r < frames; ++r) {
    const FootLoad& load = out->loads[r];
    const Eigen::Vector2d& f = out->shear[r];
    out->free_moment.push_back(
        load[0] > 0 ? about_origin[r] - (load[1] * f.y() - load[2] * f.x()) / load[0] : 0.0);
  }
}

// The foot's own motion; times and angles as they were told.
void read_motion(const TimeTable& table, const FootModel& foot, const std::vector<FootFrame>& told,
                 FootForward* out) {
  const size_t position = table.find("foot.position.x"), turn = table.find("foot.quaternion.w");
  const size_t velocity = table.find("foot.velocity.x"), spin = table.find("foot.spin.x");
  const Vec3d center = calc_mass_center(foot, 0);
  for (size_t r = 0; r < std::min(told.size(), table.rows()); ++r) {
    const auto at = [&](size_t first) -> Vec3d {
      return {table.at(r, first), table.at(r, first + 1), table.at(r, first + 2)};
    };
    FootFrame frame = told[r];
    Motion<double>& m = frame.foot;
    m.X_WB.R_WB = as_rotation(Quaternion<double>{table.at(r, turn), table.at(r, turn + 1),
                                                 table.at(r, turn + 2), table.at(r, turn + 3)});
    const Vec3d arm = m.X_WB.R_WB * center;
    m.X_WB.p_WB = at(position) - arm;
    m.V_WB.w_WB = at(spin);
    m.V_WB.v_WB = at(velocity) - m.V_WB.w_WB.cross(arm);
    const Vec3d stray = m.X_WB * center - told[r].foot.X_WB * center;
    if (out->loads[r][0] > 50) out->drift = std::max(out->drift, stray.head<2>().norm());
    out->frames.push_back(std::move(frame));
  }
}

}  // namespace

const char* name_of(FootDriveMode mode) {
  return mode == FootDriveMode::kHeld ? "held" : "carried";
}

FootScene make_forward_scene(const FootModel& foot, const FootStance& stance,
                             const FootCurves& curves, const FootForwardOptions& options) {
  FootSceneOptions scene;
  scene.title =
      fmt::format("{}: a foot through its stance, {}", stance.name, name_of(options.mode));
  scene.friction = options.friction;
  scene.drive = make_drive(options);
  scene.mass = options.mass;
  if (options.mode == FootDriveMode::kCarried) scene.carried = make_loads(stance);
  FootScene made = make_foot_scene(foot, apply_curves(stance, curves), scene);
  made.model.run.tolerance = options.tolerance;
  made.model.run.ledger = options.ledger;
  return made;
}

FootForward simulate_forward(const FootModel& foot, const FootStance& stance,
                             const FootCurves& curves, const FootForwardOptions& options) {
  FootForward out;
  const ScratchFolder scratch;
  save_foot_scene(make_forward_scene(foot, stance, curves, options), scratch.path(), "foot.yaml");
  const RunResult run = simulate(load_model(scratch.path() + "/foot.yaml"));
  const std::vector<FootFrame> frames = apply_curves(stance, curves);
  read_recording(run.recording, foot, frames.size(), &out);
  read_motion(run.recording, foot, frames, &out);
  out.ledger_residual = run.energy_scale > 0 ? std::abs(run.residual) / run.energy_scale : 0;
  out.seconds = run.statistics.seconds;
  out.failure = run.failure;
  return out;
}

Eigen::Vector2d calc_heading(const FootStance& stance) {
  Eigen::Vector2d along = Eigen::Vector2d::Zero();
  for (size_t f = 0; f < stance.frames.size(); ++f) {
    if (stance.phase(f) < 0.3 || stance.phase(f) > 0.5) continue;
    along += stance.frames[f].foot.X_WB.R_WB.col(1).head<2>();
  }
  return along.normalized();
}

namespace {

// Over the frames that have one.
double calc_free_moment_error(const std::vector<double>& measured,
                              const std::vector<double>& simulated) {
  double squares = 0, largest = 0;
  int count = 0;
  for (size_t f = 0; f < std::min(measured.size(), simulated.size()); ++f) {
    if (!std::isfinite(measured[f])) continue;
    squares += std::pow(simulated[f] - measured[f], 2);
    largest = std::max(largest, std::abs(measured[f]));
    ++count;
  }
  return largest > 0 ? std::sqrt(squares / count) / largest : kMissing;
}

}  // namespace

ShearErrors calc_shear_errors(const FootStance& stance, const std::vector<Eigen::Vector2d>& shear,
                              const std::vector<double>& free_moment) {
  const Eigen::Vector2d along = calc_heading(stance), across(along.y(), -along.x());
  double along2 = 0, across2 = 0, largest = 0;
  for (size_t f = 0; f < shear.size(); ++f) {
    const Eigen::Vector2d difference = shear[f] - stance.shear[f];
    along2 += std::pow(along.dot(difference), 2);
    across2 += std::pow(across.dot(difference), 2);
    largest = std::max(largest, stance.shear[f].norm());
  }
  const auto n = static_cast<double>(shear.size());
  return {std::sqrt(along2 / n) / stance.weight, std::sqrt(across2 / n) / stance.weight,
          std::sqrt((along2 + across2) / n) / largest,
          calc_free_moment_error(stance.free_moment, free_moment)};
}

}  // namespace vesica
