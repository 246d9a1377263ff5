#include "vesica/report/motion_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/io/c3d.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

std::string as_cell(std::string text) {
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text.find_first_of(",;") == std::string::npos ? text : '"' + text + '"';
}

struct EventRow {
  double time;
  std::string foot, label, source, subject, description;
};

}  // namespace

std::string make_events_csv(const TrialView& view) {
  std::vector<EventRow> rows;
  for (const MotionEvent& e : view.trial.events) {
    rows.push_back({e.time, e.context, e.label, "file", e.subject, e.description});
  }
  for (const Stance& s : view.analysis.stances) {
    if (!s.starts_before) rows.push_back({s.start, name_of(s.foot), "strike", "plates", "", ""});
    if (!s.ends_after) rows.push_back({s.end, name_of(s.foot), "off", "plates", "", ""});
  }
  for (const GaitEvent& e : view.analysis.walk.events) {
    rows.push_back({e.time, name_of(e.foot), name_of(e.kind), "markers", "", ""});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const EventRow& a, const EventRow& b) { return a.time < b.time; });
  std::string text = "time [s],foot,event,source,subject,description\n";
  for (const EventRow& row : rows) {
    append_number(row.time, 9, &text);
    for (const std::string* cell :
         {&row.foot, &row.label, &row.source, &row.subject, &row.description}) {
      text += "," + as_cell(*cell);
    }
    text += '\n';
  }
  return text;
}

std::string make_parameters_json(const MotionTrial& trial) {
  if (trial.c3d == nullptr) {
    throw InputError(trial.file + ": has no parameters: they are those of a C3D");
  }
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const C3dGroup& group : trial.c3d->parameters.groups()) {
    json[group.name] = {{"description", group.description},
                        {"parameters", nlohmann::ordered_json::object()}};
  }
  for (const C3dParameter& parameter : trial.c3d->parameters.all()) {
    nlohmann::ordered_json entry;
    entry["type"] = parameter.type == -1  ? "text"
                    : parameter.type == 4 ? "float"
                    : parameter.type == 2 ? "int16"
                                          : "byte";
    entry["dimensions"] = parameter.dimensions;
    entry["values"] = nlohmann::ordered_json::array();
    for (const std::string& text : parameter.texts) entry["values"].push_back(text);
    for (const double number : parameter.numbers) {
      std::isfinite(number) ? entry["values"].push_back(number)
                            : entry["values"].push_back(nullptr);
    }
    if (!parameter.description.empty()) entry["description"] = parameter.description;
    json[parameter.group]["parameters"][parameter.name] = entry;
  }
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace vesica
