#include "vesica/identification/foot_dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/biomechanics/foot_file.h"
#include "vesica/error.h"
#include "vesica/model/model_file.h"

namespace vesica {
namespace {

using One = FootDynamicsInput::One;

constexpr int kForwardIterations = 8;
constexpr double kSkinFriction = 0.65, kSkinTransition = 0.01, kSkinStiffness = 100;
// Bristles this soft bend at some cm/s: that is not sliding yet.
constexpr double kSkinStribeck = 0.1;

bool has_shear(const FootStance& s) { return s.shear.size() == s.frames.size(); }

std::vector<FootStance> copy_stances(const std::vector<One>& ones) {
  std::vector<FootStance> out;
  for (const One& one : ones) out.push_back(*one.stance);
  return out;
}

// Shear along and across the foot, and free moment [m], over weight and over the phase.
class MeanShear {
 public:
  explicit MeanShear(const std::vector<One>& ones) {
    mean_.fill(Vec3d::Zero());
    for (const One& one : ones) {
      const FootStance& s = *one.stance;
      const Mat3d R = make_axes(s);
      for (int k = 0; k < kPhases; ++k) {
        mean_[static_cast<size_t>(k)] += R.transpose() * sample(s, double(k) / (kPhases - 1)) /
                                         (s.weight * static_cast<double>(ones.size()));
      }
    }
  }
  ShearErrors calc_error(const FootStance& s) const {
    const Mat3d R = make_axes(s);
    std::vector<Eigen::Vector2d> shear;
    std::vector<double> moment;
    for (size_t f = 0; f < s.frames.size(); ++f) {
      const auto k = static_cast<size_t>(std::lround(s.phase(f) * (kPhases - 1)));
      const Vec3d load = s.weight * (R * mean_[k]);
      shear.emplace_back(load.head<2>());
      moment.push_back(load.z());
    }
    return calc_shear_errors(s, shear, moment);
  }

