// vesica forces: ground forces from motion alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "apps/vesica/input_kind.h"
#include "apps/vesica/scene_files.h"
#include "vesica/error.h"
#include "vesica/forces/evaluate.h"
#include "vesica/forces/files.h"
#include "vesica/forces/outputs.h"
#include "vesica/forces/recordings.h"
#include "vesica/io/file_error.h"
#include "vesica/io/marker_map.h"
#include "vesica/io/output_file.h"
#include "vesica/io/sto.h"
#include "vesica/io/units.h"
#include "vesica/report/forces_page.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;
using forces::Calibration;
using forces::Person;
using forces::Population;
using Json = nlohmann::ordered_json;

struct ForcesArguments {
  std::string standing, mass, map, population = "population", compare;
  std::vector<std::string> trials;  // or folders
  std::string trial;                // to predict
  std::string calibration;
  std::string title, source;
  std::string right_body = "calcn_r", left_body = "calcn_l";
  bool outside = false;
};

double read_mass(const std::string& text) {
  if (text.empty()) return 0;
  double mass = 0;
  try {
    mass = parse_quantity(text, dimension::kMass);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--mass {}: {}", text, error.what()));
  }
  if (!(mass >= 5 && mass <= 300)) {
    throw InputError(fmt::format(
        "--mass {}: {:g} kg is no mass of a walking person (5 to 300 kg); write the unit too, as "
        "in \"70.5 kg\"",
        text, mass));
  }
  return mass;
}

forces::Preparation make_preparation(const std::string& map_name) {
  if (map_name.empty()) return {};
  auto map = std::make_shared<MarkerMap>(load_marker_map(find_input(map_name)));
  return [map](MotionTrial* trial) { rename_markers(*map, &trial->markers); };
}

Population load_named_population(const std::string& name) {
  return forces::load_population(find_input(name));
}

void print_person(const Person& person) {
  for (const std::string& note : person.notes) fmt::print("note: {}\n", note);
  for (const forces::MeasuredWalk& m : person.walks) {
    fmt::print("{}: {:.2f} m/s, {} contacts, {} stances wholly on plates\n", m.walk.name,
               m.walk.speed, m.walk.contacts.size(), m.stances.size());
    for (const std::string& note : m.walk.notes) fmt::print("  note: {}\n", note);
    for (const forces::RejectedLoad& r : m.rejected) {
      fmt::print("  not used: plate {}, {:.3f} to {:.3f} s: {}\n", r.plate, r.begin, r.end, r.why);
    }
  }
  for (const forces::PlateScale& s : person.scales) {
    fmt::print("plate {} reads {:g} times too much: undone\n", s.plate, s.factor);
  }
}

Json make_person_json(const Person& person) {
  Json json = {{"person", person.name},
               {"weight", person.weight},
               {"weight_spread", person.weight_found.spread},
               {"weight_source", person.weight_found.source},
               {"floor_slope", {person.slope_W.x(), person.slope_W.y(), person.slope_W.z()}},
               {"notes", person.notes}};
  json["plate_factors"] = Json::object();
  for (const forces::PlateScale& s : person.scales) json["plate_factors"][s.plate] = s.factor;
  json["walks"] = Json::array();
  for (const forces::MeasuredWalk& m : person.walks) {
    Json walk = {{"trial", m.walk.name},
                 {"speed", m.walk.speed},
                 {"contacts", m.walk.contacts.size()},
                 {"stances", m.stances.size()},
                 {"sides_exchanged", m.walk.sides_exchanged},
                 {"notes", m.walk.notes}};
    walk["rejected"] = Json::array();
    for (const forces::RejectedLoad& r : m.rejected) {
      walk["rejected"].push_back(
          {{"plate", r.plate}, {"begin", r.begin}, {"end", r.end}, {"why", r.why}});
    }
    json["walks"].push_back(walk);
  }
  return json;
}

