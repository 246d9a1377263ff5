#include "vesica/simulation/map_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/simulation/simulate.h"

namespace vesica {

PressureGrid make_pressure_grid(const MapOptions& options) {
  PressureGrid grid;
  grid.dx = grid.dy = options.cell;
  grid.nx = static_cast<int>(std::lround(options.size[0] / options.cell));
  grid.ny = static_cast<int>(std::lround(options.size[1] / options.cell));
  grid.x_min = -0.5 * grid.nx * options.cell;
  grid.y_min = -0.5 * grid.ny * options.cell;
  for (const MapRegion& given : options.regions) {
    PressureRegion& region = grid.regions.emplace_back();
    region.name = given.name;
    if (given.x) {
      region.x_min = (*given.x)[0];
      region.x_max = (*given.x)[1];
    }
    if (given.y) {
      region.y_min = (*given.y)[0];
      region.y_max = (*given.y)[1];
    }
  }
  return grid;
}

TimeTable make_map_table(const MapOptions& options) {
  TimeTable table;
  table.name = "vesica";
  const auto add = [&](const std::string& name, const char* unit) {
    table.columns.push_back({options.title() + ".map." + name, unit});
  };
  add("force", "N");
  add("outside", "N");
  add("peak_pressure", "Pa");
  add("area", "m^2");
  add("center.x", "m");
  add("center.y", "m");
  for (const MapRegion& region : options.regions) {
    add(region.name + ".force", "N");
    add(region.name + ".peak_pressure", "Pa");
    add(region.name + ".area", "m^2");
  }
  return table;
}

void append_map_sums(const PressureFrame& frame, std::vector<double>* row) {
  row->insert(row->end(), {frame.all.force, frame.outside, frame.all.peak_pressure, frame.all.area,
                           frame.center_x, frame.center_y});
  for (const PressureSums& region : frame.regions) {
    row->insert(row->end(), {region.force, region.peak_pressure, region.area});
  }
}

namespace detail {
namespace {

size_t find_named(const auto& items, const std::string& name, const std::string& map,
                  const char* what) {
  for (size_t k = 0; k < items.size(); ++k) {
    if (items[k].name == name) return k;
  }
  throw InputError(fmt::format("the pressure map '{}': there is no {} '{}'", map, what, name));
}

void raise(const PressureSums& now, PressureSums* most) {
  most->force = std::max(most->force, now.force);
  most->peak_pressure = std::max(most->peak_pressure, now.peak_pressure);
  most->area = std::max(most->area, now.area);
}

}  // namespace

MapRecorder::MapRecorder(const System<double>& system, const std::vector<MapOptions>& maps)
    : system_(system) {
  const Scene<double>& scene = system.scene();
  for (const MapOptions& options : maps) {
    Map& map = maps_.emplace_back();
    map.contact = find_named(scene.contacts, options.contact, options.title(), "contact");
    map.body = static_cast<int>(find_named(scene.bodies, options.body, options.title(), "body"));
    if (options.frame) map.X_BF = options.frame->pose();
    map.grid = make_pressure_grid(options);
    map.interval = options.interval;
    PressureSampler::begin(map.grid, &map.frame);
    MapMonitor& monitor = monitors_.emplace_back();
    monitor.regions.resize(map.grid.regions.size());
    monitor.region_force_sums.resize(map.grid.regions.size());
  }
}

void MapRecorder::skip_to(double t) {
  for (Map& map : maps_) {
    map.count = static_cast<long>(count_rows(t, map.interval));
    map.next = static_cast<double>(map.count) * map.interval;
  }
}

const PressureFrame& MapRecorder::record(size_t index, const Evaluation<double>& data,
                                         const Memory<double>& memory) {
  Map& map = maps_[index];
  PressureFrame& frame = map.frame;
  const SceneContact<double>& c = system_.scene().contacts[map.contact];
  const Pose<double> X_WF =
      calc_shape_pose(data.motions[static_cast<size_t>(map.body)].X_WB, map.X_BF);
  PressureSampler::begin(map.grid, &frame);
  const size_t end = system_.layout().first_slot(map.contact + 1);
  for (size_t slot = system_.layout().first_slot(map.contact); slot < end; ++slot) {
    const PlacedPair<double>* shapes = system_.shapes_in(slot, memory[slot].pair);
    if (shapes == nullptr || !is_touching(data.overlaps[slot])) continue;
    sampler_.add(c.contact, *shapes, data.overlaps[slot], data.forces[slot],
                 data.motions[static_cast<size_t>(c.body_i)],
                 data.motions[static_cast<size_t>(c.body_j)], memory[slot].contact, X_WF, map.grid,
                 &frame);
  }
  PressureSampler::finish(map.grid, &frame);
  ++map.count;
  map.next = static_cast<double>(map.count) * map.interval;

  MapMonitor& monitor = monitors_[index];
  ++monitor.frames;
  monitor.edge_on += frame.is_edge_on;
  monitor.max_outside = std::max(monitor.max_outside, frame.outside);
  monitor.force_sum += frame.all.force;
  monitor.error_sum += std::abs(frame.sampled - frame.all.force);
  raise(frame.all, &monitor.most);
  for (size_t r = 0; r < frame.regions.size(); ++r) {
    raise(frame.regions[r], &monitor.regions[r]);
    monitor.region_force_sums[r] += frame.regions[r].force;
  }
  return frame;
}

}  // namespace detail
}  // namespace vesica
