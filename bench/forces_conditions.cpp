#include "bench/forces_conditions.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

#include "vesica/forces/predict.h"
#include "vesica/forces/recordings.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::bench {
namespace {

using namespace forces;
namespace fs = std::filesystem;

// Means over a person's stances, then over people.
struct Mean {
  Errors sum;
  double people = 0;
  Errors person;
  double stances = 0;
  int all = 0;

  void add(const Errors& e) {
    for (double Errors::*f :
         {&Errors::force, &Errors::pressure, &Errors::ahead, &Errors::lateral}) {
      person.*f += e.*f;
    }
    stances += 1;
    ++all;
  }
  void end_person() {
    if (stances == 0) return;
    for (double Errors::*f :
         {&Errors::force, &Errors::pressure, &Errors::ahead, &Errors::lateral}) {
      sum.*f += person.*f / stances;
    }
    people += 1;
    person = {};
    stances = 0;
  }
  void print(const std::string& name) const {
    fmt::print("{:<44}{:8.2f}{:8.2f}{:8.2f}{:8.2f}   {} stances\n", name, sum.force / people,
               sum.pressure / people, sum.ahead / people, sum.lateral / people, all);
  }
};

struct Recorded {
  MotionTrial trial;
  std::vector<PlateForces> plates;
};

// A belt that goes as fast as the walk: markers and centres of pressure of the laboratory.
void put_on_belt(const Walk& walk, Recorded* r) {
  const Vec3d v = walk.speed * walk.R_HW.row(0).transpose();
  MarkerTracks& m = r->trial.markers;
  for (size_t k = 0; k < m.frames(); ++k) {
    for (size_t i = 0; i < m.markers(); ++i) {
      m.positions[k * m.markers() + i] -= v * (m.times[k] - m.times[0]);
    }
  }
  for (PlateForces& plate : r->plates) {
    plate.corners.clear();
    for (size_t k = 0; k < plate.size(); ++k) {
      plate.centers_of_pressure[k] -= v * (plate.times[k] - m.times[0]);
    }
  }
}

// The part of a stance that a cut recording shows, at its frames.
MeasuredStance cut_stance(const MeasuredWalk& whole, const MeasuredStance& s, const Walk& cut) {
  MeasuredStance part = s;
  part.begin = std::max(s.begin, cut.times.front());
  part.end = std::min(s.end, cut.times.back());
  const auto shift = static_cast<size_t>(
      std::lround((cut.times.front() - whole.walk.times.front()) * whole.walk.rate));
  const auto slice = [&](auto* values) {
    values->erase(values->begin(), values->begin() + static_cast<std::ptrdiff_t>(shift));
    values->resize(cut.frames());
  };
  slice(&part.force);
  slice(&part.pressure);
  slice(&part.free_moment);
  // The cut recording has a heading of its own.
  for (size_t k = 0; k < cut.frames(); ++k) {
    const Vec2d& p = part.pressure[k];
    const Vec3d p_W = whole.walk.as_recorded(k + shift, {p[0], whole.pressure_height, p[1]});
    const Vec3d p_H = cut.in_heading(cut.times[k], p_W);
    part.pressure[k] = {p_H.x(), p_H.z()};
    part.force[k] = cut.R_HW * (whole.walk.R_HW.transpose() * part.force[k]);
  }
  return part;
}

struct Ends {
  Mean whole, cut;
  int missed = 0;
  double covered = 0, counted = 0;  // share of frames in the bands, over outputs, of cut stances
};

// Where a recording is cut: half way through a stance, or 20 ms beyond its end, where the event
// itself is too near to the end of the recording to be found.
enum class Cut { kEndsHalfWay, kBeginsHalfWay, kEndsAfterOff, kBeginsBeforeStrike };

// Cut recordings against whole ones, over what they show of the stance.
void judge_ends(const Person& person, const MeasuredWalk& m, const MotionTrial& trial,
                const Predictor& predictor, Cut cut, Ends* ends) {
  const Prediction uncut = predict(m.walk, person.body, predictor);
  for (const MeasuredStance& s : m.stances) {
    const Contact& c = m.walk.contacts[s.contact];
    MotionTrial part = trial;
    const double half = 0.5 * (s.begin + s.end);
    double from = trial.markers.times.front(), until = trial.markers.times.back();
    switch (cut) {
      case Cut::kEndsHalfWay:
        until = half;
        break;
      case Cut::kBeginsHalfWay:
        from = half;
        break;
      case Cut::kEndsAfterOff:
        until = s.end + 0.02;
        break;
      case Cut::kBeginsBeforeStrike:
        from = s.begin - 0.02;
        break;
    }
    trim(&part, from, until);
    try {
      Walk walk = make_walk(part, m.walk.name, person.body);
      level_floor(person.body, {&walk});
      const Prediction prediction = predict(walk, person.body, predictor);
      const auto side = static_cast<size_t>(c.side);
      const MeasuredStance seen = cut_stance(m, s, walk);
      for (const double share : calc_coverage(walk, seen, prediction.feet[side])) {
        if (!std::isfinite(share)) continue;
        ends->covered += share;
        ends->counted += 1;
      }
      ends->cut.add(calc_errors(walk, seen, person.weight, prediction.feet[side].force,
                                prediction.feet[side].pressure));
      MeasuredStance same = s;
      same.begin = seen.begin;
      same.end = seen.end;
      ends->whole.add(calc_errors(m.walk, same, person.weight, uncut.feet[side].force,
                                  uncut.feet[side].pressure));
    } catch (const std::exception&) {
      ++ends->missed;  // too short for a walk
    }
  }
}

}  // namespace

