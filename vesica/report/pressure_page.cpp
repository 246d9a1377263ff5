// Pressure maps over time on the page of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "vesica/error.h"
#include "vesica/report/colors.h"
#include "vesica/report/figures.h"
#include "vesica/report/pressure_script.h"
#include "vesica/report/run_page.h"
#include "vesica/simulation/map_file.h"

namespace vesica {
namespace {

constexpr size_t kMostFrames = 150;
constexpr size_t kMostCells = 100;  // along a side
constexpr int kLevels = 1000;       // of the scale that cells are written with

// Cells of a frame, joined to blocks of `stride`: their mean.
std::vector<double> thin_cells(const MapSeries& map, size_t frame, size_t stride, size_t* nx,
                               size_t* ny) {
  *nx = (map.x.size() + stride - 1) / stride;
  *ny = (map.y.size() + stride - 1) / stride;
  std::vector<double> cells(*nx * *ny);
  const double* from = map.pressure.data() + frame * map.cells();
  for (size_t y = 0; y < map.y.size(); ++y) {
    for (size_t x = 0; x < map.x.size(); ++x) {
      cells[y / stride * *nx + x / stride] +=
          from[y * map.x.size() + x] / static_cast<double>(stride * stride);
    }
  }
  return cells;
}

// What presses, within its box: [x, y, width, height, levels...].
nlohmann::json pack_frame(const std::vector<double>& cells, size_t nx, size_t ny, double peak) {
  size_t x0 = nx, x1 = 0, y0 = ny, y1 = 0;
  for (size_t k = 0; k < cells.size(); ++k) {
    if (!(cells[k] > 0)) continue;
    x0 = std::min(x0, k % nx);
    x1 = std::max(x1, k % nx + 1);
    y0 = std::min(y0, k / nx);
    y1 = std::max(y1, k / nx + 1);
  }
  if (x1 <= x0) return nlohmann::json::array();
  nlohmann::json packed = {x0, y0, x1 - x0, y1 - y0};
  for (size_t y = y0; y < y1; ++y) {
    for (size_t x = x0; x < x1; ++x) {
      packed.push_back(static_cast<int>(std::ceil(cells[y * nx + x] / peak * kLevels)));
    }
  }
  return packed;
}

std::vector<double> column_of(const MapSeries& map, const std::string& name) {
  const size_t index = map.sums.find(name);
  if (index == map.sums.columns.size()) {
    throw InputError(fmt::format("the pressure map has no column '{}'", name));
  }
  return map.sums.column(index);
}

nlohmann::json as_numbers(const std::vector<double>& values, double factor) {
  nlohmann::json list = nlohmann::json::array();
  for (const double v : values) {
    list.push_back(std::isfinite(v) ? nlohmann::json(std::round(v * factor * 1e5) / 1e5)
                                    : nlohmann::json());
  }
  return list;
}

// Limits of the regions that have any, in mm; what is endless ends far away.
nlohmann::json list_regions(const MapOptions& options) {
  nlohmann::json regions = nlohmann::json::array();
  constexpr double kFar = 1e6;
  for (const MapRegion& r : options.regions) {
    const auto limit = [](const auto& side, size_t k) {
      return side ? (*side)[k] * 1e3 : (k == 0 ? -kFar : kFar);
    };
    regions.push_back({{"name", r.name},
                       {"x", {limit(r.x, 0), limit(r.x, 1)}},
                       {"y", {limit(r.y, 0), limit(r.y, 1)}}});
  }
  return regions;
}

void add_map_figure(const MapSeries& map, const MapOptions& options, const std::string& name,
                    HtmlPage* page) {
  const size_t stride = 1 + (std::max(map.x.size(), map.y.size()) - 1) / kMostCells;
  const size_t skip = 1 + (map.frames() - 1) / kMostFrames;
  std::vector<size_t> frames;
  for (size_t f = 0; f < map.frames(); f += skip) frames.push_back(f);
  const double cell = map.x.size() > 1 ? map.x[1] - map.x[0] : options.cell;

  double peak = 0;
  std::vector<std::vector<double>> cells;
  size_t nx = 0, ny = 0;
  for (const size_t f : frames) {
    cells.push_back(thin_cells(map, f, stride, &nx, &ny));
    peak = std::max(peak, *std::max_element(cells.back().begin(), cells.back().end()));
  }
  const DisplayUnit unit = choose_unit("Pa", peak);
  const auto pick = [&](const char* what) {
    const auto all = column_of(map, name + ".map." + what);
    std::vector<double> some;
    for (const size_t f : frames) some.push_back(all[f]);
    return some;
  };
  nlohmann::json spec = {{"kind", "pressure"},
                         {"label", name + ": pressure over time"},
                         {"x0", (map.x[0] - 0.5 * cell) * 1e3},
                         {"y0", (map.y[0] - 0.5 * cell) * 1e3},
                         {"cell", cell * static_cast<double>(stride) * 1e3},
                         {"nx", nx},
                         {"ny", ny},
                         {"peak", peak * unit.factor},
                         {"unit", unit.name},
                         {"levels", kLevels},
                         {"regions", list_regions(options)},
                         {"force", as_numbers(pick("force"), 1)},
                         {"cx", as_numbers(pick("center.x"), 1e3)},
                         {"cy", as_numbers(pick("center.y"), 1e3)}};
  spec["t"] = nlohmann::json::array();
  spec["frames"] = nlohmann::json::array();
  spec["colors"] = nlohmann::json::array();
  for (int k = 0; k < 64; ++k) spec["colors"].push_back(make_heat_color((k + 0.5) / 64));
  for (size_t k = 0; k < frames.size(); ++k) {
    spec["t"].push_back(map.sums.times[frames[k]]);
    spec["frames"].push_back(pack_frame(cells[k], nx, ny, std::max(peak, 1e-300)));
  }
  std::string note = fmt::format(
      "Axes of the map's frame on {}; the circle is the centre of pressure, the line its path.",
      map.body);
  if (skip > 1) note += fmt::format(" Every {}. map is a frame here.", skip);
  if (stride > 1) note += fmt::format(" {0} x {0} cells are drawn as one.", stride);
  page->add_figure(name + ": pressure over time", note, spec, detail::kPressureScript);
}

void add_sum_plots(const MapSeries& map, const MapOptions& options, const std::string& name,
                   HtmlPage* page) {
  const auto plot = [&](const std::string& title, const char* what, const char* si, bool stacked) {
    TimePlot p;
    p.title = name + ": " + title;
    p.times = map.sums.times;
    p.zero = true;
    for (const MapRegion& r : options.regions) {
      p.series.push_back({r.name, column_of(map, name + ".map." + r.name + "." + what)});
    }
    if (p.series.empty() || !stacked) {
      p.series.push_back({"all", column_of(map, name + ".map." + what)});
    }
    double largest = 0;
    for (const PlotSeries& s : p.series) {
      for (const double v : s.y) largest = std::max(largest, v);
    }
    const DisplayUnit unit = choose_unit(si, largest);
    p.unit = unit.name;
    for (PlotSeries& s : p.series) {
      for (double& v : s.y) v *= unit.factor;
    }
    page->add_plot(p);
  };
  plot("normal force by region", "force", "N", false);
  if (!options.regions.empty()) {
    TimePlot share;
    share.title = name + ": share of the force";
    share.unit = "%";
    share.times = map.sums.times;
    share.zero = true;
    const auto all = column_of(map, name + ".map.force");
    for (const MapRegion& r : options.regions) {
      auto part = column_of(map, name + ".map." + r.name + ".force");
      for (size_t k = 0; k < part.size(); ++k) {
        part[k] = all[k] > 0 ? 100 * part[k] / all[k] : kMissing;
      }
      share.series.push_back({r.name, std::move(part)});
    }
    page->add_plot(share);
  }
  plot("peak pressure", "peak_pressure", "Pa", false);
  TimePlot area;
  area.title = name + ": contact area";
  area.unit = "mm^2";
  area.times = map.sums.times;
  area.zero = true;
  area.series.push_back({"area", column_of(map, name + ".map.area")});
  for (double& v : area.series[0].y) v *= 1e6;
  page->add_plot(area);
}

}  // namespace

void add_pressure_maps(const RunFolder& run, const Model& model, HtmlPage* page) {
  if (model.run.maps.empty()) return;
  page->add_heading("Pressure over time",
                    "Recorded while the run went on: the force of every cell over its area. All "
                    "cells, and what presses beside them, add up to the contact's normal force.");
  for (const MapOptions& options : model.run.maps) {
    const std::string& name = options.title();
    const std::string path =
        (std::filesystem::path(run.folder) / (make_map_file_name(options) + ".h5")).string();
    page->add_subheading(name);
    try {
      const MapSeries map = load_pressure_map(path);
      if (map.frames() == 0) {
        page->add_text("No map was recorded.");
        continue;
      }
      page->begin_grid();
      add_map_figure(map, options, name, page);
      add_sum_plots(map, options, name, page);
      page->end_grid();
    } catch (const std::exception& error) {
      page->add_text(fmt::format("Not shown: {}", error.what()));
    }
  }
}

}  // namespace vesica
