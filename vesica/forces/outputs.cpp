#include "vesica/forces/outputs.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/io/markup.h"

namespace vesica::forces {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kLetters[] = {"r", "l"};

void add_columns(const std::string& prefix, const char* unit, const std::string& ending,
                 TimeTable* table) {
  for (const char* axis : {"x", "y", "z"}) table->columns.push_back({prefix + axis + ending, unit});
}

void push(const Vec3d& v, std::vector<double>* values) {
  for (int a = 0; a < 3; ++a) values->push_back(v[a]);
}

Json make_errors(const Errors& e) {
  return {{"force_error_percent", e.force},
          {"cop_error_percent", e.pressure},
          {"shear_error_percent", {e.ahead, e.lateral}}};
}

Json make_stance(const ComparedStance& s, const Errors& errors) {
  Json json = {{"side", name_of(as_foot(s.side))}, {"begin", s.begin}, {"end", s.end}};
  json.update(make_errors(errors));
  return json;
}

Json make_comparison(const PredictedTrial& trial) {
  const Comparison& c = *trial.comparison;
  Json json;
  for (const char* key : {"stances", "mean_curve", "fair_baseline"}) json[key] = Json::array();
  for (const ComparedStance& s : c.stances) {
    Json stance = make_stance(s, s.errors);
    stance["plate"] = s.plate;
    stance["predicted_begin"] = s.predicted_begin;
    stance["predicted_end"] = s.predicted_end;
    for (int o = 0; o < kOutputs; ++o) {
      stance["band_coverage_percent"][name_of_output(o)] = 100 * s.coverage[static_cast<size_t>(o)];
    }
    for (int j = 0; j < kJoints; ++j) {
      stance["moment_error_percent"][name_of_joint(j)] = s.moments[static_cast<size_t>(j)];
    }
    stance["free_moment_error"] = s.free_moment.error;
    stance["free_moment_measured"] = s.free_moment.measured;
    stance["mean_curve"] = make_errors(s.mean_curve);
    stance["fair_baseline"] = make_errors(s.fair);
    json["stances"].push_back(stance);
    json["mean_curve"].push_back(make_stance(s, s.mean_curve));
    json["fair_baseline"].push_back(make_stance(s, s.fair));
  }
  if (!c.stances.empty()) {
    json["mean"] = make_errors(c.errors);
    json["mean"]["mean_curve"] = make_errors(c.mean_curve);
    json["mean"]["fair_baseline"] = make_errors(c.fair);
  }
  json["rejected"] = Json::array();
  for (const RejectedLoad& r : c.measured.rejected) {
    json["rejected"].push_back(
        {{"plate", r.plate}, {"begin", r.begin}, {"end", r.end}, {"why", r.why}});
  }
  json["plate_factors"] = Json::object();
  for (const PlateScale& s : c.scales) json["plate_factors"][s.plate] = s.factor;
  json["strike_delay"] = c.delay.strike;
  json["off_delay"] = c.delay.off;
  if (c.delay.clock != 0) {
    json["clock_delay"] = c.delay.clock;
    json["aligned"] = make_errors(c.aligned);
    json["aligned"]["fair_baseline"] = make_errors(c.aligned_fair);
    for (int j = 0; j < kJoints; ++j) {
      json["aligned"]["moment_error_percent"][name_of_joint(j)] =
          c.aligned_moments[static_cast<size_t>(j)];
    }
  }
  json["blind"] = c.seen.empty();
  json["verdict"] = c.verdict;
  return json;
}

}  // namespace

