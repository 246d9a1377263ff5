#include "vesica/identification/foot_study_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "vesica/identification/foot_synthetic.h"
#include "vesica/io/load_motion.h"
#include "vesica/motion/trial_edit.h"

namespace vesica {
namespace foot_detail {
namespace {

using Entry = FootTrials::Entry;
using Toe = FootFitSettings::Toe;

// A file of `who`, in its `folder` where it has one.
std::string resolve(const InputFile& file, const InputNode& who, const InputNode& node) {
  std::filesystem::path path(file.folder());
  if (const auto folder = who.find("folder")) path /= folder->text();
  return (path / node.text()).lexically_normal().string();
}

FootTrials make_synthetic_trials(const InputNode& node) {
  node.allow({"stances", "weight", "force_noise", "cop_noise", "shift_noise", "turn_noise",
              "marker_noise", "pressure_noise", "pressure", "seed"});
  const auto number = [&](const char* key, const Dimension& d, double otherwise) {
    const auto found = node.find(key);
    return found ? found->non_negative(d) : otherwise;
  };
  SyntheticNoise noise;
  noise.force = number("force_noise", dimension::kForce, 0);
  noise.cop = number("cop_noise", dimension::kLength, 0);
  noise.shift = number("shift_noise", dimension::kLength, 0);
  noise.turn = number("turn_noise", dimension::kAngle, 0);
  noise.marker = number("marker_noise", dimension::kLength, 0);
  noise.pressure = number("pressure_noise", dimension::kNumber, 0);
  SyntheticFootWalk walk;
  walk.weight = number("weight", dimension::kForce, 688);
  if (const auto mat = node.find("pressure"); mat && !mat->flag()) walk.pressure_rate = 0;
  const auto count = node.find("stances");
  const int stances = count ? count->integer(2, 100) : 6;
  const auto seed_node = node.find("seed");
  const int seed = seed_node ? seed_node->integer(0, 1 << 30) : 1;
  const FootModel truth = make_brown_foot();
  FootTrials trials;
  trials.weight = walk.weight;
  for (int k = 0; k < stances; ++k) {
    // The last two are of a faster and a slower walk.
    walk.stride = std::sin(2.4 * k + 0.3);
    walk.speed = k + 2 == stances ? 1.2 : k + 1 == stances ? 0.8 : 1;
    walk.duration = 0.65 / walk.speed;
    Entry e;
    e.trial = fmt::format("walk{}", k + 1);
    e.side = Foot::kRight;
    e.end = walk.duration;
    e.speed = 1.3 * walk.speed;
    e.stance = make_synthetic_stance(truth, walk);
    add_walking_shear(truth, &e.stance);
    e.stance.name = e.trial;
    add_noise(noise, static_cast<std::uint64_t>(seed) * 1000 + static_cast<std::uint64_t>(k),
              &e.stance);
    trials.stances.push_back(std::move(e));
  }
  return trials;
}

FootTrials load_trials(const InputFile& file, const InputNode& who,
                       const std::vector<std::string>& calibrate) {
  FootTrialOptions options;
  if (const auto weight = who.find("weight")) options.weight = weight->positive(dimension::kForce);
  if (const auto scale = who.find("plate_scale")) {
    for (const auto& [plate, factor] : scale->entries()) {
      int number = 0;
      const auto [end, error] = std::from_chars(plate.data(), plate.data() + plate.size(), number);
      if (error != std::errc() || end != plate.data() + plate.size() || number < 1) {
        factor.fail("plates go by their numbers, from 1: `plate_scale: {3: 0.5}`");
      }
      options.plate_scale[number] = factor.positive(dimension::kNumber);
    }
  }
  std::vector<FootTrial> walks;
  std::set<std::string> names;
  for (const InputNode& walk : who.at("walks").items()) {
    walk.allow({"name", "markers", "forces"});
    if (!names.insert(walk.at("name").text()).second) {
      walk.at("name").fail("another walk has this name");
    }
    MotionTrial motion = load_motion(resolve(file, who, walk.at("markers")));
    if (const auto forces = walk.find("forces")) {
      motion = join(motion, load_motion(resolve(file, who, *forces)));
    }
    walks.push_back({walk.at("name").text(), std::move(motion)});
  }
  options.floor_from = calibrate;
  options.check = true;
  const std::string standing = resolve(file, who, who.at("standing"));
  const MotionTrial trial = load_motion(standing);
  try {
    return find_foot_stances(trial, walks, options);
  } catch (const InputError& error) {
    who.at("standing").fail(error.what());
  }
}

bool read_settings(const InputNode& root, FootPlan* plan) {
  bool lateral_edge = false;
  const auto fit = root.find("fit");
  if (!fit) return lateral_edge;
  fit->allow({"knots", "shift_limit", "turn_limit", "turn_limit_z", "cop_threshold", "prior_weight",
              "source_prior_weight", "toe", "iterations", "starts", "start_spread", "seed",
              "pressure", "pressure_weight", "pressure_frames", "plate_offsets", "lateral_edge",
              "six_spheres", "anchor"});
  const auto both = [&](auto set) {
    set(plan->source);
    set(plan->joint);
  };
  const auto number = [&](const char* key, const Dimension& d, double FootFitSettings::*member) {
    const auto n = fit->find(key);
    if (n) both([&](FootFitSettings& s) { s.*member = n->positive(d); });
  };
  const auto integer = [&](const char* key, int low, int high, int FootFitSettings::*member) {
    const auto n = fit->find(key);
    if (n) both([&](FootFitSettings& s) { s.*member = n->integer(low, high); });
  };
  integer("knots", 4, 40, &FootFitSettings::knots);
  integer("iterations", 1, 10000, &FootFitSettings::iterations);
  integer("pressure_frames", 1, 1000, &FootFitSettings::pressure_frames);
  number("shift_limit", dimension::kLength, &FootFitSettings::shift_limit);
  number("turn_limit", dimension::kAngle, &FootFitSettings::turn_limit);
  number("turn_limit_z", dimension::kAngle, &FootFitSettings::turn_limit_z);
  number("cop_threshold", dimension::kForce, &FootFitSettings::cop_threshold);
  if (const auto n = fit->find("pressure_weight")) {
    const double weight = n->non_negative(dimension::kNumber);
    both([&](FootFitSettings& s) { s.pressure_weight = weight; });
  }
  if (const auto n = fit->find("prior_weight")) {
    plan->joint.priors.weight = n->non_negative(dimension::kNumber);
  }
  if (const auto n = fit->find("source_prior_weight")) {
    plan->source.priors.weight = n->non_negative(dimension::kNumber);
  }
  if (const auto n = fit->find("pressure")) {
    const bool sums = n->choice({"cells", "sums"}) == 1;
    both([&](FootFitSettings& s) {
      s.pressure = sums ? FootFitSettings::Pressure::kSums : FootFitSettings::Pressure::kCells;
    });
  }
  if (const auto n = fit->find("plate_offsets")) plan->joint.plate_offsets = n->flag();
  if (const auto n = fit->find("lateral_edge")) lateral_edge = n->flag();
  if (const auto n = fit->find("six_spheres")) plan->spheres = n->flag();
  if (const auto n = fit->find("anchor")) plan->anchor = n->flag();
  if (const auto n = fit->find("starts")) plan->starts.count = n->integer(1, 100000);
  if (const auto n = fit->find("seed")) plan->starts.seed = n->integer(0, 1 << 30);
  if (const auto n = fit->find("start_spread")) {
    plan->starts.spread = n->positive(dimension::kNumber);
  }
  return lateral_edge;
}

// Why the toe's angle is not measured in all stances, though the standing trial has its marker.
std::string find_lost_hallux(const FootTrials& trials) {
  for (const Entry& e : trials.stances) {
    if (e.lost_hallux.empty()) continue;
    return fmt::format("walk {} has no marker {}, which the standing trial has", e.trial,
                       e.lost_hallux);
  }
  return {};
}

// The toe's angle: as the file says, else measured where there is a marker for it. `is_known`: made
// up with the stance.
void read_toe(const InputNode& root, bool has_marker, bool is_known, FootPlan* plan) {
  const std::string lost = find_lost_hallux(plan->trials);
  if (!lost.empty()) has_marker = false;
  plan->source.toe = has_marker ? Toe::kMeasured : Toe::kOwn;
  plan->joint.toe = has_marker ? Toe::kMeasured : Toe::kShared;
  const auto fit = root.find("fit");
  const auto toe = fit ? fit->find("toe") : std::nullopt;
  if (!toe && !lost.empty()) {
    plan->trials.remarks.push_back(
        lost + ": the toe angle is taken as a spline (`toe: spline`) in all of them");
  }
  if (!toe) return;
  switch (toe->choice({"spline", "pitch", "straight", "measured"})) {
    case 0:
      plan->source.toe = Toe::kOwn;
      plan->joint.toe = Toe::kShared;
      break;
    case 1:
      plan->source.toe = Toe::kOwn;
      plan->joint.toe = Toe::kPitch;
      break;
    case 2:
      plan->source.toe = plan->joint.toe = Toe::kMeasured;
      for (Entry& e : plan->trials.stances) {
        for (FootFrame& frame : e.stance.frames) {
          std::fill(frame.angles.begin(), frame.angles.end(), 0.0);
          std::fill(frame.rates.begin(), frame.rates.end(), 0.0);
        }
      }
      break;
    default:
      if (!has_marker && !is_known) {
        toe->fail((lost.empty()
                       ? "the recordings have no marker on the great toe (R.Hallux, RHLX)"
                       : lost) +
                  "; take `spline`, `pitch` or `straight`");
      }
      plan->source.toe = plan->joint.toe = Toe::kMeasured;
  }
}

// Keys of a mat are for stances that have one.
void check_pressure_keys(const InputNode& root, const FootTrials& trials) {
  const auto fit = root.find("fit");
  if (!fit) return;
  for (const Entry& e : trials.stances) {
    if (!e.stance.pressure.empty()) return;
  }
  for (const char* key : {"pressure", "pressure_weight", "pressure_frames"}) {
    if (const auto node = fit->find(key)) {
      node->fail(
          "these stances have no pressure (walks give markers and forces; `synthetic` ones have a "
          "mat): leave it out");
    }
  }
}

void check_calibrate(const InputNode& who, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const InputNode& name : who.at("calibrate").items()) {
    if (std::find(known.begin(), known.end(), name.text()) == known.end()) {
      name.fail("walk " + say_unknown(name.text(), names));
    }
  }
}

}  // namespace

FootPlan read_foot_plan(const InputFile& file) {
  const InputNode root = file.root();
  root.allow({"vesica", "type", "title", "description", "standing", "walks", "synthetic",
              "calibrate", "weight", "plate_scale", "folder", "fit", "dynamics"});
  return read_foot_plan(file, root, root);
}

FootPlan read_foot_plan(const InputFile& file, const InputNode& who, const InputNode& how) {
  FootPlan plan;
  if (const auto dynamics = how.find("dynamics")) {
    const size_t choice = dynamics->choice({"none", "quick", "full"});
    plan.dynamics = choice > 0;
    plan.fits_forward = choice > 1;
  }
  // The source has bounds alone; a hair of a prior keeps what the data do not see where it began.
  plan.source.priors.weight = 1e-4;
  plan.source.iterations = 200;
  plan.source.pressure_weight = 0.1;
  plan.joint = plan.source;
  plan.joint.priors.weight = 1e-3;
  plan.joint.corrections = false;
  plan.joint.plate_offsets = true;
  plan.joint.iterations = 300;
  const bool lateral_edge = read_settings(how, &plan);
  // What an anchored stance has lost is not looked for in its plate.
  if (plan.anchor) plan.joint.priors.height = 1e-6;
  for (const InputNode& name : who.at("calibrate").items()) plan.calibrate.push_back(name.text());
  if (plan.calibrate.empty()) who.at("calibrate").fail("at least one walk is needed");
  plan.place = who.at("calibrate").place();
  std::vector<std::string> known;
  if (const auto synthetic = who.find("synthetic")) {
    for (const char* key : {"walks", "standing", "weight", "plate_scale", "folder"}) {
      if (who.find(key)) who.at(key).fail("of recordings; stances are `synthetic` here");
    }
    plan.trials = make_synthetic_trials(*synthetic);
    plan.truth = make_brown_foot();
    plan.start_left = plan.start_right = make_brown_start();
    if (lateral_edge) {
      plan.start_right.ellipsoids.push_back(make_lateral_edge(plan.start_right));
      plan.start_left = plan.start_right;
    }
    for (const Entry& e : plan.trials.stances) known.push_back(e.trial);
    check_calibrate(who, known);
    read_toe(how, false, true, &plan);
  } else {
    for (const InputNode& walk : who.at("walks").items()) known.push_back(walk.at("name").text());
    check_calibrate(who, known);
    plan.trials = load_trials(file, who, plan.calibrate);
    bool hallux = true;
    for (const bool left : {true, false}) {
      const FootShape& shape = left ? plan.trials.left : plan.trials.right;
      if (!shape.is_there()) continue;
      (left ? plan.start_left : plan.start_right) = make_template(shape, lateral_edge);
      hallux = hallux && !shape.hallux.empty();
    }
    read_toe(how, hallux, false, &plan);
  }
  check_pressure_keys(how, plan.trials);
  return plan;
}

}  // namespace foot_detail

bool is_foot_study(const InputFile& file) {
  const InputNode root = file.root();
  if (!root.is_map()) return false;
  const auto type = root.find("type");
  return type && type->is_scalar() && type->text() == "foot";
}

}  // namespace vesica
