// The page that shows a run.
#pragma once

#include <string>

#include "vesica/model/model.h"
#include "vesica/report/html_page.h"
#include "vesica/report/run_folder.h"
#include "vesica/simulation/scene.h"

namespace vesica {

std::string make_run_page(const RunFolder& run);

// --- its parts

// Touchdowns and lift-offs of a contact, as the summary lists them.
struct ContactTimes {
  std::vector<PlotEvent> events;
  std::vector<PlotBand> bands;                              // in contact
  std::vector<std::pair<double, double>> touchdown_speeds;  // time, closing speed
};
ContactTimes read_contact_times(const RunFolder& run, const std::string& contact);

// The scene as a moving picture: shapes, paths, contact forces.
Player make_run_player(const RunFolder& run, const Model& model, const Scene<double>& scene);

// Measures, and lines under tension, over time and over the first angle of a measure.
void add_measures(const RunFolder& run, const Scene<double>& scene, HtmlPage* page);
void add_lines(const RunFolder& run, const Scene<double>& scene, HtmlPage* page);

// The maps that were recorded, with sliders, and their sums over regions.
void add_pressure_maps(const RunFolder& run, const Model& model, HtmlPage* page);

// Pressure over the patch at a few instants of every contact, recomputed from the scene and the
// recorded motion. Says so on the page where it does not reproduce the recorded force.
void add_pressure_snapshots(const RunFolder& run, const Scene<double>& scene, HtmlPage* page);

}  // namespace vesica