std::vector<std::string> list_guesses(const Walk& walk) {
  std::vector<std::string> sentences;
  for (const Contact& c : walk.contacts) {
    if (c.is_whole() && !c.doubtful) continue;
    const char* foot = name_of(as_foot(c.side));
    if (c.is_cut) {
      sentences.push_back(fmt::format(
          "The {} foot's contact from {:.3f} to {:.3f} s is not predicted in part: markers are not "
          "seen, or not credible, there.",
          foot, c.strike, c.off));
      continue;
    }
    if (c.is_whole()) {
      sentences.push_back(
          fmt::format("The {} foot's contact from {:.3f} to {:.3f} s: its events are doubtful.",
                      foot, c.strike, c.off));
      continue;
    }
    const std::string what =
        c.starts_before && c.ends_after ? "strike and off" : (c.starts_before ? "strike" : "off");
    sentences.push_back(
        fmt::format("The {} foot's contact from {:.3f} to {:.3f} s: its {} {} and {} guessed; "
                    "bands are a tenth wider.",
                    foot, c.strike, c.off, what,
                    c.doubtful ? "was not found"
                               : fmt::format("{} beyond the recording or too near to its ends",
                                             c.starts_before && c.ends_after ? "lie" : "lies"),
                    c.starts_before && c.ends_after ? "are" : "is"));
  }
  return sentences;
}

namespace {

// Forces, points and torques of either foot in the recording's axes: three vectors a foot from
// `get(foot, frame of the walk)`.
template <class Get>
TimeTable make_foot_table(const PredictedTrial& trial, const char* ending,
                          const std::string& column_ending, const Get& get) {
  TimeTable table;
  table.name = trial.walk.name + ending;
  table.times = trial.walk.times;
  for (const char* letter : kLetters) {
    add_columns(fmt::format("{}_ground_force_v", letter), "N", column_ending, &table);
    add_columns(fmt::format("{}_ground_force_p", letter), "m", column_ending, &table);
    add_columns(fmt::format("{}_ground_torque_", letter), "N m", column_ending, &table);
  }
  for (size_t k = 0; k < table.times.size(); ++k) {
    for (const FootForces& foot : trial.prediction.feet) {
      for (const Vec3d& v : get(foot, k)) push(v, &table.values);
    }
  }
  return table;
}

}  // namespace

TimeTable make_force_table(const PredictedTrial& trial) {
  const Walk& walk = trial.walk;
  return make_foot_table(trial, "_forces", "", [&](const FootForces& foot, size_t k) {
    const Vec3d p_H(foot.pressure[k][0], trial.floor_height, foot.pressure[k][1]);
    return std::array<Vec3d, 3>{walk.R_HW.transpose() * foot.force[k], walk.as_recorded(k, p_H),
                                foot.free_moment[k] * walk.up_W};
  });
}

TimeTable make_band_table(const PredictedTrial& trial) {
  // Half-widths along turned axes: independent errors add in squares.
  const auto turn = [&](const Vec3d& half) {
    Vec3d result;
    for (int a = 0; a < 3; ++a) {
      result[a] = trial.walk.R_HW.col(a).cwiseProduct(half).norm();
    }
    return result;
  };
  return make_foot_table(trial, "_bands", "_band", [&](const FootForces& foot, size_t k) {
    const Vec2d& p = foot.pressure_band[k];
    return std::array<Vec3d, 3>{turn(foot.force_band[k]), turn({p[0], 0, p[1]}),
                                turn({0, foot.moment_band[k], 0})};
  });
}

TimeTable make_moment_table(const PredictedTrial& trial) {
  const Walk& walk = trial.walk;
  TimeTable table;
  table.name = walk.name + "_moments";
  table.times = walk.times;
  const double mass = trial.weight / kGravity;
  std::vector<std::vector<double>> columns;
  for (int side = 0; side < 2; ++side) {
    const FootForces& foot = trial.prediction.feet[static_cast<size_t>(side)];
    const LegMoments moments =
        calc_leg_moments(walk, side, mass, foot.force, foot.pressure, trial.floor_height);
    LegMoments measured;
    bool any = false;
    for (std::vector<double>& m : measured) m.assign(walk.frames(), kMissing);
    if (trial.comparison) {
      for (const MeasuredStance& s : trial.comparison->measured.stances) {
        if (walk.contacts[s.contact].side != side) continue;
        any = true;
        const LegMoments all = calc_leg_moments(walk, side, mass, s.force, s.pressure,
                                                trial.comparison->measured.pressure_height);
        for (size_t k = 0; k < walk.frames(); ++k) {
          if (walk.times[k] < s.begin || walk.times[k] > s.end) continue;
          for (size_t j = 0; j < kJoints; ++j) measured[j][k] = all[j][k];
        }
      }
    }
    for (int j = 0; j < kJoints; ++j) {
      const std::string name = fmt::format("{}_{}_moment", name_of_joint(j), kLetters[side]);
      table.columns.push_back({name, "N m"});
      columns.push_back(moments[static_cast<size_t>(j)]);
      if (!any) continue;
      table.columns.push_back({name + "_measured", "N m"});
      columns.push_back(measured[static_cast<size_t>(j)]);
    }
  }
  for (size_t k = 0; k < walk.frames(); ++k) {
    for (const std::vector<double>& column : columns) table.values.push_back(column[k]);
  }
  return table;
}

