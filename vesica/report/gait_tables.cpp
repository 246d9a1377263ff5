// Gait cycles as JSON and CSV.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/report/gait_report.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json interval_json(const MeanInterval& m) {
  return {{"mean", finite_or_null(m.mean)},
          {"sd", finite_or_null(m.sd)},
          {"low", finite_or_null(m.low)},
          {"high", finite_or_null(m.high)},
          {"strides", m.count},
          {"trials", m.trials},
          {"trials_differ", m.trials_differ}};
}

Json values_json(const CycleValues& values) {
  Json list = Json::array();
  for (const double v : values) list.push_back(finite_or_null(v));
  return list;
}

// A cell of text: quoted where it must be.
std::string as_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Empty where it is unknown.
std::string as_cell(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return as_cell(unit.empty() ? name : fmt::format("{} [{}]", name, unit));
}

}  // namespace

std::string format_fixed(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

Json as_json(const GaitSummary& summary, const std::vector<NormativeCurve>& normatives) {
  Json parameters = Json::object(), strides = Json::array(), curves = Json::array();
  for (const GaitParameter& p : summary.parameters) {
    parameters[p.name] = {{"unit", p.unit},
                          {"left", interval_json(p.left)},
                          {"right", interval_json(p.right)},
                          {"both", interval_json(p.both)},
                          {"symmetry_index",
                           {{"percent", finite_or_null(p.symmetry.index)},
                            {"low", finite_or_null(p.symmetry.low)},
                            {"high", finite_or_null(p.symmetry.high)}}}};
  }
  for (const Stride& s : summary.strides) {
    Json entry = {{"trial", summary.trials[s.trial]},
                  {"foot", name_of(s.foot)},
                  {"start", s.start},
                  {"other_off", s.other_off},
                  {"other_strike", s.other_strike},
                  {"off", s.off},
                  {"end", s.end}};
    const auto values = calc_parameters(s);
    for (int i = 0; i < kParameters; ++i)
      entry[get_parameter_kinds()[i].name] = finite_or_null(values[i]);
    strides.push_back(entry);
  }
  for (const CycleCurve& c : summary.curves) {
    Json entry = {{"signal", c.name},
                  {"unit", c.unit},
                  {"foot", name_of(c.foot)},
                  {"strides", c.strides},
                  {"mean", values_json(c.mean)},
                  {"sd", values_json(c.sd)}};
    if (const NormativeCurve* normative = find_normative(normatives, c)) {
      const NormativeDeviation deviation = calc_deviation(c, *normative);
      entry["normative"] = {{"rms", deviation.rms}, {"outside_percent", deviation.outside}};
    }
    curves.push_back(entry);
  }
  const BodyWeight& weight = summary.weight;
  return {{"trials", summary.trials},
          {"without_strides", summary.no_walk},
          {"on_treadmill", summary.on_treadmill},
          {"body_weight",
           {{"newton", finite_or_null(weight.weight)},
            {"source", weight.source.empty() ? Json(nullptr) : Json(weight.source)},
            {"standing", weight.standing},
            {"strides", weight.strides}}},
          {"parameters", parameters},
          {"strides", strides},
          {"curves", curves},
          {"notes", summary.notes}};
}

std::string make_parameter_csv(const GaitSummary& summary) {
  std::string text = "parameter,unit,side,mean,low95,high95,sd,strides,trials,trials_differ\n";
  for (const GaitParameter& p : summary.parameters) {
    const auto add = [&](const char* side, const MeanInterval& m) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", p.name, p.unit, side, as_cell(m.mean),
                          as_cell(m.low), as_cell(m.high), as_cell(m.sd), m.count, m.trials,
                          m.trials_differ ? 1 : 0);
    };
    add("left", p.left);
    add("right", p.right);
    add("both", p.both);
    text += fmt::format("{},%,symmetry_index,{},{},{},,,,\n", p.name, as_cell(p.symmetry.index),
                        as_cell(p.symmetry.low), as_cell(p.symmetry.high));
  }
  return text;
}

std::string make_stride_csv(const GaitSummary& summary) {
  std::string text = "trial,foot,start [s],other_off [s],other_strike [s],off [s],end [s]";
  for (const ParameterKind& kind : get_parameter_kinds())
    text += "," + with_unit(kind.name, kind.unit);
  text += "\n";
  for (const Stride& s : summary.strides) {
    text += fmt::format("{},{},{},{},{},{},{}", as_cell(summary.trials[s.trial]), name_of(s.foot),
                        s.start, s.other_off, s.other_strike, s.off, s.end);
    for (const double value : calc_parameters(s)) text += "," + as_cell(value);
    text += "\n";
  }
  return text;
}

std::string make_curve_csv(const GaitSummary& summary) {
  std::string text = "percent";
  std::vector<const CycleCurve*> curves;
  for (const CycleCurve& c : summary.curves) {
    if (c.values.size() < 2) continue;  // no band
    curves.push_back(&c);
    for (const char* kind : {"mean", "sd"})
      text += "," + with_unit(fmt::format("{}_{}_{}", c.name, name_of(c.foot), kind), c.unit);
  }
  text += "\n";
  for (int i = 0; i < kCyclePoints; ++i) {
    text += fmt::format("{}", i);
    for (const CycleCurve* c : curves)
      text += fmt::format(",{},{}", as_cell(c->mean[i]), as_cell(c->sd[i]));
    text += "\n";
  }
  return text;
}

std::string make_cycle_csv(const GaitSummary& summary) {
  std::string text = "stride,trial,foot,percent";
  const std::vector<std::string> names = summary.signal_names();
  for (const std::string& name : names) {
    for (const CycleCurve& c : summary.curves) {
      if (c.name != name) continue;
      text += "," + with_unit(name, c.unit);
      break;
    }
  }
  text += "\n";
  for (size_t s = 0; s < summary.strides.size(); ++s) {
    const Stride& stride = summary.strides[s];
    std::vector<const CycleValues*> columns;  // null where the stride has no such curve
    for (const std::string& name : names) {
      columns.push_back(nullptr);
      for (const CycleCurve& c : summary.curves) {
        if (c.name != name || c.foot != stride.foot) continue;
        for (size_t k = 0; k < c.strides.size(); ++k) {
          if (c.strides[k] == static_cast<int>(s)) columns.back() = &c.values[k];
        }
      }
    }
    for (int i = 0; i < kCyclePoints; ++i) {
      text += fmt::format("{},{},{},{}", s + 1, as_cell(summary.trials[stride.trial]),
                          name_of(stride.foot), i);
      for (const CycleValues* values : columns)
        text += "," + (values != nullptr ? as_cell((*values)[i]) : std::string());
      text += "\n";
    }
  }
  return text;
}

}  // namespace vesica