void run_calibrate(const ForcesArguments& arguments, Common& common) {
  if (arguments.standing.empty()) {
    throw InputError("--static is missing: a standing trial tells joint centres and feet");
  }
  if (common.out.empty()) throw InputError("--out is missing: the calibration file to write");
  try_file(common.out);
  const Population population = load_named_population(arguments.population);
  forces::PersonOptions options;
  options.mass = read_mass(arguments.mass);
  options.prepare = make_preparation(arguments.map);
  std::vector<forces::WalkFiles> walks;
  for (const std::string& trial : arguments.trials) {
    walks.push_back(forces::split_walk_files(trial));
  }
  const std::string name = fs::path(common.out).stem().string();
  const Person person = forces::load_person(name, arguments.standing, walks, options);
  std::vector<size_t> all;
  for (size_t w = 0; w < person.walks.size(); ++w) all.push_back(w);
  Calibration calibration = forces::calibrate(person, all, population);
  if (!common.json && !common.quiet) print_person(person);
  calibration.title = arguments.title.empty() ? name : arguments.title;
  save_text(common.out, forces::make_calibration_yaml(calibration));
  if (!common.quiet) say("wrote {}\n", common.out);
  if (common.json) {
    Json json = make_person_json(person);
    json["calibration"] = common.out;
    json["stances"] = calibration.stances;
    json["stances_right"] = calibration.side_stances[forces::kRight];
    json["stances_left"] = calibration.side_stances[forces::kLeft];
    for (const std::string& note : forces::list_sides_without_stances(calibration)) {
      json["notes"].push_back(note);
    }
    json["froude_speed"] = calibration.means.speed;
    print_json(json);
  } else if (!common.quiet) {
    fmt::print("body weight {:.1f} N ({}), floor {:+.1f} mm/m along the walk\n", person.weight,
               person.weight_found.source, 1e3 * person.walks[0].walk.slope[0]);
    for (const std::string& note : forces::list_sides_without_stances(calibration)) {
      fmt::print("note: {}\n", note);
    }
    fmt::print("calibrated with {} stances ({} right, {} left) at {:.2f} m/s\n",
               calibration.stances, calibration.side_stances[forces::kRight],
               calibration.side_stances[forces::kLeft],
               calibration.means.speed * std::sqrt(forces::kGravity * person.body.leg_length));
  }
}

void print_prediction(const forces::PredictedTrial& trial) {
  const forces::Walk& walk = trial.walk;
  fmt::print("{}: {:.2f} m/s, {} contacts, body weight {:.0f} N\n", walk.name, walk.speed,
             walk.contacts.size(), trial.weight);
  for (const std::string& text : trial.judgement.outside)
    fmt::print("outside of training: {}\n", text);
  for (const std::string& note : walk.notes) fmt::print("note: {}\n", note);
  for (const std::string& text : forces::list_guesses(walk)) fmt::print("{}\n", text);
  const forces::PopulationFigures& f = trial.population->figures;
  if (f.people > 0) {
    const forces::Errors& e = trial.calibrated ? f.own : f.stranger;
    fmt::print(
        "expected errors ({} people left out, {}): force {:.1f} %, centre of pressure {:.1f} "
        "%, fore-aft {:.1f} %, lateral {:.1f} %{}\n",
        f.people, trial.calibrated ? "calibrated" : "no plates", e.force, e.pressure, e.ahead,
        e.lateral,
        trial.judgement.outside.empty()
            ? ", in the laboratory that was trained"
            : "; they do not hold for this walk, which is outside of training: expect more");
  }
  if (!trial.comparison) return;
  const forces::Comparison& c = *trial.comparison;
  fmt::print("\n{:<8}{:<8}{:>9}{:>9}   {:>22}   {:>22}   {:>22}\n", "side", "plate", "begin s",
             "end s", "predicted %", "mean curve %", "with slope %");
  const auto show = [](const forces::Errors& e) {
    return fmt::format("{:.1f} {:.1f} {:.1f} {:.1f}", e.force, e.pressure, e.ahead, e.lateral);
  };
  for (const forces::ComparedStance& s : c.stances) {
    fmt::print("{:<8}{:<8}{:>9.3f}{:>9.3f}   {:>22}   {:>22}   {:>22}\n",
               name_of(forces::as_foot(s.side)), s.plate, s.begin, s.end, show(s.errors),
               show(s.mean_curve), show(s.fair));
  }
  fmt::print(
      "(vertical force, fore-aft, lateral: rms / body weight, in columns 1, 3, 4; centre of "
      "pressure: rms / 0.2 m, in column 2)\n");
  for (const forces::RejectedLoad& r : c.measured.rejected) {
    fmt::print("not judged: plate {}, {:.3f} to {:.3f} s: {}\n", r.plate, r.begin, r.end, r.why);
  }
  for (const forces::PlateScale& s : c.scales) {
    fmt::print("plate {} reads {:g} times too much: undone\n", s.plate, s.factor);
  }
  if (!c.stances.empty()) {
    fmt::print(
        "sagittal moments, rms over their peak: ankle {:.1f} %, knee {:.1f} %, hip {:.1f} %\n",
        c.moments[0], c.moments[1], c.moments[2]);
  }
  fmt::print("{}\n", c.verdict);
}