std::string make_external_loads(const PredictedTrial& trial, const std::string& data_file,
                                const std::string& right_body, const std::string& left_body) {
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<OpenSimDocument Version=\"40000\">\n"
      "\t<ExternalLoads name=\"{}\">\n\t\t<objects>\n",
      escape_markup(trial.walk.name));
  for (const auto& [letter, body] : {std::pair{"r", right_body}, std::pair{"l", left_body}}) {
    xml += fmt::format(
        "\t\t\t<ExternalForce name=\"predicted_{0}\">\n"
        "\t\t\t\t<applied_to_body>{1}</applied_to_body>\n"
        "\t\t\t\t<force_expressed_in_body>ground</force_expressed_in_body>\n"
        "\t\t\t\t<point_expressed_in_body>ground</point_expressed_in_body>\n"
        "\t\t\t\t<force_identifier>{0}_ground_force_v</force_identifier>\n"
        "\t\t\t\t<point_identifier>{0}_ground_force_p</point_identifier>\n"
        "\t\t\t\t<torque_identifier>{0}_ground_torque_</torque_identifier>\n"
        "\t\t\t</ExternalForce>\n",
        letter, escape_markup(body));
  }
  return xml + fmt::format(
                   "\t\t</objects>\n\t\t<groups />\n\t\t<datafile>{}</datafile>\n"
                   "\t</ExternalLoads>\n</OpenSimDocument>\n",
                   escape_markup(data_file));
}

nlohmann::ordered_json make_json(const PredictedTrial& trial) {
  const Walk& walk = trial.walk;
  const Population& p = *trial.population;
  Json json = {{"trial", walk.name},
               {"calibration", trial.calibration},
               {"population", p.title},
               {"weight", trial.weight},
               {"speed", walk.speed},
               {"froude_speed", walk.froude_speed},
               {"treadmill", walk.belt_W.norm() > 0},
               {"sides_exchanged", walk.sides_exchanged},
               {"upper_body", walk.upper.parts},
               {"misfit", walk.misfit},
               {"predicted_from", walk.times.front()},
               {"predicted_until", walk.times.back()},
               {"frames_without_prediction", walk.all_times.size() - walk.frames()}};
  json["contacts"] = Json::array();
  for (const Contact& c : walk.contacts) {
    json["contacts"].push_back({{"side", name_of(as_foot(c.side))},
                                {"begin", c.strike},
                                {"end", c.off},
                                {"whole", c.is_whole()},
                                {"doubtful", c.doubtful}});
  }
  const auto figure = [](double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); };
  json["figures"] = {{"step_length", figure(trial.figures.step_length)},
                     {"asymmetry", figure(trial.figures.asymmetry)},
                     {"double_support", figure(trial.figures.double_support)},
                     {"turn_degrees", figure(trial.figures.turn)},
                     {"speed_change", figure(trial.figures.speed_change)}};
  json["outside_of_training"] = trial.judgement.outside;
  const Errors& expected = trial.calibrated ? p.figures.own : p.figures.stranger;
  if (p.figures.people > 0) {
    json["expected"] = make_errors(expected);
    json["expected"]["applies"] = trial.judgement.outside.empty();
  }
  json["notes"] = walk.notes;
  if (trial.comparison) json.update(make_comparison(trial));
  return json;
}

}  // namespace vesica::forces
