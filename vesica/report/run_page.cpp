#include "vesica/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "vesica/error.h"
#include "vesica/model/model_file.h"
#include "vesica/report/figures.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/summary.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

// A number of the summary; NaN where it is absent or, after a failed run, null.
double number_in(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_number() ? found->get<double>() : kMissing;
}

std::string text_in(const Json& json, const char* key, const std::string& otherwise) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

const Json& part_of(const Json& json, const char* key) {
  static const Json kNone = Json::object();
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_object() ? *found : kNone;
}

double largest_of(const std::vector<PlotSeries>& series) {
  double largest = 0;
  for (const PlotSeries& s : series) {
    for (double v : s.y) {
      if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    }
  }
  return largest;
}

// The plot in a unit that suits it.
void add_plot(const RunFolder& run, TimePlot plot, const std::string& si, HtmlPage* page) {
  const DisplayUnit unit = choose_unit(si, largest_of(plot.series));
  plot.unit = unit.name;
  plot.times = run.recording.times;
  for (PlotSeries& s : plot.series) {
    for (double& v : s.y) v *= unit.factor;
  }
  page->add_plot(plot);
}

std::vector<PlotSeries> vector_series(const RunFolder& run, const std::string& name) {
  std::vector<PlotSeries> series;
  for (const char* axis : {"x", "y", "z"}) series.push_back({axis, run.column(name + "." + axis)});
  return series;
}

// Names with the columns that are not zero throughout; the others are named in the note.
TimePlot make_ledger_plot(const RunFolder& run, const std::string& title, const std::string& prefix,
                          const std::vector<const char*>& names) {
  TimePlot plot;
  plot.title = title;
  std::string zero;
  for (const char* name : names) {
    if (!run.has(prefix + name)) continue;
    auto values = run.column(prefix + name);
    if (std::all_of(values.begin(), values.end(), [](double v) { return v == 0; })) {
      zero += (zero.empty() ? "" : ", ") + std::string(name);
    } else {
      plot.series.push_back({name, std::move(values)});
    }
  }
  if (!zero.empty()) plot.note = "Zero throughout: " + zero + ".";
  return plot;
}

void add_warnings(const RunFolder& run, const std::vector<std::string>& more, HtmlPage* page) {
  std::vector<std::string> lines;
  const std::string failure = text_in(run.summary, "failure", "");
  if (!failure.empty()) lines.push_back("The run failed: " + failure);
  if (run.summary.contains("interrupted")) {
    lines.push_back("The run was interrupted; this is what was recorded until then.");
  }
  const auto warnings = run.summary.find("warnings");
  if (warnings != run.summary.end() && warnings->is_array()) {
    for (const Json& warning : *warnings) {
      lines.push_back(warning.is_string() ? warning.get<std::string>() : warning.dump());
    }
  }
  lines.insert(lines.end(), run.findings.begin(), run.findings.end());
  lines.insert(lines.end(), more.begin(), more.end());
  page->add_findings(lines, "No warnings: the monitor of every contact stayed within its limits.");
}

void add_tiles(const RunFolder& run, HtmlPage* page) {
  const Json& solver = part_of(run.summary, "solver");
  const Json& energy = part_of(run.summary, "energy");
  std::vector<std::pair<std::string, std::string>> tiles;
  tiles.push_back({format_figure(number_in(run.summary, "end_time"), 4) + " s", "simulated"});
  tiles.push_back(
      {format_figure(number_in(solver, "simulated_seconds_per_second"), 3) + " x", "real time"});
  double touchdowns = 0, force = 0;
  for (const auto& [name, contact] : part_of(run.summary, "contacts").items()) {
    touchdowns += number_in(contact, "touchdowns");
    force = std::max(force, number_in(contact, "max_normal_force"));
  }
  tiles.push_back({format_figure(touchdowns), "touchdowns"});
  tiles.push_back({with_prefix(force, "N"), "greatest normal force"});
  tiles.push_back({with_prefix(number_in(energy, "start"), "J"), "energy at the start"});
  tiles.push_back({with_prefix(number_in(energy, "end"), "J"), "energy at the end"});
  if (energy.contains("residual")) {
    tiles.push_back({with_prefix(number_in(energy, "residual"), "J", 2), "residual of the ledger"});
  }
  page->add_tiles(tiles);
}

