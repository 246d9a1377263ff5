// Ground forces from motion alone, for people who were left out: errors beside those of curves,
// placebo, coverage of the bands, joint moments, errors by tenth of stance, recorded otherwise,
// times. As a table, not a Google benchmark.
//
//   forces_bench [--no-bands] [FOLDER...]      default: ../shared/data/wbds ../shared/data/wbds07
//
// Walks whose names end in C (comfortable) calibrate, two at a time in turn; fast (F) and slow (S)
// ones are predicted by each pair. Without such names, the three walks nearest to the person's
// median speed stand for them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <map>

#include "bench/forces_conditions.h"
#include "vesica/forces/evaluate.h"
#include "vesica/forces/recordings.h"

namespace {

using namespace vesica;
using namespace vesica::forces;
namespace fs = std::filesystem;

// Processor seconds: other programs do not count.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<size_t> list_comfortable(const Person& person) {
  std::vector<size_t> walks;
  for (size_t w = 0; w < person.walks.size(); ++w) {
    if (person.walks[w].walk.name.ends_with("C") && !person.walks[w].stances.empty()) {
      walks.push_back(w);
    }
  }
  return walks.empty() ? choose_calibration(person, 3) : walks;
}

void print_row(const char* name, const Errors& e) {
  fmt::print("{:<44}{:8.2f}{:8.2f}{:8.2f}{:8.2f}\n", name, e.force, e.pressure, e.ahead, e.lateral);
}

// Stances of walks whose names end in `kind`.
std::vector<PersonScore> keep_kind(const std::vector<const Person*>& people,
                                   const std::vector<PersonScore>& scores, char kind) {
  std::vector<PersonScore> chosen;
  for (size_t p = 0; p < scores.size(); ++p) {
    PersonScore part;
    for (const StanceScore& s : scores[p].stances) {
      if (people[p]->walks[s.walk].walk.name.back() == kind) part.stances.push_back(s);
    }
    chosen.push_back(part);
  }
  return chosen;
}

void print_by_speed(const char* name, const std::vector<const Person*>& people,
                    const std::vector<PersonScore>& scores, Errors StanceScore::*member) {
  fmt::print("{:<20}", name);
  for (const char kind : {'C', 'F', 'S'}) {
    const Errors e = average(keep_kind(people, scores, kind), member);
    fmt::print("   {}: {:.2f}/{:.2f}/{:.2f}/{:.2f}", kind, e.force, e.pressure, e.ahead, e.lateral);
  }
  fmt::print("\n");
}

// The largest of a stance, over the mean.
void print_worst(const char* name, const std::vector<const Person*>& people,
                 const std::vector<PersonScore>& scores, Errors StanceScore::*member) {
  Errors worst;
  for (const PersonScore& p : scores) {
    for (const StanceScore& s : p.stances) {
      worst.force = std::max(worst.force, (s.*member).force);
      worst.pressure = std::max(worst.pressure, (s.*member).pressure);
      worst.ahead = std::max(worst.ahead, (s.*member).ahead);
      worst.lateral = std::max(worst.lateral, (s.*member).lateral);
    }
  }
  const Errors mean = average(scores, member);
  fmt::print("{:<44}{:8.2f}{:8.2f}{:8.2f}{:8.2f}   ({:.1f} {:.1f} {:.1f} {:.1f} times the mean)\n",
             name, worst.force, worst.pressure, worst.ahead, worst.lateral,
             worst.force / mean.force, worst.pressure / mean.pressure, worst.ahead / mean.ahead,
             worst.lateral / mean.lateral);
  for (size_t p = 0; p < scores.size(); ++p) {
    for (const StanceScore& s : scores[p].stances) {
      const Errors& e = s.*member;
      if (e.force <= 3 * mean.force && e.pressure <= 3 * mean.pressure &&
          e.ahead <= 3 * mean.ahead && e.lateral <= 3 * mean.lateral) {
        continue;
      }
      const MeasuredWalk& m = people[p]->walks[s.walk];
      fmt::print(
          "  above three times the mean: {} plate {} from {:.3f} s: {:.1f} {:.1f} {:.1f} {:.1f}\n",
          m.walk.name, m.stances[s.stance].plate, m.stances[s.stance].begin, e.force, e.pressure,
          e.ahead, e.lateral);
    }
  }
}

void print_coverage(const char* name, const std::vector<PersonScore>& scores,
                    std::array<double, kOutputs> StanceScore::*member) {
  fmt::print("{:<44}", name);
  for (size_t o = 0; o < kOutputs; ++o) {
    double sum = 0, n = 0;
    for (const PersonScore& p : scores) {
      for (const StanceScore& s : p.stances) {
        if (!std::isfinite((s.*member)[o])) continue;
        sum += (s.*member)[o];
        n += 1;
      }
    }
    fmt::print("{:8.1f}", 100 * sum / n);
  }
  fmt::print("\n");
}

