#include "vesica/motion/trial_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "vesica/motion/up_axis.h"

namespace vesica {
namespace {

double calc_walking_speed(const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up) {
  // Between the first and the last frame that have the whole pelvis.
  const auto pelvis_at = [&](size_t k) {
    Vec3d sum = Vec3d::Zero();
    for (const int i : gait.pelvis) sum += markers.at(k, i);
    return Vec3d(sum / static_cast<double>(gait.pelvis.size()));
  };
  if (gait.pelvis.empty() || markers.frames() < 2) return kMissing;
  size_t first = 0, last = markers.frames() - 1;
  while (first < last && !pelvis_at(first).allFinite()) ++first;
  while (last > first && !pelvis_at(last).allFinite()) --last;
  if (last == first) return kMissing;
  const Vec3d way = pelvis_at(last) - pelvis_at(first);
  return (way - way.dot(up) * up).norm() / (markers.times[last] - markers.times[first]);
}

FilmSummary summarise(const PressureFilm& film) {
  FilmSummary summary;
  std::vector<bool> loaded(film.rows * film.cols, false);
  for (size_t k = 0; k < film.frames(); ++k) {
    double force = 0.0;
    for (size_t i = 0; i < film.rows * film.cols; ++i) {
      const double p = film.pressures[k * film.rows * film.cols + i];
      force += p * film.cell_area();
      summary.peak_pressure = std::max(summary.peak_pressure, p);
      if (p > 0.0) loaded[i] = true;
    }
    if (force > summary.peak_force) {
      summary.peak_force = force;
      summary.peak_frame = static_cast<int>(k);
    }
  }
  summary.contact_area =
      static_cast<double>(std::count(loaded.begin(), loaded.end(), true)) * film.cell_area();
  return summary;
}

void warn_of_markers(const MotionTrial& trial, TrialAnalysis* analysis) {
  const MarkerTracks& markers = trial.markers;
  std::vector<std::string>& warnings = analysis->warnings;
  std::vector<size_t> sparse;  // missing more than a tenth
  for (size_t i = 0; i < markers.markers(); ++i) {
    if (analysis->gaps[i].fraction_present() < 0.9) sparse.push_back(i);
  }
  const auto describe_gaps = [&](size_t i) {
    const GapStatistics& gaps = analysis->gaps[i];
    if (gaps.present == 0) return fmt::format("{} is never seen", markers.labels[i]);
    return fmt::format("{} is missing in {:.0f}% of the frames, at most {:.2f} s at a time",
                       markers.labels[i], 100.0 * (1.0 - gaps.fraction_present()),
                       gaps.longest / std::max(1e-9, markers.rate));
  };
  constexpr size_t kMostSentences = 4;
  if (sparse.size() > kMostSentences) {
    const size_t worst = *std::min_element(sparse.begin(), sparse.end(), [&](size_t a, size_t b) {
      return analysis->gaps[a].present < analysis->gaps[b].present;
    });
    warnings.push_back(
        fmt::format("{} of {} markers are missing in more than 10% of the frames; {}.",
                    sparse.size(), markers.markers(), describe_gaps(worst)));
  } else {
    for (const size_t i : sparse) warnings.push_back(describe_gaps(i) + ".");
  }
  for (const MarkerFault& fault : analysis->faults) warnings.push_back(describe(fault, markers));
}

// Somebody walks over plates that are never loaded, and yet they read something: thousands of
// newtons in the file's unit.
void warn_of_weak_plates(TrialAnalysis* analysis) {
  constexpr double kLeast = 0.2;  // of a unit: 200 N
  if (!analysis->contacts.empty() || !analysis->walk.why_none.empty()) return;
  constexpr double kPush = 50;  // N; of forces in kN: 50 times a body
  double most = 0.0, up = 0.0;
  for (const PlateForces& plate : analysis->plates) {
    for (const Vec3d& force : plate.forces) {
      if (!(force.norm() > most)) continue;
      most = force.norm();
      up = force.dot(analysis->up);
    }
  }
  if (most < kLeast || !std::isfinite(most)) return;
  const bool is_down = most > kPush && up < -0.5 * most;
  analysis->force_warnings.push_back(fmt::format(
      "Somebody walks, and no force plate is loaded: the largest force is {:.3g} N{}", most,
      is_down
          ? " downwards. Is it what the foot does to the plate? Its sign has to be turned about:"
            " forces are those on the body."
          : ". Are the forces in kN? They have to be in N."));
  analysis->warnings.push_back(analysis->force_warnings.back());
}

void warn_of_steps(TrialAnalysis* analysis, bool has_markers) {
  std::vector<std::string>& warnings = analysis->warnings;
  for (const PlateForces& plate : analysis->plates) {
    warnings.insert(warnings.end(), plate.warnings.begin(), plate.warnings.end());
  }
  warn_of_weak_plates(analysis);
  for (const PlateContact& contact : analysis->contacts) {
    const std::string& plate = analysis->plates[contact.plate].name;
    if (contact.foot == Foot::kBoth) {
      warnings.push_back(fmt::format(
          "Both feet stand on force plate {} from {:.3f} to {:.3f} s{}: its "
          "force belongs to neither alone.",
          plate, contact.start, contact.end,
          contact.other_foot == Foot::kUnknown
              ? std::string()
              : fmt::format(" (its centre of pressure is under the {} foot from {:.3f} "
                            "to {:.3f} s, under the other one else)",
                            name_of(contact.other_foot), contact.other_from, contact.other_to)));
    } else if (contact.partial && contact.carried < 1.0) {
      warnings.push_back(fmt::format(
          "Force plate {} carries {:.0f} % of what the others do in the middle of the {} foot's "
          "stance from {:.3f} to {:.3f} s: part of the foot stood beside it, and its force is "
          "incomplete.",
          plate, 100.0 * contact.carried, name_of(contact.foot), contact.start, contact.end));
    } else if (contact.partial) {
      warnings.push_back(
          fmt::format("The {} foot is only partly on force plate {} from {:.3f} to "
                      "{:.3f} s: its force may be incomplete.",
                      name_of(contact.foot), plate, contact.start, contact.end));
    } else if (contact.foot == Foot::kUnknown && has_markers && analysis->gait.has_feet()) {
      analysis->force_warnings.push_back(
          fmt::format("No foot is near the centre of pressure of force plate {} from "
                      "{:.3f} to {:.3f} s: do markers and plates share one frame?",
                      plate, contact.start, contact.end));
      warnings.push_back(analysis->force_warnings.back());
    }
  }
}

void warn_of_clocks(TrialAnalysis* analysis) {
  const ClockOffset& offset = analysis->clock_offset;
  if (!offset.is_off()) return;
  analysis->force_warnings.push_back(fmt::format(
      "The forces come {:.2f} s {} the markers, as far as {} stance{} tell{} (the feet stand still "
      "at other times than the plates are loaded); vesica motion --shift-forces \"{:.2f} s\" would "
      "mend that.",
      std::abs(offset.seconds), offset.seconds > 0.0 ? "after" : "before", offset.stances,
      offset.stances == 1 ? "" : "s", offset.stances == 1 ? "s" : "", -offset.seconds));
  analysis->warnings.push_back(analysis->force_warnings.back());
}

// Plates tell the weight of one body, where it walks.
void compare_plates(const MotionTrial& trial, TrialAnalysis* analysis) {
  if (!analysis->walk.why_none.empty()) return;
  const double stature = estimate_stature(trial.markers, analysis->gait, analysis->up);
  analysis->plate_scale =
      find_plate_scale(analysis->stances, analysis->contacts, analysis->plates, stature);
  mark_partial_steps(analysis->plate_scale, analysis->plates, analysis->contacts,
                     analysis->stances);
  if (!analysis->plate_scale.is_off()) return;
  analysis->force_warnings.push_back(describe(analysis->plate_scale, analysis->plates));
  analysis->warnings.push_back(analysis->force_warnings.back());
}

using PlateReader = std::function<std::vector<PlateForces>(const Vec3d& up)>;

TrialAnalysis analyse_with(const MotionTrial& trial, const AnalysisOptions& options,
                           const PlateReader& read_plates) {
  TrialAnalysis analysis;
  analysis.warnings = trial.warnings;
  const UpAxis up = find_up(trial, find_gait_markers(trial.markers.labels), options.up);
  analysis.warnings.insert(analysis.warnings.end(), up.warnings.begin(), up.warnings.end());
  analysis.up = up.axis;
  analysis.up_name = up.name;
  analysis.up_is_certain = up.is_certain;

  const bool has_markers = trial.markers.markers() > 0 && trial.markers.frames() > 0;
  if (has_markers) {
    for (size_t i = 0; i < trial.markers.markers(); ++i) {
      analysis.gaps.push_back(calc_gap_statistics(trial.markers.track(i)));
    }
    analysis.faults = find_marker_faults(trial.markers, options.markers);
    analysis.gait = find_gait_markers(trial.markers.labels);
    analysis.walk = find_marker_events(trial.markers, analysis.gait, up.axis);
    analysis.walking_speed = analysis.walk.why_none.empty()
                                 ? analysis.walk.speed
                                 : calc_walking_speed(trial.markers, analysis.gait, up.axis);
    warn_of_markers(trial, &analysis);
    analysis.warnings.insert(analysis.warnings.end(), analysis.walk.remarks.begin(),
                             analysis.walk.remarks.end());
  } else {
    analysis.walking_speed = kMissing;
    analysis.walk.why_none = "there are no markers";
  }
  analysis.plates = read_plates(up.axis);
  analysis.contacts = find_contacts(analysis.plates, options.contacts);
  if (has_markers) {
    assign_feet(analysis.contacts, analysis.plates, trial.markers, analysis.gait, up.axis);
  }
  analysis.stances = find_stances(analysis.contacts, analysis.plates);
  if (has_markers) compare_plates(trial, &analysis);
  analysis.weights =
      calc_stride_weights(analysis.stances, analysis.plates, options.contacts.threshold);
  warn_of_steps(&analysis, has_markers);
  if (has_markers) {
    analysis.clock_offset = find_clock_offset(trial.markers, analysis.gait, analysis.stances);
    warn_of_clocks(&analysis);
  }
  for (const PressureFilm& film : trial.films) analysis.films.push_back(summarise(film));
  return analysis;
}

}  // namespace

TrialAnalysis analyse(const MotionTrial& trial, const AnalysisOptions& options) {
  return analyse_with(trial, options, [&](const Vec3d& up) {
    return calc_all_plate_forces(trial, up, options.plates);
  });
}

TrialAnalysis analyse_and_release(MotionTrial* trial, const AnalysisOptions& options) {
  return analyse_with(*trial, options, [&](const Vec3d& up) {
    return calc_and_release_plate_forces(trial, up, options.plates);
  });
}

}  // namespace vesica