// Markers alone: what plates say must not reach the prediction.
MotionTrial load_markers_only(const std::string& file, const forces::Preparation& prepare) {
  MotionTrial trial = forces::load_walk({file, {}}, false, prepare);
  trial.plates.clear();
  trial.analog = {};
  return trial;
}

// What reading them had to tolerate goes to the notes.
std::vector<PlateForces> load_compared_plates(const ForcesArguments& arguments,
                                              const forces::Walk& walk,
                                              std::vector<std::string>* notes) {
  const MotionTrial motion = forces::load_walk(
      {arguments.trial, arguments.compare == arguments.trial ? "" : arguments.compare}, true, {});
  std::vector<PlateForces> plates = calc_all_plate_forces(motion, walk.up_W, {});
  std::vector<std::string> warnings = motion.warnings;
  for (const std::string& text : forces::list_plate_warnings(plates)) warnings.push_back(text);
  for (const std::string& text : warnings) {
    if (std::find(notes->begin(), notes->end(), text) == notes->end()) notes->push_back(text);
  }
  return plates;
}

forces::PredictedTrial predict_trial(const ForcesArguments& arguments, const Population& population,
                                     const Calibration* calibration) {
  const forces::Preparation prepare = make_preparation(arguments.map);
  forces::PredictedTrial trial;
  trial.population = &population;
  trial.calibrated = calibration != nullptr;
  trial.calibration = arguments.calibration;
  const double mass = read_mass(arguments.mass);
  if (calibration != nullptr) {
    trial.body = calibration->body;
    trial.weight = mass > 0 ? mass * forces::kGravity : calibration->weight;
    trial.floor_height = calibration->floor_height;
  } else {
    if (arguments.standing.empty()) {
      throw InputError(
          "--static is missing: without a calibration a standing trial has to tell joint centres "
          "and feet");
    }
    if (!(mass > 0)) {
      throw InputError(
          "--mass is missing: without plates the body mass has to be told, as in "
          "--mass \"70.5 kg\"");
    }
    trial.body = forces::make_body(forces::load_standing(arguments.standing, prepare));
    trial.weight = mass * forces::kGravity;
  }
  const MotionTrial motion = load_markers_only(arguments.trial, prepare);
  trial.walk = forces::make_walk(motion, fs::path(arguments.trial).stem().string(), trial.body);
  for (const std::string& note : trial.body.notes) trial.walk.notes.push_back(note);
  if (calibration != nullptr) {
    for (const std::string& note : forces::list_sides_without_stances(*calibration)) {
      trial.walk.notes.push_back(note);
    }
  }
  if (trial.walk.upper.is_seen()) {
    trial.walk.notes.push_back(fmt::format(
        "Markers show {}, {}.", fmt::join(trial.walk.upper.parts, ", "),
        population.signals.upper_body ? "which count"
                                      : "which are not used: the population was trained without"));
  }
  forces::level_floor(trial.body, {&trial.walk});
  trial.figures = forces::calc_figures(trial.walk, trial.body);
  trial.judgement = forces::judge(trial.figures, trial.walk, trial.body, population, trial.weight);
  if (!trial.judgement.refused.empty() && !arguments.outside) {
    throw InputError(fmt::format(
        "{}: far outside of what was trained: {} A prediction would be a guess; --outside makes it "
        "all the same",
        arguments.trial, trial.judgement.refused));
  }
  const forces::Predictor predictor{&population, calibration, trial.weight};
  trial.prediction = forces::predict(trial.walk, trial.body, predictor);
  if (!arguments.compare.empty()) {
    trial.comparison = forces::compare(
        trial.walk, trial.body, load_compared_plates(arguments, trial.walk, &trial.walk.notes),
        predictor, trial.prediction);
  }
  return trial;
}