 private:
  static constexpr int kPhases = 101;
  static Mat3d make_axes(const FootStance& s) {
    const Eigen::Vector2d along = calc_heading(s);
    Mat3d R = Mat3d::Identity();
    R.topLeftCorner<2, 2>() << along.x(), along.y(), along.y(), -along.x();
    return R;
  }
  static Vec3d at(const FootStance& s, size_t f) {
    const double moment = f < s.free_moment.size() ? s.free_moment[f] : 0;
    return {s.shear[f].x(), s.shear[f].y(), std::isfinite(moment) ? moment : 0};
  }
  static Vec3d sample(const FootStance& s, double phase) {
    size_t f = 1;
    while (f + 1 < s.frames.size() && s.phase(f) < phase) ++f;
    const double part = (phase - s.phase(f - 1)) / (s.phase(f) - s.phase(f - 1));
    return (1 - part) * at(s, f - 1) + part * at(s, f);
  }
  std::array<Vec3d, kPhases> mean_;
};

void add_mean(const ShearErrors& e, double share, ShearErrors* sum) {
  sum->along += share * e.along;
  sum->across += share * e.across;
  sum->of_largest += share * e.of_largest;
  sum->free_moment += share * e.free_moment;
}

void add_baseline(const FootDynamicsInput& in, FootDynamics* out) {
  if (in.others.empty()) return;
  const MeanShear mean(in.calibrating);
  ShearBaseline baseline{in.side, {0, 0, 0, 0}, {0, 0, 0, 0}};
  const double share = 1 / static_cast<double>(in.others.size());
  for (const One& one : in.others) {
    const FootStance& s = *one.stance;
    const std::vector<Eigen::Vector2d> none(s.frames.size(), Eigen::Vector2d::Zero());
    const std::vector<double> no_moment(s.frames.size(), 0.0);
    add_mean(calc_shear_errors(s, none, no_moment), share, &baseline.none);
    add_mean(mean.calc_error(s), share, &baseline.mean_curve);
  }
  out->baselines.push_back(baseline);
}

// Fits of one law.
void add_fits(const FootDynamicsInput& in, const FrictionCandidate& candidate, FootDynamics* out) {
  const std::vector<FootStance> stances = copy_stances(in.calibrating);
  const std::vector<FootCurves> curves(stances.size(), in.curves);
  FrictionFitSettings settings;
  settings.stop = in.stop;
  std::vector<FootStance> placebo;
  for (const FootStance& s : stances) placebo.push_back(reverse_shear(s));
  out->friction.push_back(
      {in.side, "measured", fit_friction_inverse(candidate, in.foot, stances, curves, settings)});
  out->friction.push_back(
      {in.side, "reversed", fit_friction_inverse(candidate, in.foot, placebo, curves, settings)});
  if (!in.fits_forward) return;
  settings.iterations = kForwardIterations;
  out->friction.push_back(
      {in.side, "measured",
       fit_friction_forward(candidate, in.foot, {stances[0]}, {in.curves}, settings)});
}

struct ForwardPlan {
  FootForwardOptions options;
  std::string law, friction;
};

void add_forward(const FootDynamicsInput& in, const One& one, const ForwardPlan& plan,
                 bool with_curves, FootDynamics* out) {
  const FootStance& s = *one.stance;
  FootForwardResult r;
  r.trial = one.trial;
  r.side = in.side;
  r.drive = plan.options.mode;
  r.law = plan.law;
  r.friction = plan.friction;
  const FootForward run = simulate_forward(in.foot, s, in.curves, plan.options);
  r.errors = calc_errors(s, run.loads, in.settings);
  if (has_shear(s)) r.shear = calc_shear_errors(s, run.shear, run.free_moment);
  r.drift = run.drift;
  r.ledger_residual = run.ledger_residual;
  r.seconds = run.seconds;
  r.failure = run.failure;
  out->forward.push_back(r);
  if (!with_curves || !has_shear(s)) return;
  FootForwardCurves curves;
  curves.result = r;
  const Eigen::Vector2d along = calc_heading(s);
  for (size_t f = 0; f < s.frames.size(); ++f) {
    curves.times.push_back(s.frames[f].time);
    curves.force.push_back(run.loads[f][0]);
    curves.force_measured.push_back(s.force[f]);
    curves.shear.push_back(along.dot(run.shear[f]));
    curves.shear_measured.push_back(along.dot(s.shear[f]));
  }
  if (s.free_moment.size() == s.frames.size()) {
    curves.moment = run.free_moment;
    curves.moment_measured = s.free_moment;
  }
  out->curves.push_back(std::move(curves));
}

// Above what is computed for a mirrored foot.
FootModel on_its_side(const FootDynamicsInput& in) {
  return in.side == "left" ? mirrored(in.foot) : in.foot;
}

void add_files(const FootDynamicsInput& in, FootDynamics* out) {
  const One& first = in.calibrating.front();
  const FootModel foot = on_its_side(in);
  const std::string name = "foot_" + in.side;
  out->files.push_back(
      {name + ".yaml", write_foot(foot, fmt::format("{} foot, from gait", in.side))});
  out->files.push_back({name + ".csv", write_foot_table(foot)});

  FootForwardOptions held;
  FootSceneOptions options;
  options.title = fmt::format("{} foot through the stance of {}", in.side, first.trial);
  options.friction = make_literature_friction("bristle");
  options.drive.stiffness.head<2>().setConstant(held.drive_stiffness);
  options.drive.damping.head<2>().setConstant(2 * std::sqrt(held.drive_stiffness));
  options.mass = in.mass;
  options.motion_file = name + "_motion.csv";
  std::vector<FootFrame> frames = apply_curves(*first.stance, in.curves);
  if (in.side == "left") frames = mirrored(frames);
  const FootScene scene = make_foot_scene(foot, frames, options);
  out->files.push_back({name + "_scene.yaml", write_model(scene.model)});
  for (const FootScene::File& file : scene.files) {
    out->files.push_back({file.name, write_motion(file.motion)});
  }
}

void add_export(const FootDynamicsInput& in, FootDynamics* out) {
  std::vector<FootFrame> frames;
  for (const One& one : in.calibrating) {
    const std::vector<FootFrame> some = apply_curves(*one.stance, in.curves);
    frames.insert(frames.end(), some.begin(), some.end());
  }
  const double weight = in.calibrating.front().stance->weight;
  FootExport e;
  e.side = in.side;
  e.spheres = fit_osim_spheres(in.foot, frames, weight);
  for (const One& one : in.others) {
    // The ellipsoids' own forces stand for what was measured.
    FootStance s = *one.stance;
    const std::vector<FootFrame> moved = apply_curves(s, in.curves);
    std::vector<FootLoad> loads;
    for (size_t f = 0; f < moved.size(); ++f) {
      const FootLoad own = calc_foot_load(in.foot, moved[f]);
      s.force[f] = own[0];
      s.cop[f] = own[0] > 0 ? Eigen::Vector2d(own.tail<2>() / own[0])
                            : Eigen::Vector2d::Constant(std::nan(""));
      loads.push_back(calc_sphere_load(e.spheres, in.foot, moved[f]));
    }
    const FootErrors errors = calc_errors(s, loads, in.settings);
    e.unseen_force_error += errors.force / static_cast<double>(in.others.size());
    e.unseen_cop_error += errors.cop / static_cast<double>(in.others.size());
    e.has_unseen = true;
  }
  OsimSpheres set = e.spheres;
  if (in.side == "left") {
    for (OsimSphere& sphere : set.spheres) sphere.position.x() *= -1;
  }
  out->files.push_back({"foot_" + in.side + ".osim",
                        write_osim(set, on_its_side(in), in.side == "left" ? "l" : "r", in.mass)});
  out->exports.push_back(std::move(e));
}

// Of the inverse simulation; null where it failed.
const FrictionFit* find_fit(const FootDynamics& d, const std::string& side, const std::string& law,
                            const std::string& shear) {
  for (const FootFrictionResult& r : d.friction) {
    if (r.side == side && r.fit.law == law && r.fit.simulation == "inverse" && r.shear == shear) {
      return &r.fit;
    }
  }
  return nullptr;
}

// Of the foot's points on the ground, by the load on them.
Eigen::Vector2d calc_mean_slip(const FootModel& foot, const FootFrame& frame) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  double load = 0;
  for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
    const FrictionInput<double> in = calc_friction_input(foot, static_cast<int>(e), frame);
    sum += in.f_n * in.slip.head<2>();
    load += in.f_n;
  }
  return load > 0 ? Eigen::Vector2d(sum / load) : sum;
}