// Four decimals; what rounds to zero has no sign.
std::string fixed_figure(double value) {
  return fmt::format("{:.4f}", std::abs(value) < 0.5e-4 ? 0.0 : value);
}

std::string vector_figure(const Json& body, const char* key) {
  const auto found = body.is_object() ? body.find(key) : body.end();
  if (found == body.end() || !found->is_array()) return "unknown";
  std::string text;
  for (const Json& value : *found) {
    if (!text.empty()) text += ",  ";
    text += value.is_number() ? fixed_figure(value.get<double>()) : std::string("unknown");
  }
  return text;
}

// What was met, and what the monitor counted: together they are wider than a page.
void add_contact_tables(const RunFolder& run, HtmlPage* page) {
  std::vector<std::vector<std::string>> met, counted;
  for (const auto& item : part_of(run.summary, "contacts").items()) {
    const Json& c = item.value();
    const auto percent = [&](const char* key) {
      const double all = number_in(c, "impulse");
      return format_figure(all > 0 ? 100 * number_in(c, key) / all : 0, 3);
    };
    met.push_back({item.key(), format_figure(number_in(c, "touchdowns")),
                   format_figure(number_in(c, "max_normal_force")),
                   format_figure(number_in(c, "max_depth") * 1e3, 4),
                   format_figure(number_in(c, "max_depth_over_size") * 100, 3),
                   format_figure(number_in(c, "energy_through"), 4),
                   format_figure(number_in(c, "non_potential_work"), 4)});
    counted.push_back({item.key(), format_figure(number_in(c, "steps_in_contact"), 9),
                       format_figure(number_in(c, "steps_force_clamped"), 9),
                       format_figure(number_in(c, "steps_edge_lifted"), 9),
                       format_figure(number_in(c, "steps_at_corner"), 9),
                       percent("impulse_inaccurate"), percent("impulse_not_flat")});
  }
  if (met.empty()) return;
  page->add_table({"Contact", "touchdowns", "peak force [N]", "deepest [mm]",
                   "of the body's size [%]", "energy through [J]", "made (+), swallowed [J]"},
                  met);
  page->add_table({"Contact, steps", "in contact", "force clamped", "edge lifted",
                   "pushed at a corner", "impulse inaccurate [%]", "impulse not flat [%]"},
                  counted);
}

void add_key_figures(const RunFolder& run, HtmlPage* page) {
  page->add_heading("Key figures");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, body] : part_of(run.summary, "final_state").items()) {
    rows.push_back({name, vector_figure(body, "position"), vector_figure(body, "velocity"),
                    vector_figure(body, "spin")});
  }
  page->add_table({"Body, at the end", "position x, y, z [m]", "velocity [m/s]", "spin [rad/s]"},
                  rows);
  add_contact_tables(run, page);
  const Json& solver = part_of(run.summary, "solver");
  const bool fixed = solver.contains("step");
  page->add_table({"Solver", fixed ? "step [s]" : "tolerance", "steps", "rejected", "evaluations",
                   "Jacobians", "computing time [s]", "longest step [ms]"},
                  {{text_in(solver, "method", "unknown"),
                    format_figure(number_in(solver, fixed ? "step" : "tolerance")),
                    format_figure(number_in(solver, "steps"), 12),
                    format_figure(number_in(solver, "rejected"), 12),
                    format_figure(number_in(solver, "evaluations"), 12),
                    format_figure(number_in(solver, "jacobians"), 12),
                    format_figure(number_in(solver, "seconds"), 3),
                    format_figure(number_in(solver, "worst_step_seconds") * 1e3, 3)}});
  rows.clear();
  const LedgerTable ledger = make_ledger_table(part_of(run.summary, "energy"));
  auto add_row = [&](const LedgerRow& row) {
    rows.push_back({row.name, format_figure(row.start, 6), format_figure(row.change, 6),
                    format_figure(row.end, 6)});
  };
  for (const LedgerRow& row : ledger.parts) add_row(row);
  add_row(ledger.sum);
  for (const LedgerRow& row : ledger.causes) {
    rows.push_back({row.name, "", format_figure(row.change, 6), ""});
  }
  page->add_table({"Energy [J]", "start", "change", "end"}, rows);
}