void run_predict(const ForcesArguments& arguments, const Command& command, Common& common) {
  if (!common.out.empty()) try_folder(common.out);
  std::optional<Calibration> calibration;
  Population population;
  // A calibration, or a population: the one that comes along under its name.
  for (const char* ending : {".trc", ".c3d", ".mot", ".sto"}) {
    if (!arguments.calibration.ends_with(ending)) continue;
    throw InputError(fmt::format(
        "{}: a recording cannot be the first argument; it is a calibration file or a population, "
        "and then comes the walk: vesica forces predict CALIBRATION TRIAL",
        arguments.calibration));
  }
  const std::string path = find_input(arguments.calibration);
  const InputFile file = InputFile::load(path);
  expect_input_for({"forces predict", "forces"}, file);
  if (forces::is_population(file)) {
    command.refuse({"--population"}, "the first argument is the population already");
    population = forces::load_population(path);
  } else {
    command.refuse(
        {"--static"},
        "a calibration has joint centres and feet of its own; calibrate again, or name a "
        "population first");
    calibration = forces::load_calibration(path);
    population = load_named_population(arguments.population);
    if (calibration->population_digest != population.digest) {
      throw InputError(fmt::format(
          "{}: calibrated with the population '{}' ({}), not with '{}' ({}); calibrate again, or "
          "name the former by --population",
          path, calibration->population_title, calibration->population_digest, population.title,
          population.digest));
    }
  }
  const forces::PredictedTrial trial =
      predict_trial(arguments, population, calibration ? &*calibration : nullptr);
  const std::string folder = common.out.empty() ? "out" : common.out;
  const auto in_folder = [&](const std::string& ending) {
    return (fs::path(folder) / (trial.walk.name + ending)).string();
  };
  save_sto(in_folder("_forces.mot"), forces::make_force_table(trial));
  save_sto(in_folder("_bands.mot"), forces::make_band_table(trial));
  save_sto(in_folder("_moments.mot"), forces::make_moment_table(trial));
  save_text(in_folder("_external_loads.xml"),
            forces::make_external_loads(trial, trial.walk.name + "_forces.mot",
                                        arguments.right_body, arguments.left_body));
  save_text(in_folder("_forces.html"), make_forces_page(trial));
  if (!common.quiet) say("wrote {} and what goes with it\n", in_folder("_forces.mot"));
  if (common.json) {
    Json json = forces::make_json(trial);
    json["file"] = in_folder("_forces.mot");
    print_json(json);
  } else if (!common.quiet) {
    print_prediction(trial);
  }
}

void run_train(const ForcesArguments& arguments, Common& common) {
  if (common.out.empty()) throw InputError("--out is missing: the population file to write");
  try_file(common.out);
  std::vector<Person> people;
  std::vector<std::string> left_out;  // people whose standing trial is of no use
  forces::PersonOptions options;
  options.prepare = make_preparation(arguments.map);
  options.skip_bad = true;
  for (const std::string& root : arguments.trials) {
    for (const std::string& folder : forces::list_person_folders(root)) {
      const forces::FolderFiles files = forces::list_folder(folder);
      const std::string name = fs::path(folder).filename().string();
      try {
        people.push_back(forces::load_person(name, files.standing, files.walks, options));
      } catch (const FileError&) {
        throw;
      } catch (const InputError& error) {
        left_out.push_back(fmt::format("Not used: {}", error.what()));
        if (!common.quiet && !common.json) fmt::print("{}: {}\n", name, left_out.back());
        continue;
      }
      Person& p = people.back();
      p.notes.insert(p.notes.end(), files.left_out.begin(), files.left_out.end());
      if (common.quiet || common.json) continue;
      fmt::print("{}: {:.1f} N, {} walks, {} stances\n", name, p.weight, p.walks.size(),
                 p.stances());
      print_person(p);
    }
  }
  forces::refuse_same_people(people);
  Population population = forces::train(people);
  population.title =
      arguments.title.empty() ? fs::path(common.out).stem().string() : arguments.title;
  population.source = arguments.source;
  std::vector<const Person*> used;
  for (const Person& p : people) {
    if (p.stances() > 0) used.push_back(&p);
  }
  population.figures = forces::calc_figures(used);
  save_text(common.out, forces::make_population_yaml(population));
  if (!common.quiet) say("wrote {}\n", common.out);
  const forces::PopulationFigures& f = population.figures;
  const std::pair<const char*, const forces::Errors*> rows[] = {
      {"calibrated", &f.own},
      {"  own mean curve", &f.own_mean},
      {"  own mean curve + slope", &f.own_fair},
      {"no plates", &f.stranger},
      {"  mean curve", &f.stranger_mean},
      {"  mean curve + slope", &f.stranger_fair}};
  if (common.json) {
    Json json = {{"population", common.out},
                 {"people", population.people},
                 {"walks", population.walks},
                 {"stances", population.stances}};
    const char* const keys[] = {"own",      "own_mean",      "own_fair",
                                "stranger", "stranger_mean", "stranger_fair"};
    for (size_t i = 0; i < std::size(rows); ++i) {
      const forces::Errors& e = *rows[i].second;
      json["left_out"][keys[i]] = {e.force, e.pressure, e.ahead, e.lateral};
    }
    json["left_out"]["gain_percent"] = {f.gain_own, f.gain_stranger};
    json["left_out"]["placebo_gain_percent"] = {f.gain_own_placebo, f.gain_stranger_placebo};
    json["not_used"] = left_out;
    json["trained"] = Json::array();
    for (const Person& p : people) json["trained"].push_back(make_person_json(p));
    print_json(json);
  } else if (!common.quiet) {
    fmt::print(
        "\n{} people, {} walks, {} stances; each person left out in turn, %:\n{:<28}{:>8}"
        "{:>8}{:>10}{:>9}\n",
        population.people.size(), population.walks, population.stances, "", "force", "cop",
        "fore-aft", "lateral");
    for (const auto& [name, e] : rows) {
      fmt::print("{:<28}{:>8.2f}{:>8.2f}{:>10.2f}{:>9.2f}\n", name, e->force, e->pressure, e->ahead,
                 e->lateral);
    }
    fmt::print(
        "motion takes {:.0f} % (calibrated) and {:.0f} % (no plates) off the error of curves; "
        "with forces reversed in time {:.0f} and {:.0f} %\n",
        f.gain_own, f.gain_stranger, f.gain_own_placebo, f.gain_stranger_placebo);
  }
}

