// FORCE_PLATFORM parameters and their analog channels as ForcePlate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/io/c3d.h"
#include "vesica/io/motion_checks.h"
#include "vesica/io/text_input.h"

namespace vesica::detail {

namespace {

// What a channel of a plate measures, for channels without a unit.
enum class Quantity { kForce, kLength, kMoment };

Quantity quantity_of(int type, std::size_t channel) {
  if (type == 3 || channel < 3) return Quantity::kForce;
  if (type == 1 && channel < 5) return Quantity::kLength;
  return Quantity::kMoment;
}

std::size_t channels_of(int type) { return type == 3 ? 8 : 6; }

struct PlateParameters {
  std::vector<double> types, corners, origins, channels, zero, calibration;
  std::size_t channels_per_plate = 0;
  bool calibration_by_row = false;
};

PlateParameters read_plate_parameters(const C3dParameters& parameters) {
  PlateParameters result;
  result.types = parameters.find_numbers("FORCE_PLATFORM", "TYPE");
  result.corners = parameters.find_numbers("FORCE_PLATFORM", "CORNERS");
  result.origins = parameters.find_numbers("FORCE_PLATFORM", "ORIGIN");
  result.channels = parameters.find_numbers("FORCE_PLATFORM", "CHANNEL");
  result.zero = parameters.find_numbers("FORCE_PLATFORM", "ZERO");
  result.calibration = parameters.find_numbers("FORCE_PLATFORM", "CAL_MATRIX");
  const C3dParameter* channel = parameters.find("FORCE_PLATFORM", "CHANNEL");
  if (channel != nullptr && !channel->dimensions.empty()) {
    result.channels_per_plate = static_cast<std::size_t>(channel->dimensions[0]);
  }
  result.calibration_by_row =
      as_lower(parameters.find_text("FORCE_PLATFORM", "MATRIX_STORE")) == "byrow";
  return result;
}

// Geometry and channel numbers of plate `index`; empty text if usable, else the reason why not.
std::string read_plate(const PlateParameters& from, std::size_t index, double units_per_metre,
                       std::vector<char>* channel_taken, ForcePlate* plate) {
  const std::size_t analog_columns = channel_taken->size();
  if (!(from.types[index] >= 1.0 && from.types[index] <= 4.0)) {
    return fmt::format("is of type {}; types 1 to 4 are supported", from.types[index]);
  }
  plate->type = static_cast<int>(from.types[index]);
  if (from.corners.size() < 12 * (index + 1)) return "has no corners";
  bool all_zero = true;
  for (std::size_t k = 0; k < 12; ++k) {
    const double value = from.corners[12 * index + k];
    if (!std::isfinite(value)) return "has corners that are not finite";
    all_zero = all_zero && value == 0.0;
    plate->corners[k / 3][static_cast<int>(k % 3)] = value / units_per_metre;
  }
  if (all_zero) return "has all its corners at zero";
  for (std::size_t k = 0; k < 3 && 3 * index + k < from.origins.size(); ++k) {
    const double value = from.origins[3 * index + k];
    if (!std::isfinite(value)) return "has an origin that is not finite";
    plate->origin[static_cast<int>(k)] = value / units_per_metre;
  }
  for (std::size_t k = 0; k < 2 && k < from.zero.size(); ++k) plate->zero_stated[k] = from.zero[k];
  if (from.zero.size() >= 2 && from.zero[0] >= 1 && from.zero[1] >= from.zero[0] &&
      from.zero[1] <= 1e9) {
    plate->zero_first = static_cast<int>(from.zero[0]);
    plate->zero_last = static_cast<int>(from.zero[1]);
  }
  const std::size_t needed = channels_of(plate->type);
  if (from.channels_per_plate < needed ||
      from.channels.size() < from.channels_per_plate * (index + 1)) {
    return fmt::format("names fewer than the {} channels that type {} needs", needed, plate->type);
  }
  for (std::size_t k = 0; k < needed; ++k) {
    const double channel = from.channels[from.channels_per_plate * index + k];
    if (!(channel >= 1.0 && channel <= static_cast<double>(analog_columns))) {
      return fmt::format("uses analog channel {}, but the file has {}", channel, analog_columns);
    }
    char& taken = (*channel_taken)[static_cast<std::size_t>(channel) - 1];
    if (taken) return fmt::format("uses analog channel {}, which is in use already", channel);
    taken = 1;
    plate->channels.push_back(static_cast<int>(channel) - 1);
  }
  return {};
}

std::string read_calibration(const PlateParameters& from, std::size_t index, double units_per_metre,
                             ForcePlate* plate) {
  if (plate->type != 4) return {};
  if (from.calibration.size() < 36 * (index + 1)) return "is of type 4 but has no CAL_MATRIX";
  for (int row = 0; row < 6; ++row) {
    for (int col = 0; col < 6; ++col) {
      // Stored by column (the first index fastest) unless MATRIX_STORE says otherwise.
      const int k = from.calibration_by_row ? 6 * row + col : 6 * col + row;
      const double value = from.calibration[36 * index + static_cast<std::size_t>(k)];
      if (!std::isfinite(value)) return "has a CAL_MATRIX that is not finite";
      // Moments come out in N times the file's length unit.
      plate->calibration(row, col) = row < 3 ? value : value / units_per_metre;
    }
  }
  return {};
}

// SI units per unit of the channel; a note where the file does not tell.
double find_channel_scale(const ForcePlate& plate, std::size_t channel, const std::string& unit,
                          double units_per_metre, std::string* note) {
  if (plate.type == 4) return 1.0;  // raw; the calibration brings the unit
  if (const auto scale = find_si_per_plate_unit(unit)) return *scale;
  const bool is_force = quantity_of(plate.type, channel) == Quantity::kForce;
  if (unit.empty()) {
    *note = "has channels without a unit; taken as N and the file's length unit";
    return is_force ? 1.0 : 1.0 / units_per_metre;
  }
  *note =
      "has channels in " + quote(unit) + ", which is neither force, length nor moment; left as is";
  return 1.0;
}

}  // namespace

std::vector<ForcePlate> make_force_plates(const C3dHeader& header, const TimeTable& analog,
                                          double units_per_metre, const std::string& name,
                                          std::vector<std::string>* warnings) {
  const PlateParameters from = read_plate_parameters(header.parameters);
  const auto used = static_cast<std::size_t>(C3dParameter::as_count(
      header.parameters.find_number("FORCE_PLATFORM", "USED").value_or(0.0)));
  std::vector<ForcePlate> plates;
  // Each channel belongs to one plate; this also bounds the memory by the size of the file.
  std::vector<char> channel_taken(analog.columns.size(), 0);
  for (std::size_t i = 0; i < std::min(used, from.types.size()); ++i) {
    ForcePlate plate;
    std::string problem = read_plate(from, i, units_per_metre, &channel_taken, &plate);
    if (problem.empty()) problem = read_calibration(from, i, units_per_metre, &plate);
    if (!problem.empty()) {
      warnings->push_back(fmt::format("force platform {} {}; it was left out", i + 1, problem));
      continue;
    }
    if (uncross_plate_corners(&plate)) {
      warnings->push_back(
          fmt::format("force platform {} lists its corners crosswise; taken in an order that goes "
                      "round, in which its axes may be exchanged",
                      i + 1));
    }
    check_plate_corners(plate, static_cast<int>(i + 1), name);
    plate.rate = header.analog_rate();
    plate.start_time = header.time_of(0);
    std::vector<double> scales;
    std::string note;
    for (std::size_t k = 0; k < plate.channels.size(); ++k) {
      const TimeTable::Column& column = analog.columns[static_cast<std::size_t>(plate.channels[k])];
      plate.channel_names.push_back(column.name);
      scales.push_back(find_channel_scale(plate, k, column.unit, units_per_metre, &note));
    }
    if (!note.empty()) warnings->push_back(fmt::format("force platform {} {}", i + 1, note));
    plate.samples.reserve(analog.rows() * plate.channels.size());
    for (std::size_t r = 0; r < analog.rows(); ++r) {
      for (std::size_t k = 0; k < plate.channels.size(); ++k) {
        plate.samples.push_back(analog.at(r, static_cast<std::size_t>(plate.channels[k])) *
                                scales[k]);
      }
    }
    plates.push_back(std::move(plate));
  }
  return plates;
}

}  // namespace vesica::detail