void print_moments(const char* name, const std::vector<PersonScore>& scores,
                   std::array<double, kJoints> StanceScore::*member) {
  std::array<double, kJoints> sum{};
  for (const PersonScore& p : scores) {
    for (const StanceScore& s : p.stances) {
      for (size_t j = 0; j < kJoints; ++j) {
        sum[j] += (s.*member)[j] / static_cast<double>(p.stances.size() * scores.size());
      }
    }
  }
  fmt::print("{:<44}{:8.1f}{:8.1f}{:8.1f}\n", name, sum[kAnkle], sum[kKnee], sum[kHip]);
}

void print_tenths(const char* name, const TenthErrors& tenths) {
  for (const auto& [figure, member] :
       {std::pair{"force", &Errors::force}, std::pair{"cop", &Errors::pressure},
        std::pair{"ahead", &Errors::ahead}, std::pair{"lateral", &Errors::lateral}}) {
    fmt::print("{:<12}{:<10}", name, figure);
    for (const Errors& e : tenths) fmt::print("{:7.2f}", e.*member);
    fmt::print("\n");
  }
}

// Means over a person's stances, then over people.
void print_free_moment(const std::vector<PersonScore>& scores, bool with_bands) {
  FreeMomentErrors mean{0, 0, 0};
  for (const PersonScore& p : scores) {
    const auto n = static_cast<double>(p.stances.size() * scores.size());
    for (const StanceScore& s : p.stances) {
      mean.error += s.free_moment.error / n;
      mean.measured += s.free_moment.measured / n;
      mean.coverage += s.free_moment.coverage / n;
    }
  }
  fmt::print("free moment: rms {:.2f} N m missed of {:.2f} N m\n", mean.error, mean.measured);
  if (with_bands) fmt::print("  in the band in {:.1f} % of the frames\n", 100 * mean.coverage);
}

// Distances between markers against the own standing trial and against those of others: a walk a
// person.
void print_misfits(const std::vector<std::string>& folders, const std::vector<Person>& people) {
  double own = 0, other = 1e9;
  for (size_t p = 0; p < people.size(); ++p) {
    for (const MeasuredWalk& m : people[p].walks) own = std::max(own, m.walk.misfit);
    const MotionTrial trial = load_walk(list_folder(folders[p]).walks.at(0), false, {});
    for (size_t q = 0; q < people.size(); ++q) {
      if (q != p) other = std::min(other, make_walk(trial, "walk", people[q].body).misfit);
    }
  }
  fmt::print(
      "\nmarkers off the standing trial's distances, rms: own {:.1f} mm at most, another's "
      "{:.1f} mm at least\n",
      1e3 * own, 1e3 * other);
}