// What every subcommand has. `out`: what --out is, where it is a file.
Command add_subcommand(Command* forces, const char* name, const char* title, const char* out,
                       ForcesArguments* o, Common& common) {
  Command command = forces->add_command(name, title);
  add_common_options(&command, common);
  add_out(command, common);
  if (out != nullptr) command.get_option("--out").description(out).type_name("FILE");
  command.option("--map", &o->map, "map of marker names: a file, or one of `vesica list`")
      .type_name("MAP");
  return command;
}

}  // namespace

void add_forces(CommandLine& line, Common& common) {
  Command command = line.add_command("forces", "Ground forces from motion alone");
  command.footer(
      "  vesica forces calibrate --static S.trc W1.trc W2.trc --out cal.yaml\n"
      "  vesica forces predict cal.yaml T.trc --out DIR --compare T.mot\n"
      "  vesica forces predict population T.trc --static S.trc --mass \"70.5 kg\" --out DIR\n"
      "  vesica forces train FOLDER... --out population.yaml");
  auto options = std::make_shared<ForcesArguments>();
  ForcesArguments& o = *options;

  Command calibrate =
      add_subcommand(&command, "calibrate", "One person's own curves, from trials on plates",
                     "calibration file to write", &o, common);
  calibrate
      .option("TRIAL", &o.trials,
              "walks with plates: C3D, TRC with a MOT of the same name, or W.trc=PLATES.mot")
      .required();
  calibrate.option("--static", &o.standing, "standing trial").type_name("FILE");
  calibrate.option("--mass", &o.mass, "body mass ('70.5 kg'); from the plates if not given");
  calibrate.option("--population", &o.population, "population file")
      .type_name("FILE")
      .show_default();
  calibrate.option("--title", &o.title, "who this is");
  calibrate.run([&common, options] { run_calibrate(*options, common); });

  Command predict =
      add_subcommand(&command, "predict", "Forces of both feet over a walk", nullptr, &o, common);
  predict
      .option("CALIBRATION", &o.calibration,
              "calibration file, or a population ('population': the one that comes along)")
      .required();
  predict.option("TRIAL", &o.trial, "the walk: TRC or C3D").required();
  predict.option("--static", &o.standing, "standing trial, where there is no calibration")
      .type_name("FILE");
  predict.option("--mass", &o.mass, "body mass ('70.5 kg'); instead of a calibration's");
  predict
      .option("--compare", &o.compare,
              "plates to judge the prediction by (MOT, STO, or the C3D itself); never changes it")
      .type_name("FILE");
  predict.option("--population", &o.population, "population that the calibration was made with")
      .type_name("FILE")
      .show_default();
  predict.flag("--outside", &o.outside, "predict walks far outside of what was trained, too");
  predict.option("--right-body", &o.right_body, "OpenSim body of the right foot").show_default();
  predict.option("--left-body", &o.left_body, "OpenSim body of the left foot").show_default();
  predict.run([&common, options, predict] { run_predict(*options, predict, common); });

  Command train =
      add_subcommand(&command, "train", "The population model, from folders of recordings",
                     "population file to write", &o, common);
  train
      .option("FOLDER", &o.trials,
              "a person's recordings (a standing trial and walks with plates), or folders of them")
      .required();
  train.option("--title", &o.title, "what the population is called");
  train.option("--source", &o.source, "where the recordings come from, and their licence");
  train.run([&common, options] { run_train(*options, common); });
}

}  // namespace vesica::app
