#include "vesica/io/motion_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "vesica/error.h"

namespace vesica {

std::size_t MarkerTracks::find(const std::string& label) const {
  return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

std::vector<Vec3d> MarkerTracks::track(std::size_t marker) const {
  std::vector<Vec3d> result(frames());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = at(i, marker);
  return result;
}

std::size_t TimeTable::find(const std::string& column) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& c) { return c.name == column; });
  return static_cast<std::size_t>(found - columns.begin());
}

std::vector<double> TimeTable::column(std::size_t index) const {
  if (index >= columns.size()) {
    throw InputError(
        fmt::format("'{}' has {} columns, and none at {}", this->name, columns.size(), index));
  }
  std::vector<double> result(rows());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = at(i, index);
  return result;
}

std::vector<double> TimeTable::column(const std::string& wanted) const {
  const std::size_t index = find(wanted);
  if (index < columns.size()) return column(index);
  std::string known;
  for (const Column& c : columns) known += (known.empty() ? "" : ", ") + c.name;
  throw InputError(fmt::format("there is no column '{}'; there are: {}", wanted, known));
}

std::size_t NeutralModel::find_body(const std::string& body) const {
  const auto found = std::find_if(bodies.begin(), bodies.end(),
                                  [&](const NeutralBody& b) { return b.name == body; });
  return static_cast<std::size_t>(found - bodies.begin());
}

}  // namespace vesica