// The coordinates of a body's joint and their rates: those that turn and those that slide each by
// themselves.
void add_joint_plots(const RunFolder& run, const std::string& body, HtmlPage* page) {
  const std::string prefix = body + ".joint.";
  for (const char* unit : {"rad", "m", "rad/s", "m/s"}) {
    const bool is_rate = std::string_view(unit).ends_with("/s");
    TimePlot plot;
    plot.title = fmt::format("{}: joint{}", body, is_rate ? ", rates" : "");
    for (const TimeTable::Column& column : run.recording.columns) {
      if (!column.name.starts_with(prefix) || column.unit != unit) continue;
      plot.series.push_back({column.name.substr(prefix.size()), run.column(column.name)});
    }
    if (plot.series.empty()) continue;
    // Degrees are what people read off.
    const bool turns = unit[0] == 'r';
    for (PlotSeries& series : plot.series) {
      for (double& v : series.y) v *= turns ? 180 / kPi : 1;
    }
    add_plot(run, std::move(plot), turns ? (is_rate ? "deg/s" : "deg") : unit, page);
  }
}

void add_motion_plots(const RunFolder& run, HtmlPage* page) {
  page->add_heading("Motion",
                    "World axes; a body's position is that of its mass centre. Move the mouse over "
                    "a plot for values, drag to zoom into all plots, double-click for the whole "
                    "run, click a name to hide it.");
  for (const auto& item : part_of(run.summary, "final_state").items()) {
    const std::string& name = item.key();
    page->add_subheading(name);
    page->begin_grid();
    const auto show = [&](const char* what, const char* title, const char* si) {
      TimePlot plot;
      plot.title = name + ": " + title;
      plot.series = vector_series(run, name + what);
      add_plot(run, std::move(plot), si, page);
    };
    show(".position", "position", "m");
    show(".velocity", "velocity", "m/s");
    show(".spin", "spin", "rad/s");
    add_joint_plots(run, name, page);
    page->end_grid();
  }
}

// The path in the two axes along which it is longest.
void add_pressure_path(const RunFolder& run, const std::string& contact,
                       const std::vector<double>& force, HtmlPage* page) {
  auto parts = vector_series(run, contact + ".pressure_center");
  double range[3];
  double largest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (size_t r = 0; r < force.size(); ++r) {
      double& v = parts[axis].y[r];
      if (!(force[r] > 0)) v = kMissing;
      if (!std::isfinite(v)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
      largest = std::max(largest, std::abs(v));
    }
    range[axis] = high - low;
  }
  int order[3] = {0, 1, 2};
  std::stable_sort(order, order + 3, [&](int a, int b) { return range[a] > range[b]; });
  const int a = std::min(order[0], order[1]), b = std::max(order[0], order[1]);
  const DisplayUnit unit = choose_unit("m", largest);
  PathPlot plot;
  plot.title = contact + ": path of the centre of pressure";
  plot.x_label = parts[a].name;
  plot.y_label = parts[b].name;
  plot.unit = unit.name;
  plot.times = run.recording.times;
  plot.x = parts[a].y;
  plot.y = parts[b].y;
  for (double& v : plot.x) v *= unit.factor;
  for (double& v : plot.y) v *= unit.factor;
  plot.note = "World axes, equal scales; the circle is where it begins.";
  page->add_path(plot);
}