void print_conditions(const std::vector<std::string>& folders,
                      const std::vector<const Person*>& people, const Population& bands) {
  Mean as_recorded, at_100, on_belt;
  std::array<Ends, 4> ends;
  for (size_t p = 0; p < people.size(); ++p) {
    const Person& person = *people[p];
    std::vector<const Person*> others = people;
    std::erase(others, people[p]);
    Population population = fit_population(others);
    population.stranger.band = bands.stranger.band;
    population.stranger.band_growth = bands.stranger.band_growth;
    population.speed = bands.speed;
    const Predictor predictor{&population, nullptr, person.weight};
    for (const WalkFiles& files : list_folder(folders[p]).walks) {
      const std::string name = fs::path(files.motion).stem().string();
      const MeasuredWalk* known = nullptr;
      for (const MeasuredWalk& m : person.walks) {
        if (m.walk.name == name) known = &m;
      }
      if (known == nullptr || known->stances.empty()) continue;
      const MotionTrial trial = load_walk(files, true, {});
      const auto judge = [&](const std::function<void(Recorded*)>& change, Mean* mean) {
        Recorded r{trial, calc_all_plate_forces(trial, known->walk.up_W, {})};
        change(&r);
        Walk walk = make_walk(r.trial, name, person.body);
        level_floor(person.body, {&walk});
        const Prediction prediction = predict(walk, person.body, predictor);
        const MeasuredWalk measured = measure(walk, person.body, r.plates);
        for (MeasuredStance s : measured.stances) {
          for (const MeasuredStance& clean : known->stances) {
            if (clean.plate != s.plate || std::abs(clean.begin - s.begin) > 0.02) continue;
            const double scale = clean.level / s.level;  // a plate that reads a multiple
            if (std::abs(scale - 1) > 0.3) {
              for (Vec3d& f : s.force) f *= scale;
            }
            const FootForces& foot =
                prediction.feet[static_cast<size_t>(walk.contacts[s.contact].side)];
            mean->add(calc_errors(walk, s, person.weight, foot.force, foot.pressure));
          }
        }
      };
      judge([](Recorded*) {}, &as_recorded);
      judge([](Recorded* r) { resample_markers(&r->trial.markers, 100.0); }, &at_100);
      judge([&](Recorded* r) { put_on_belt(known->walk, r); }, &on_belt);
      for (size_t i = 0; i < ends.size(); ++i) {
        judge_ends(person, *known, trial, predictor, static_cast<Cut>(i), &ends[i]);
      }
    }
    for (Mean* mean : {&as_recorded, &at_100, &on_belt}) mean->end_person();
    for (Ends& e : ends) {
      e.whole.end_person();
      e.cut.end_person();
    }
  }
  fmt::print("\nno plates, recorded otherwise, %{:>20}{:>8}{:>8}{:>8}\n", "force", "cop", "ahead",
             "lateral");
  as_recorded.print("as recorded");
  at_100.print("at 100 Hz");
  on_belt.print("on a belt as fast as the walk");
  const char* const names[][2] = {{"first half of stance", "  and there the recording ends"},
                                  {"second half of stance", "  and there the recording begins"},
                                  {"stance", "  and the recording ends 20 ms after it"},
                                  {"stance", "  and the recording begins 20 ms before it"}};
  for (size_t i = 0; i < ends.size(); ++i) {
    ends[i].whole.print(names[i][0]);
    ends[i].cut.print(names[i][1]);
    fmt::print("    bands cover {:.0f} %; {} cut recordings show no walk\n",
               100 * ends[i].covered / ends[i].counted, ends[i].missed);
  }
}

}  // namespace vesica::bench
