// What lines under tension and measures show on the page of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/report/figures.h"
#include "vesica/report/run_page.h"

namespace vesica {
namespace {

std::vector<double> scaled_column(const RunFolder& run, const std::string& name, double factor) {
  std::vector<double> values = run.column(name);
  for (double& v : values) v *= factor;
  return values;
}

// Curves over the first angle of a measure instead of time: the rows while it grows beyond all
// before, so that a curve has one value for each angle.
class OverAngle {
 public:
  OverAngle(const RunFolder& run, const std::string& measure) {
    const auto angle =
        scaled_column(run, fmt::format("{}.{}", measure, kGroodSuntayNames[0]), 180 / kPi);
    for (size_t r = 0; r < angle.size(); ++r) {
      if (!angles_.empty() && !(angle[r] > angles_.back())) {
        falls_ = falls_ || angle[r] < angles_.back() - kFall;
        continue;
      }
      angles_.push_back(angle[r]);
      rows_.push_back(r);
    }
  }
  // Whether it is worth a plot.
  bool has_range() const { return angles_.size() > 2 && angles_.back() - angles_.front() > 5; }

  TimePlot make_plot(const std::string& title, const std::string& unit) const {
    TimePlot plot;
    plot.title = title;
    plot.unit = unit;
    plot.times = angles_;
    plot.range = {angles_.front(), angles_.back()};
    plot.x_label = falls_ ? "flexion [deg], while it grows: rows where it falls are left out"
                          : "flexion [deg]";
    return plot;
  }
  std::vector<double> choose(const std::vector<double>& column) const {
    std::vector<double> chosen;
    for (size_t r : rows_) chosen.push_back(column[r]);
    return chosen;
  }

 private:
  static constexpr double kFall = 1;  // [deg]
  std::vector<double> angles_;
  std::vector<size_t> rows_;
  bool falls_ = false;
};

void add_over_angle(const RunFolder& run, const Scene<double>& scene, const std::string& measure,
                    HtmlPage* page) {
  const OverAngle over(run, measure);
  if (!over.has_range()) return;
  page->begin_grid();
  TimePlot angles = over.make_plot(measure + ": rotations over flexion", "deg");
  TimePlot shifts = over.make_plot(measure + ": translations over flexion", "mm");
  for (size_t k = 1; k < kGroodSuntayNames.size(); ++k) {
    const std::string column = fmt::format("{}.{}", measure, kGroodSuntayNames[k]);
    TimePlot& plot = k < 3 ? angles : shifts;
    plot.series.push_back(
        {kGroodSuntayNames[k], over.choose(scaled_column(run, column, k < 3 ? 180 / kPi : 1e3))});
  }
  page->add_plot(angles);
  page->add_plot(shifts);
  TimePlot contacts = over.make_plot("Contact forces over flexion", "N");
  for (const auto& contact : scene.contacts) {
    contacts.series.push_back(
        {contact.name, over.choose(run.column(contact.name + ".normal_force"))});
  }
  if (!contacts.series.empty()) page->add_plot(contacts);
  page->end_grid();
}

}  // namespace

void add_measures(const RunFolder& run, const Scene<double>& scene, HtmlPage* page) {
  if (scene.measures.empty()) return;
  page->add_heading("Measures",
                    "Rotations and translations of one body against another after Grood and Suntay "
                    "(1983): flexion about the upper body's axis to the right, internal rotation "
                    "about the lower one's long axis, adduction about the axis square to both.");
  for (const auto& measure : scene.measures) {
    page->add_subheading(measure.name);
    page->begin_grid();
    TimePlot angles, shifts;
    angles.title = measure.name + ": rotations";
    angles.unit = "deg";
    shifts.title = measure.name + ": translations";
    shifts.unit = "mm";
    angles.times = shifts.times = run.recording.times;
    for (size_t k = 0; k < kGroodSuntayNames.size(); ++k) {
      const std::string column = fmt::format("{}.{}", measure.name, kGroodSuntayNames[k]);
      (k < 3 ? angles : shifts)
          .series.push_back(
              {kGroodSuntayNames[k], scaled_column(run, column, k < 3 ? 180 / kPi : 1e3)});
    }
    page->add_plot(angles);
    page->add_plot(shifts);
    page->end_grid();
    add_over_angle(run, scene, measure.name, page);
  }
}

void add_lines(const RunFolder& run, const Scene<double>& scene, HtmlPage* page) {
  if (scene.lines.empty()) return;
  page->add_heading("Lines", "Ligaments and actuators: tension and strain.");
  std::vector<std::vector<std::string>> rows;
  TimePlot force, strain;
  force.title = "Tension";
  force.unit = "N";
  strain.title = "Strain";
  strain.unit = "%";
  force.times = strain.times = run.recording.times;
  for (const auto& line : scene.lines) {
    const auto tension = run.column(line.name + ".force"),
               length = run.column(line.name + ".length");
    const auto most = std::max_element(tension.begin(), tension.end());
    const size_t row = static_cast<size_t>(most - tension.begin());
    rows.push_back({line.name, format_figure(*most, 4), format_figure(run.recording.times[row], 4),
                    format_figure(length.front() * 1e3, 5), format_figure(length.back() * 1e3, 5),
                    ""});
    if (*most > 0) force.series.push_back({line.name, tension});
    if (!is_ligament(line)) continue;
    auto percent = scaled_column(run, line.name + ".strain", 100);
    rows.back().back() = format_figure(*std::max_element(percent.begin(), percent.end()), 3);
    strain.series.push_back({line.name, std::move(percent)});
  }
  page->begin_grid();
  if (!force.series.empty()) page->add_plot(force);
  if (!strain.series.empty()) page->add_plot(strain);
  for (const auto& measure : scene.measures) {
    const OverAngle over(run, measure.name);
    if (!over.has_range()) continue;
    TimePlot plot = over.make_plot("Tension over flexion of " + measure.name, "N");
    for (const PlotSeries& s : force.series) plot.series.push_back({s.name, over.choose(s.y)});
    page->add_plot(plot);
  }
  page->end_grid();
  page->add_table({"Line", "peak tension [N]", "at [s]", "length at the start [mm]",
                   "at the end [mm]", "largest strain [%]"},
                  rows);
}

}  // namespace vesica