double size_of(const ShearErrors& e) { return std::hypot(e.along, e.across); }

void add_friction_verdict(const std::string& side, FootDynamics* out) {
  std::string text;
  for (const char* law : {"brown_mcphee", "bristle"}) {
    const FrictionFit* fit = find_fit(*out, side, law, "measured");
    const FrictionFit* placebo = find_fit(*out, side, law, "reversed");
    if (fit == nullptr || placebo == nullptr) continue;
    std::string found;
    for (const FrictionParameter& p : fit->parameters) {
      if (p.identifiable) found += (found.empty() ? "" : ", ") + p.name;
    }
    text += fmt::format("{}{}: {}, shear to {:.1f} % of body weight (reversed in time {:.1f} %)",
                        text.empty() ? "" : "; ", law,
                        found.empty() ? "determines nothing" : "determines " + found,
                        100 * size_of(fit->errors), 100 * size_of(placebo->errors));
  }
  out->verdicts.push_back(
      fmt::format("{} foot, friction in the inverse simulation: {}", side, text));
}

}  // namespace

FrictionLaw<double> make_literature_friction(const std::string& law) {
  const double none = 1e-9;  // sticks as it slides
  if (law == "bristle") {
    return make_bristle_candidate().make(
        std::array{kSkinFriction, none, kSkinStiffness, kSkinStribeck});
  }
  return make_velocity_candidate().make(std::array{kSkinFriction, none, kSkinTransition});
}