void add_event_table(const RunFolder& run, const std::string& contact, HtmlPage* page) {
  const Json& c = part_of(part_of(run.summary, "contacts"), contact.c_str());
  const auto events = c.find("events");
  if (events == c.end() || !events->is_array() || events->empty()) return;
  std::vector<std::vector<std::string>> rows;
  double approach = kMissing;
  for (const Json& event : *events) {
    const bool begins = text_in(event, "event", "") == "touchdown";
    const double speed = number_in(event, "closing_speed");
    if (begins) approach = speed;
    rows.push_back({begins ? "touchdown" : "lift-off", format_figure(number_in(event, "time"), 8),
                    format_figure(speed),
                    begins || !(approach > 0) ? "" : format_figure(-speed / approach, 4)});
  }
  page->begin_details(rows.size() == 1 ? contact + ": its one event"
                                       : fmt::format("{}: all {} events", contact, rows.size()));
  page->add_table({"Event", "time [s]", "closing speed [m/s]", "leaving / arriving speed"}, rows);
  page->end_details();
}

void add_contacts(const RunFolder& run, HtmlPage* page) {
  if (part_of(run.summary, "contacts").empty()) return;
  page->add_heading("Contacts",
                    "Shaded: in contact. Filled triangles above a plot: touchdown; hollow: "
                    "lift-off. Forces act on the first body of the pair.");
  for (const auto& item : part_of(run.summary, "contacts").items()) {
    const std::string& name = item.key();
    page->add_subheading(name);
    const ContactTimes times = read_contact_times(run, name);
    const auto force = run.column(name + ".normal_force");
    const auto distance = run.column(name + ".distance");
    page->begin_grid();
    const auto show = [&](const char* title, std::vector<PlotSeries> series, const char* si) {
      TimePlot plot;
      plot.title = name + ": " + title;
      plot.series = std::move(series);
      plot.events = times.events;
      plot.bands = times.bands;
      add_plot(run, std::move(plot), si, page);
    };
    show("normal force", {{"normal force", force}}, "N");
    show("force", vector_series(run, name + ".force"), "N");
    show("distance (negative: pressed in)", {{"distance", distance}}, "m");
    std::vector<double> depth = distance, slip = run.column(name + ".slip");
    for (double& d : depth) d = std::isfinite(d) ? std::max(0.0, -d) : d;
    for (size_t r = 0; r < slip.size(); ++r) {
      if (!(force[r] > 0)) slip[r] = kMissing;
    }
    show("depth", {{"depth", depth}}, "m");
    show("slip speed while in contact", {{"slip", slip}}, "m/s");
    add_pressure_path(run, name, force, page);
    page->end_grid();
    add_event_table(run, name, page);
  }
}

// What the stores hold more than at the start, less what was put into them.
void add_non_potential_work(const RunFolder& run, TimePlot* plot) {
  if (!run.has("energy.stored") || !run.has("work.stored")) return;
  std::vector<double> made = run.column("energy.stored");
  const std::vector<double> put = run.column("work.stored");
  const double start = made.empty() ? 0 : made.front();
  bool any = false;
  for (size_t r = 0; r < made.size(); ++r) {
    made[r] -= start + put[r];
    any = any || made[r] != 0;
  }
  if (any) plot->series.push_back({"non-potential", std::move(made)});
}

