// What is read off a run: a figure of its summary, an extreme, a value at a time, the time of an
// event, a curve.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/io/yaml.h"
#include "vesica/simulation/simulate.h"

namespace vesica::studies {

struct Reading {
  enum class Kind { kSummary, kColumn, kAt, kCrossing, kEvent, kCount, kCurve };
  std::string name, unit;
  Kind kind = Kind::kSummary;
  std::string path;            // of the summary
  std::string column;          // of the recording, or of a pressure map
  size_t take = 0;             // of column_takes()
  double from = 0, until = 0;  // 0, 0: the whole run
  double at = 0;
  // In the place of these times: when a column crosses a level, or an event. It may come at another
  // time in every run, or not at all: then nothing is read.
  std::shared_ptr<Reading> from_when{}, until_when{}, at_when{};
  bool at_end = false;
  double level = 0;
  int direction = 0;  // of a crossing: up 1, down -1, either 0
  int number = 1;     // of a crossing or an event; -1: the last
  std::string contact;
  bool touchdown = true;
  bool takes_speed = false;     // of an event: its closing speed, not its time
  std::vector<double> times{};  // of a curve
  std::string level_unit{};     // of `level`, until it is settled; empty: the column's
  double scale = 1;             // from what the run has to `unit`
  std::string place;            // for messages
};

// min, max, mean, ...
const std::vector<std::string_view>& column_takes();

Reading read_reading(const std::string& name, const InputNode& node);
Reading read_curve(const std::string& name, const InputNode& node);

// What a run leaves.
struct RunLeavings {
  const nlohmann::ordered_json* summary = nullptr;
  const TimeTable* recording = nullptr;  // null: there is none (identify, markers)
  const std::vector<ContactEvent>* events = nullptr;
  std::vector<std::string> contacts;
  double duration = 0;                               // of the run; 0: it has none
  const std::vector<TimeTable>* map_sums = nullptr;  // columns of pressure maps; null: none
};

bool needs_recording(const Reading& reading);

struct FoundColumn {
  const TimeTable* table;
  size_t index;
};
// In the recording, or in the sums of a pressure map, which have times of their own. InputError,
// with what there is, where no table has it.
FoundColumn find_column(const Reading& reading, const RunLeavings& leavings);

// Throws InputError, with the place in the study and what there is, where the run has no such
// thing. A recording or a list of events that is still empty is no reason.
void check_reading(const Reading& reading, const RunLeavings& leavings);

// The scale from the run's unit to the one that the study asks for. InputError where one does not
// go into the other. After check_reading.
void settle_unit(const RunLeavings& leavings, Reading* reading);

// InputError where it would be empty in every run that ends with its duration.
void check_times(const Reading& reading, double duration);

// The cell of the table: a number, a word of the summary, or empty where it did not happen.
std::string take_reading(const Reading& reading, const RunLeavings& leavings);
// NaN outside of the recording.
std::vector<double> take_curve(const Reading& reading, const RunLeavings& leavings);

// The value at a dotted path. Keys that have dots themselves are found; an item of a list by its
// index, or by its "name". Null: there is none; `known` then says what there is at the last part
// that was found, and `is_open` that this was a list.
const nlohmann::ordered_json* find_in_json(const nlohmann::ordered_json& json,
                                           const std::string& path, std::vector<std::string>* known,
                                           bool* is_open);

// A number as every file of a study has it: the shortest text that reads back as the same.
std::string format_cell(double value);

}  // namespace vesica::studies
