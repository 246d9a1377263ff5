// vesica knee: a knee as a scene, to run, to vary, to change.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "vesica/biomechanics/knee_loaded.h"
#include "vesica/biomechanics/knee_strands.h"
#include "vesica/biomechanics/leg.h"
#include "vesica/error.h"
#include "vesica/io/output_file.h"
#include "vesica/io/yaml.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate_model.h"

namespace vesica::app {
namespace {

struct KneeArguments {
  std::string activity = "swing", side, condyles = "spheres", strands, surfaces, walk, write;
  double flexion = 0;
};

constexpr double kEllipsoidStretch = 1.2;  // along y, over the height

void tell_strands(const biomechanics::KneeStrands& strands, bool has_surfaces,
                  const std::string& side) {
  const auto count = [](size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  const std::string own = strands.side == biomechanics::Side::kLeft ? "left" : "right";
  say("{} from femur to tibia, of a {} knee{}\n", count(strands.ligaments.size(), "strand"), own,
      side.empty() || side == own ? "" : fmt::format(", mirrored to a {} one (--side)", side));
  if (!strands.left_out.empty()) {
    say("{} left out: {}\n", count(strands.left_out.size(), "strand"),
        fmt::join(strands.left_out, ", "));
  }
  if (has_surfaces) {
    say("{} on {}\n", count(strands.wrapped, "strand"), fmt::join(strands.surfaces, ", "));
  }
  if (!strands.straightened.empty() && has_surfaces) {
    say("{} straight, though the table lets them wrap: {}\n",
        count(strands.straightened.size(), "strand"), fmt::join(strands.straightened, ", "));
  } else if (!strands.straightened.empty()) {
    say("{} straight, though the table lets them wrap over {}: it has the names of these surfaces "
        "only; --surfaces reads them from an OpenSim model: {}\n",
        count(strands.straightened.size(), "strand"), fmt::join(strands.surfaces, ", "),
        fmt::join(strands.straightened, ", "));
  }
  if (!strands.shortened.empty()) {
    say("{} straight from end to end, though n_path_points has more: the table has the ends only; "
        "give lines that need them more `points`: {}\n",
        count(strands.shortened.size(), "strand"), fmt::join(strands.shortened, ", "));
  }
  if (!strands.missing.empty()) {
    say("no strand is called {}...: a knee without {}\n", fmt::join(strands.missing, "... or "),
        strands.missing.size() == 1 ? "it" : "them");
  }
  for (const std::string& doubt : strands.doubtful) say("warning: {}\n", doubt);
}

biomechanics::KneeOptions make_knee_options(const KneeArguments& a, bool quiet) {
  biomechanics::KneeOptions options;
  if (!a.strands.empty()) {
    // Patella, quadriceps and ankle are placed for the frame of the twelve elements.
    if (a.activity != "swing") {
      throw InputError(fmt::format(
          "--strands: is for --activity swing; the points of '{}' are those of the twelve elements",
          a.activity));
    }
    biomechanics::KneeStrands strands;
    options = biomechanics::make_strand_options(a.strands, &strands, a.surfaces);
    if (!quiet) tell_strands(strands, !a.surfaces.empty(), a.side);
  } else if (!a.surfaces.empty()) {
    throw InputError("--surfaces: are those that strands of a table wrap over; give --strands too");
  }
  if (!a.side.empty()) {
    options.side = a.side == "left" ? biomechanics::Side::kLeft : biomechanics::Side::kRight;
  }
  if (a.condyles == "ellipsoids") {
    for (auto& c : options.condyles) c.radii.y() *= kEllipsoidStretch;
  }
  if (!(a.flexion >= 0 && a.flexion <= 140)) {  // also what is no number
    throw InputError(fmt::format("--flexion: from 0 to 140 degrees, found {:g}", a.flexion));
  }
  options.flexion = a.flexion * kPi / 180;
  return options;
}

// A leg, with the ways of femur and ankle beside the scene.
Model make_walk(const KneeArguments& a, const biomechanics::KneeOptions& options) {
  if (a.write.empty()) throw InputError("--activity walk writes three files: give --write FILE");
  const auto motion = biomechanics::load_leg_motion(a.walk, options.side);
  const std::filesystem::path scene(a.write), folder = scene.parent_path();
  const auto save = [&](const char* what, const std::string& rows) {
    const std::string name = scene.stem().string() + "_" + what + ".csv";
    save_text((folder / name).string(), rows);
    return name;
  };
  const std::string femur = save("femur", biomechanics::write_femur_csv(options, motion));
  const std::string ankle = save("ankle", biomechanics::write_ankle_csv(motion));
  return biomechanics::make_leg(options, motion, femur, ankle);
}

// Where a knee begins without touching, ligaments alone hold it: points may be elsewhere than the
// condyles.
void warn_of_no_contact(Model model) {
  model.run.solver = Solver::kRk4;
  model.run.step = model.run.duration = model.run.interval = 1e-9;
  const TimeTable at_rest = simulate(model).recording;
  for (const char* name : {"medial", "lateral"}) {
    const auto force = at_rest.column(at_rest.find(fmt::format("{}.normal_force", name)));
    if (force.front() > 0) continue;
    say("warning: where it begins at rest the {} condyle does not touch its plateau: are the "
        "ligaments those of these condyles, in the same axes?\n",
        name);
  }
}

// The scene with what a user changes first, also where it is the default: side and toe of every
// ligament.
std::string write_scene(const Model& model) {
  InputFile file = InputFile::parse(write_model(model), "knee");
  for (size_t k = 0; k < model.forces.size(); ++k) {
    const auto* ligament = std::get_if<model::Ligament<>>(&model.forces[k].force);
    if (ligament == nullptr) continue;
    file.set(fmt::format("forces.{}.toe_strain", k), fmt::format("{}", ligament->toe_strain));
  }
  for (size_t k = 0; k < model.measures.size(); ++k) {
    const auto& measure = std::get<model::GroodSuntay<>>(model.measures[k].measure);
    file.set(fmt::format("measures.{}.side", k), measure.is_left ? "left" : "right");
  }
  return file.dump();
}

void write_knee(KneeArguments a, const Common& common) {
  if (!common.out.empty()) {
    if (!a.write.empty())
      throw InputError("--out DIR writes DIR/knee.yaml; --write names the file");
    a.write = (std::filesystem::path(common.out) / "knee.yaml").string();
  }
  const auto options = make_knee_options(a, common.quiet);
  if (a.activity != "swing" && a.flexion != 0) {
    throw InputError("--flexion: where a swing begins; a squat and a step have their own");
  }
  if ((a.activity == "walk") != !a.walk.empty()) {
    throw InputError("--activity walk and --walk JOINT_CENTERS.trc go together");
  }
  const Model model = a.activity == "walk"    ? make_walk(a, options)
                      : a.activity == "squat" ? biomechanics::make_squat(options)
                      : a.activity == "step"  ? biomechanics::make_step(options)
                                              : biomechanics::make_knee(options);
  // A scene that does not start is not written.
  if (a.activity != "walk") {
    try {
      make_scene<double>(model);
    } catch (const InputError& error) {
      throw InputError(
          fmt::format("this knee does not rest where it begins ({}); {}", error.what(),
                      a.flexion > 0 ? "give another --flexion" : "look at its strands"));
    }
    if (!common.quiet) warn_of_no_contact(model);
  }
  const std::string text = write_scene(model);
  if (!a.write.empty()) {
    save_text(a.write, text);
    if (!common.quiet) say("{}: run it with: vesica simulate {}\n", a.write, a.write);
  }
  if (common.json) {
    print_json(a.write.empty() ? nlohmann::ordered_json{{"scene", text}}
                               : nlohmann::ordered_json{{"written", a.write}});
  } else if (a.write.empty()) {
    std::fputs(text.c_str(), stdout);
  }
}

}  // namespace

void add_knee(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "knee", "a knee as a scene, to run and to change");
  add_out(command, common);
  auto a = std::make_shared<KneeArguments>();
  command.option("--activity", &a->activity, "what it does")
      .one_of({"swing", "squat", "step", "walk"})
      .show_default();
  command.option("--side", &a->side, "right, or as the table of --strands says")
      .one_of({"right", "left"});
  command.option("--condyles", &a->condyles, "spheres, or ellipsoids 1.2 times as long as high")
      .one_of({"spheres", "ellipsoids"})
      .show_default();
  command.option("--strands", &a->strands,
                 "a table of ligament strands (CSV) in place of the twelve elements");
  command.option("--surfaces", &a->surfaces,
                 "an OpenSim model (.osim) that has the surfaces which the table names");
  command.option("--walk", &a->walk,
                 "joint centres of a walk (*_joint_centers.trc of vesica markers) that thigh and "
                 "ankle follow");
  command.option("--flexion", &a->flexion, "at the start of a swing [deg]");
  command.option("--write", &a->write, "the file to write; standard output without");
  command.footer("docs/howto/knee.md: what to measure for your own knee, and where to put it.");
  command.run([a, &common] { write_knee(*a, common); });
}

}  // namespace vesica::app