void add_energy(const RunFolder& run, HtmlPage* page) {
  page->add_heading("Energy ledger",
                    "What the bodies have, what has left, and what does not add up: kinetic + "
                    "gravity + contact + springs + stored = their sum at the start + work - "
                    "dissipated + non-potential work + residual. Stored: in bristles and in "
                    "contacts without a potential. Non-potential work: what these have given "
                    "beyond what was put into them. The residual is the integrator's error.");
  page->begin_grid();
  TimePlot stored = make_ledger_plot(run, "Stored", "energy.",
                                     {"kinetic", "gravity", "contact", "springs", "stored"});
  std::vector<double> sum(run.recording.rows(), 0.0);
  for (const PlotSeries& s : stored.series) {
    for (size_t r = 0; r < sum.size(); ++r) sum[r] += s.y[r];
  }
  stored.series.push_back({"together", std::move(sum)});
  add_plot(run, std::move(stored), "J", page);
  if (run.has("energy.residual")) {
    TimePlot dissipated = make_ledger_plot(
        run, "Dissipated since the start, by law, on top of each other", "dissipated.",
        {"normal", "rolling", "sliding", "spinning", "springs", "joint_damping", "joint_friction"});
    dissipated.stacked = true;
    if (dissipated.series.empty()) {
      dissipated.series.push_back({"dissipated", std::vector<double>(run.recording.rows(), 0.0)});
    }
    add_plot(run, std::move(dissipated), "J", page);
    TimePlot work = make_ledger_plot(run, "Work done on the bodies", "work.",
                                     {"prescribed", "forces", "motors"});
    add_non_potential_work(run, &work);
    if (!work.series.empty()) add_plot(run, std::move(work), "J", page);
    TimePlot residual;
    residual.title = "Residual of the ledger";
    residual.series = {{"residual", run.column("energy.residual")}};
    const double scale = number_in(part_of(run.summary, "energy"), "scale");
    if (scale > 0) {
      residual.note = fmt::format(
          "At most {:.2g} of {}, the greatest of kinetic and elastic "
          "energy, what was dissipated, and work.",
          largest_of(residual.series) / scale, with_prefix(scale, "J"));
    }
    add_plot(run, std::move(residual), "J", page);
  } else {
    page->add_text("The run kept no ledger (solver: {ledger: true} keeps one).");
  }
  page->end_grid();
}

}  // namespace

ContactTimes read_contact_times(const RunFolder& run, const std::string& contact) {
  ContactTimes times;
  const Json& c = part_of(part_of(run.summary, "contacts"), contact.c_str());
  const auto events = c.find("events");
  if (events == c.end() || !events->is_array()) return times;
  double since = kMissing;
  for (const Json& event : *events) {
    const double time = number_in(event, "time"), speed = number_in(event, "closing_speed");
    if (!std::isfinite(time)) continue;
    const bool begins = text_in(event, "event", "") == "touchdown";
    times.events.push_back(
        {time, begins,
         begins ? fmt::format("touchdown at {:.6g} s, arriving with {:.4g} m/s", time, speed)
                : fmt::format("lift-off at {:.6g} s, leaving with {:.4g} m/s", time, -speed)});
    if (begins) {
      times.touchdown_speeds.push_back({time, speed});
      since = time;
    } else if (std::isfinite(since)) {
      times.bands.push_back({since, time});
      since = kMissing;
    }
  }
  // The summary lists a thousand events; after the last of them nothing is known.
  if (std::isfinite(since) && events->size() < 1000) {
    times.bands.push_back({since, run.recording.times.back()});
  }
  return times;
}

std::string make_run_page(const RunFolder& run) {
  HtmlPage page(text_in(run.summary, "title", run.folder),
                fmt::format("{}  ({}, hash {})", run.folder,
                            count_of(static_cast<long>(run.recording.rows()), "row"),
                            text_in(run.summary, "hash", "unknown")));
  std::optional<Model> model;
  std::optional<Scene<double>> scene;
  std::vector<std::string> findings;
  try {
    model = read_model(run.scene);
    scene = make_scene<double>(*model);
  } catch (const InputError& error) {
    findings.push_back(fmt::format(
        "Without the moving picture and the pressure maps, as the scene cannot be read again: {}",
        error.what()));
  }
  add_warnings(run, findings, &page);
  add_tiles(run, &page);
  if (scene) page.add_player(make_run_player(run, *model, *scene));
  add_key_figures(run, &page);
  add_motion_plots(run, &page);
  if (scene) add_measures(run, *scene, &page);
  add_contacts(run, &page);
  if (scene) add_lines(run, *scene, &page);
  if (model) add_pressure_maps(run, *model, &page);
  if (scene && !scene->contacts.empty()) add_pressure_snapshots(run, *scene, &page);
  add_energy(run, &page);
  page.add_heading("Input");
  page.begin_details("scene.yaml, as it was run");
  page.add_preformatted(run.scene.dump());
  page.end_details();
  return page.as_html();
}

}  // namespace vesica