void run_foot_dynamics(const FootDynamicsInput& in, FootDynamics* out) {
  if (in.calibrating.empty()) return;
  add_files(in, out);
  add_export(in, out);
  const auto measured = [](const One& one) { return has_shear(*one.stance); };
  const bool shear = std::all_of(in.calibrating.begin(), in.calibrating.end(), measured) &&
                     std::all_of(in.others.begin(), in.others.end(), measured);
  std::vector<One> stances{in.calibrating.front()};
  stances.insert(stances.end(), in.others.begin(), in.others.end());
  if (!shear) {
    out->verdicts.push_back(
        fmt::format("{} foot: no shear was measured, so nothing is said of friction", in.side));
  } else {
    add_baseline(in, out);
  }
  for (const auto& candidate : {make_velocity_candidate(), make_bristle_candidate()}) {
    std::vector<ForwardPlan> plans;
    try {
      if (shear) add_fits(in, candidate, out);
      const auto plan = [&](FootDriveMode mode, const FrictionLaw<double>& law, double stiffness,
                            const char* from) {
        FootForwardOptions options;
        options.mode = mode;
        options.friction = law;
        options.drive_stiffness = stiffness;
        options.mass = in.mass;
        plans.push_back({options, candidate.law, from});
      };
      const FrictionLaw<double> known = make_literature_friction(candidate.law);
      plan(FootDriveMode::kHeld, known, FootForwardOptions{}.drive_stiffness, "literature");
      if (shear && in.fits_forward) {
        const FrictionFit& fit = out->friction.back().fit;
        plan(FootDriveMode::kHeld, fit.friction, fit.drive_stiffness, "fitted");
      }
      plan(FootDriveMode::kCarried, known, kCarriedStiffness, "literature");
      for (const ForwardPlan& one : plans) {
        for (size_t k = 0; k < stances.size(); ++k) {
          if (in.stop && in.stop()) return;
          add_forward(in, stances[k], one, k < 2, out);
        }
      }
    } catch (const RunError& error) {
      out->verdicts.push_back(fmt::format("{} foot, {}: {}", in.side, candidate.law, error.what()));
    }
  }
  if (shear) add_friction_verdict(in.side, out);
}

void add_walking_shear(const FootModel& foot, FootStance* stance) {
  const Eigen::Vector2d along = calc_heading(*stance), across(along.y(), -along.x());
  const auto law = std::get<Bristle<double>>(make_literature_friction("bristle")).p;
  stance->shear.clear();
  Eigen::Vector2d z = Eigen::Vector2d::Zero(), slid = z, last_slip = z, last_ratio = z;
  for (size_t f = 0; f < stance->frames.size(); ++f) {
    const double u = stance->phase(f);
    FootFrame& frame = stance->frames[f];
    const Eigen::Vector2d ratio =
        -0.19 * std::sin(2 * M_PI * u) * along - 0.05 * std::sin(M_PI * u) * across;
    const Eigen::Vector2d slip = calc_mean_slip(foot, frame);
    if (f > 0) {
      const double dt = frame.time - stance->frames[f - 1].time;
      slid += 0.5 * dt * (slip + last_slip);
      // sigma_0 z + sigma_1 z' = -ratio, with its mean over the step.
      const Eigen::Vector2d end = -0.5 * (ratio + last_ratio) / law.sigma_0;
      z = end + (z - end) * std::exp(-dt / law.tau_br());
    }
    last_slip = slip;
    last_ratio = ratio;
    const Eigen::Vector2d bending = (-ratio - law.sigma_0 * z) / law.sigma_1;
    frame.foot.X_WB.p_WB.head<2>() += z - slid;
    frame.foot.V_WB.v_WB.head<2>() += bending - slip;
    stance->cop[f] += z - slid;
    stance->shear.emplace_back(stance->force[f] * ratio);
  }
  // The mat sees the foot where it is now.
  for (FootPressureFrame& picture : stance->pressure) {
    calc_foot_pressure(foot, stance->frames[picture.frame], stance->grid, &picture.pressure);
  }
}

}  // namespace vesica