int count_better(const std::vector<PersonScore>& scores, Errors StanceScore::*model,
                 Errors StanceScore::*curve, double Errors::*figure) {
  int better = 0;
  for (const PersonScore& p : scores) {
    better += average({p}, model).*figure < average({p}, curve).*figure ? 1 : 0;
  }
  return better;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> roots(argv + 1, argv + argc);
  const bool with_bands = std::erase(roots, "--no-bands") == 0;
  if (roots.empty()) roots = {"../shared/data/wbds", "../shared/data/wbds07"};
  std::vector<Person> people;
  std::vector<std::string> folders;
  double start = now();
  for (const std::string& root : roots) {
    if (!fs::exists(root)) {
      fmt::print("{} is not there: skipped\n", root);
      continue;
    }
    for (const std::string& folder : list_person_folders(root)) {
      const FolderFiles files = list_folder(folder);
      folders.push_back(folder);
      PersonOptions options;
      options.skip_bad = true;
      people.push_back(
          load_person(fs::path(folder).filename().string(), files.standing, files.walks, options));
      const Person& p = people.back();
      size_t rejected = 0;
      for (const MeasuredWalk& m : p.walks) rejected += m.rejected.size();
      fmt::print(
          "{:<8} {:6.1f} N +- {:4.1f}  {:2} walks  {:2} stances, {:2} loads rejected  floor "
          "{:+5.1f} {:+5.1f} mm/m",
          p.name, p.weight, p.weight_found.spread, p.walks.size(), p.stances(), rejected,
          1e3 * p.slope_W.x(), 1e3 * p.slope_W.z());
      for (const PlateScale& s : p.scales) fmt::print("  plate {} x {:g}", s.plate, s.factor);
      for (const std::string& note : p.notes) fmt::print("\n   {}", note);
      fmt::print("\n");
    }
  }
  if (people.size() < 3) {
    fmt::print("fewer than three people: nothing to measure\n");
    return 0;
  }
  const double reading = now() - start;
  std::vector<const Person*> all;
  for (const Person& p : people) all.push_back(&p);

  EvaluationOptions options;
  options.usual_walks = list_comfortable;
  options.with_bands = with_bands;
  start = now();
  const std::vector<PersonScore> scores = leave_one_out(all, options);
  const double evaluation = now() - start;
  fmt::print("\n%, people left out{:>32}{:>8}{:>8}{:>8}\n", "force", "cop", "ahead", "lateral");
  print_row("calibrated: own mean curve", average(scores, &StanceScore::own_mean));
  print_row("calibrated: + slope on speed (fair)", average(scores, &StanceScore::own_fair));
  print_row("calibrated", average(scores, &StanceScore::own));
  print_row("no plates: mean curve of others", average(scores, &StanceScore::stranger_mean));
  print_row("no plates: + slope on speed (fair)", average(scores, &StanceScore::stranger_fair));
  print_row("no plates", average(scores, &StanceScore::stranger));
  print_worst("calibrated: worst stance", all, scores, &StanceScore::own);
  print_worst("no plates: worst stance", all, scores, &StanceScore::stranger);
  print_by_speed("calibrated", all, scores, &StanceScore::own);
  print_by_speed("  own mean curve", all, scores, &StanceScore::own_mean);
  print_by_speed("no plates", all, scores, &StanceScore::stranger);
  fmt::print(
      "better than the fair baseline: calibrated {} of {} people in force, {} in centre of "
      "pressure; no plates {}, {}\n",
      count_better(scores, &StanceScore::own, &StanceScore::own_fair, &Errors::force),
      scores.size(),
      count_better(scores, &StanceScore::own, &StanceScore::own_fair, &Errors::pressure),
      count_better(scores, &StanceScore::stranger, &StanceScore::stranger_fair, &Errors::force),
      count_better(scores, &StanceScore::stranger, &StanceScore::stranger_fair, &Errors::pressure));
  options.with_bands = false;
  options.calibration_walks = 1;
  print_row("calibrated with one walk", average(leave_one_out(all, options), &StanceScore::own));

  if (with_bands) {
    fmt::print("\n95 % bands cover, % of the frames{:>19}{:>8}{:>8}{:>8}{:>8}\n", "ahead", "up",
               "lateral", "cop x", "cop z");
    print_coverage("calibrated", scores, &StanceScore::own_coverage);
    print_coverage("no plates", scores, &StanceScore::stranger_coverage);
  }

  fmt::print("\nsagittal moments, rms % of the peak from plates{:>6}{:>8}{:>8}\n", "ankle", "knee",
             "hip");
  print_moments("calibrated", scores, &StanceScore::own_moments);
  print_moments("no plates", scores, &StanceScore::stranger_moments);

  print_free_moment(scores, with_bands);
  print_misfits(folders, people);

  fmt::print("\nby tenth of stance, %\n");
  print_tenths("calibrated", average_tenths(scores, &StanceScore::own_tenths));
  for (const auto& [kind, name] :
       {std::pair{'C', "comfortable"}, std::pair{'F', "fast"}, std::pair{'S', "slow"}}) {
    print_tenths(name, average_tenths(keep_kind(all, scores, kind), &StanceScore::own_tenths));
  }
  print_tenths("no plates", average_tenths(scores, &StanceScore::stranger_tenths));
  start = now();
  const Population population = train(people);
  const double training = now() - start;
  bench::print_conditions(folders, all, population);

  const PhysicsGain truth = calc_physics_gain(all, Placebo::kNone),
                    placebo = calc_physics_gain(all, Placebo::kReversed),
                    exchanged = calc_physics_gain(all, Placebo::kExchanged);
  fmt::print(
      "\nmotion takes off the error of curves: calibrated {:.0f} %, no plates {:.0f} %; with "
      "forces reversed in time {:.0f} and {:.0f} %, and exchanged between stances {:.0f} and "
      "{:.0f} %\n",
      truth.own, truth.stranger, placebo.own, placebo.stranger, exchanged.own, exchanged.stranger);

  start = now();
  const Calibration calibration =
      calibrate(people[0], choose_calibration(people[0], 2), population);
  const double calibrating = now() - start;
  const MotionTrial trial = load_walk(list_folder(folders[0]).walks.at(0), false, {});
  start = now();
  Walk walk = make_walk(trial, "walk", people[0].body);
  level_floor(people[0].body, {&walk});
  predict(walk, people[0].body, {&population, &calibration, people[0].weight});
  fmt::print(
      "\nprocessor seconds: reading and front end {:.2f} ({} people), training {:.2f}, calibration "
      "{:.3f}, prediction {:.4f}, leaving each out with bands {:.1f}\n",
      reading, people.size(), training, calibrating, now() - start, evaluation);
}
