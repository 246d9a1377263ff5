#include "vesica/identification/bench_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "vesica/io/csv_columns.h"
#include "vesica/io/output_file.h"
#include "vesica/io/unknown_word.h"

namespace vesica {
namespace {

// A measured force may be a little negative: noise about zero. Beyond this share of the largest it
// is a sign convention.
constexpr double kNoiseShare = 0.1;

double largest_size(const std::vector<double>& values) {
  double largest = 0;
  for (const double x : values) largest = std::max(largest, std::abs(x));
  return largest;
}

struct Reader {
  const InputFile& file;
  InputNode root;
  std::vector<std::string> files;

  CsvColumns load(const InputNode& node, const std::vector<CsvColumnWanted>& wanted,
                  size_t fewest) {
    CsvColumns table = load_all(node, wanted);
    if (table.rows() < fewest) {
      throw InputError(fmt::format("{}: {} rows; this experiment needs at least {}", table.file,
                                   table.rows(), fewest));
    }
    return table;
  }
  // A file, or several, whose rows follow each other.
  CsvColumns load_all(const InputNode& node, const std::vector<CsvColumnWanted>& wanted) {
    const auto load_one = [&](const InputNode& name) {
      files.push_back(resolve_path(file.folder(), name.text()));
      return load_csv_columns(files.back(), wanted);
    };
    if (!node.is_list()) return load_one(node);
    const auto names = node.items();
    if (names.empty()) node.fail("is empty: name at least one file");
    CsvColumns all = load_one(names[0]);
    for (size_t k = 1; k < names.size(); ++k) {
      const std::string path = resolve_path(file.folder(), names[k].text());
      for (size_t before = 0; before < k; ++before) {
        std::error_code code;
        const std::string other = resolve_path(file.folder(), names[before].text());
        if (path == other || std::filesystem::equivalent(path, other, code)) {
          names[k].fail(
              fmt::format("is the same file as {}: its rows would count twice; leave one "
                          "of them out",
                          names[before].text()));
        }
      }
      const CsvColumns next = load_one(names[k]);
      all.file += ", " + next.file;
      all.lines.insert(all.lines.end(), next.lines.begin(), next.lines.end());
      for (size_t c = 0; c < all.values.size(); ++c) {
        all.values[c].insert(all.values[c].end(), next.values[c].begin(), next.values[c].end());
      }
    }
    return all;
  }
  // Rows that were not fitted, against what the fit says of them: predict(table, row), compared
  // with the column `measured`.
  template <class Predict>
  void evaluate(const std::vector<CsvColumnWanted>& wanted, size_t measured,
                const Predict& predict) {
    const auto node = root.find("evaluate");
    if (!node) return;
    const CsvColumns table = load_all(*node, wanted);
    if (table.rows() == 0) node->fail("has no rows");
    double squares = 0;
    for (size_t r = 0; r < table.rows(); ++r) {
      const double residual = table.values[measured][r] - predict(table, r);
      squares += residual * residual;
    }
    const double rms = std::sqrt(squares / static_cast<double>(table.rows()));
    evaluated = BenchEvaluation{table.rows(), rms, rms / largest_size(table.values[measured])};
  }
  std::optional<BenchEvaluation> evaluated{};
  FitOptions options() const {
    const auto node = root.find("errors");
    FitOptions options(node && node->choice({"constant", "relative"}) == 1 ? Weighting::kRelative
                                                                           : Weighting::kConstant);
    options.stop = stop;
    return options;
  }
  const std::atomic<bool>* stop = nullptr;
};

void expect_positive(const CsvColumns& table, size_t column, const char* what, const char* remedy) {
  for (size_t r = 0; r < table.rows(); ++r) {
    const double x = table.values[column][r];
    if (!(x > 0)) table.fail(r, fmt::format("{} is {:.6g}; {}", what, x, remedy));
  }
}

void expect_not_negative(const CsvColumns& table, size_t column, const char* what,
                         const char* remedy, double share) {
  const double limit = -share * largest_size(table.values[column]);
  if (limit == 0 && share > 0) table.fail(0, fmt::format("{} is zero in every row", what));
  for (size_t r = 0; r < table.rows(); ++r) {
    const double x = table.values[column][r];
    if (x < limit) table.fail(r, fmt::format("{} is {:.6g}; {}", what, x, remedy));
  }
}

// Takes out the rows for which `drop` holds.
template <class Drop>
void drop_rows(const Drop& drop, CsvColumns* table) {
  size_t kept = 0;
  for (size_t r = 0; r < table->rows(); ++r) {
    if (drop(r)) continue;
    for (auto& column : table->values) column[kept] = column[r];
    table->lines[kept++] = table->lines[r];
  }
  for (auto& column : table->values) column.resize(kept);
  table->lines.resize(kept);
}

BenchFit run_indentation(Reader& reader) {
  reader.root.allow({"vesica", "type", "title", "description", "data", "errors", "evaluate"});
  const std::vector<CsvColumnWanted> wanted = {{"depth", dimension::kLength},
                                               {"force", dimension::kForce}};
  const CsvColumns table = reader.load(reader.root.at("data"), wanted, 4);
  expect_not_negative(table, 0, "the depth",
                      "it counts from the touch, into the body; take the rows before the touch out",
                      0);
  if (largest_size(table.values[0]) == 0) table.fail(0, "the depth is zero in every row");
  expect_not_negative(table, 1, "the force",
                      "a press is positive; turn the sign, or take the rows out", kNoiseShare);
  BenchFit fit = fit_indentation({table.values[0], table.values[1]}, reader.options());
  reader.evaluate(wanted, 1, [&](const CsvColumns& other, size_t r) {
    return fit.parameters[0].value * std::pow(other.values[0][r], fit.parameters[1].value);
  });
  return fit;
}

BenchFit run_impact(Reader& reader) {
  reader.root.allow(
      {"vesica", "type", "title", "description", "data", "errors", "model", "evaluate"});
  const std::vector<CsvColumnWanted> wanted = {{"impact_speed", dimension::kSpeed},
                                               {"rebound_speed", dimension::kSpeed}};
  const CsvColumns table = reader.load(reader.root.at("data"), wanted, 3);
  expect_positive(table, 0, "the impact speed", "give the size of the speed before the impact");
  expect_not_negative(table, 1, "the rebound speed", "give the size of the speed after the impact",
                      0);
  for (size_t r = 0; r < table.rows(); ++r) {
    if (table.values[1][r] > 1.2 * table.values[0][r]) {
      table.fail(r, fmt::format("the rebound ({:.6g} m/s) is faster than the impact ({:.6g} m/s); "
                                "are the columns swapped, or their units different?",
                                table.values[1][r], table.values[0][r]));
    }
  }
  ImpactModel model = ImpactModel::kBetter;
  if (const auto node = reader.root.find("model")) {
    model = static_cast<ImpactModel>(node->choice({"constant", "slope", "better"}));
  }
  BenchFit fit = fit_impact({table.values[0], table.values[1]}, model, reader.options());
  const Estimate& e = fit.parameters[0];
  const bool is_sloped = e.name == "restitution_slope";
  reader.evaluate(wanted, 1, [&](const CsvColumns& other, size_t r) {
    const double c = other.values[0][r];
    return is_sloped ? (1 - e.value * c) * c : e.value * c;
  });
  return fit;
}

BenchFit run_sliding(Reader& reader) {
  reader.root.allow({"vesica", "type", "title", "description", "data", "errors", "slowest",
                     "normal_force", "evaluate"});
  std::vector<CsvColumnWanted> wanted = {{"speed", dimension::kSpeed},
                                         {"friction_force", dimension::kForce}};
  const auto load = reader.root.find("normal_force");
  if (!load) wanted.push_back({"normal_force", dimension::kForce});
  CsvColumns table = reader.load(reader.root.at("data"), wanted, 4);
  if (load) table.values.emplace_back(table.rows(), load->positive(dimension::kForce));
  expect_positive(table, 2, "the normal force", "a press is positive");
  const double noise = kNoiseShare * largest_size(table.values[1]);
  for (size_t r = 0; r < table.rows(); ++r) {
    const double v = table.values[0][r], f = table.values[1][r];
    if (v == 0) table.fail(r, "the speed is zero: that is no sliding; take the row out");
    if (f * (v < 0 ? -1 : 1) < -noise) {
      table.fail(r, fmt::format("the friction force ({:.6g} N) has another sign than the speed "
                                "({:.6g} m/s); give both positive, or both negative",
                                f, v));
    }
  }
  size_t dropped = 0;
  if (const auto slowest = reader.root.find("slowest")) {
    const double limit = slowest->non_negative(dimension::kSpeed);
    const size_t rows = table.rows();
    drop_rows([&](size_t r) { return std::abs(table.values[0][r]) < limit; }, &table);
    dropped = rows - table.rows();
    if (table.rows() < 4) {
      slowest->fail(fmt::format("leaves {} of {} rows; at least 4 are needed", table.rows(), rows));
    }
  }
  BenchFit fit = fit_sliding({table.values[0], table.values[1], table.values[2]}, reader.options());
  reader.evaluate(wanted, 1, [&](const CsvColumns& other, size_t r) {
    const double v = other.values[0][r];
    const double f_n = load ? load->positive(dimension::kForce) : other.values[2][r];
    return f_n * (std::copysign(fit.parameters[0].value, v) + fit.parameters[1].value * v);
  });
  if (dropped > 0) {
    fit.notes.push_back(fmt::format("{} rows slower than 'slowest' were left out", dropped));
  }
  return fit;
}

BenchFit run_presliding(Reader& reader) {
  const InputNode& root = reader.root;
  root.allow({"vesica", "type", "title", "description", "push", "ring_down", "errors",
              "normal_force", "mass", "until"});
  PreslidingData data;
  data.normal_force = root.at("normal_force").positive(dimension::kForce);
  const auto push = root.find("push"), ring_down = root.find("ring_down");
  if (!push && !ring_down) {
    root.fail(
        "give 'push' (a CSV: displacement, force), 'ring_down' (a CSV: time, displacement) "
        "or both");
  }
  const auto until = root.find("until");
  if (until && !push) until->fail("goes with 'push', which is missing");
  if (push) {
    CsvColumns table =
        reader.load(*push, {{"displacement", dimension::kLength}, {"force", dimension::kForce}}, 3);
    if (until) {
      const double limit = until->positive(dimension::kLength);
      drop_rows([&](size_t r) { return table.values[0][r] > limit; }, &table);
      if (table.rows() < 3) {
        until->fail(fmt::format("leaves {} rows; at least 3 are needed", table.rows()));
      }
    }
    expect_not_negative(table, 0, "the displacement", "it counts from the unloaded place", 0);
    if (largest_size(table.values[0]) == 0) table.fail(0, "the displacement is zero in every row");
    expect_not_negative(table, 1, "the force", "a push along the displacement is positive",
                        kNoiseShare);
    data.displacement = table.values[0];
    data.force = table.values[1];
  }
  if (ring_down) {
    data.mass = root.at("mass").positive(dimension::kMass);
    const CsvColumns table = reader.load(
        *ring_down, {{"time", dimension::kTime}, {"displacement", dimension::kLength}}, 8);
    for (size_t r = 1; r < table.rows(); ++r) {
      if (!(table.values[0][r] > table.values[0][r - 1])) {
        table.fail(r, fmt::format("time {:.6g} s does not come after that of the row before",
                                  table.values[0][r]));
      }
    }
    if (largest_size(table.values[1]) == 0) table.fail(0, "the displacement is zero in every row");
    data.time = table.values[0];
    data.swing = table.values[1];
  } else if (const auto mass = root.find("mass")) {
    mass->fail("goes with 'ring_down', which is missing");
  }
  return fit_presliding(data, reader.options());
}

BenchFit run_stick_slip(Reader& reader) {
  const InputNode& root = reader.root;
  root.allow({"vesica", "type", "title", "description", "data", "errors", "mass",
              "spring_stiffness", "normal_force", "mu_S", "mu_C", "sigma_2", "v_S"});
  StickSlipData data;
  StickSlipRig& rig = data.rig;
  rig.mass = root.at("mass").positive(dimension::kMass);
  rig.spring_stiffness = root.at("spring_stiffness").positive(dimension::kStiffness);
  rig.normal_force = root.at("normal_force").positive(dimension::kForce);
  rig.mu_C = root.at("mu_C").positive(dimension::kNumber);
  rig.mu_S = root.at("mu_S").positive(dimension::kNumber);
  if (!(rig.mu_S > rig.mu_C)) {
    root.at("mu_S").fail("must be above mu_C: without that there is no bond, and no tau_dw");
  }
  if (const auto s = root.find("sigma_2")) {
    rig.sigma_2 = s->non_negative(dimension::kContactDamping);
  }
  if (const auto v = root.find("v_S")) rig.v_S = v->non_negative(dimension::kSpeed);
  const CsvColumns table =
      reader.load(root.at("data"),
                  {{"belt_speed", dimension::kSpeed}, {"peak_friction", dimension::kForce}}, 3);
  expect_positive(table, 0, "the belt speed", "give its size");
  expect_positive(table, 1, "the peak friction", "give its size");
  const double most = 2 * rig.normal_force * rig.mu_S;
  for (size_t r = 0; r < table.rows(); ++r) {
    if (table.values[1][r] > most) {
      table.fail(r, fmt::format("the peak of {:.6g} N is more than twice mu_S times the normal "
                                "force ({:.6g} N); check units and load",
                                table.values[1][r], most / 2));
    }
  }
  data.belt_speed = table.values[0];
  data.peak_friction = table.values[1];
  return fit_stick_slip(data, reader.options());
}

using Run = BenchFit (*)(Reader&);
constexpr Run kRuns[] = {run_indentation, run_impact, run_sliding, run_presliding, run_stick_slip};

}  // namespace

const std::vector<std::string_view>& bench_types() {
  static const std::vector<std::string_view> kTypes = {"indentation", "impact", "sliding",
                                                       "presliding", "stick_slip"};
  return kTypes;
}

bool is_bench_study(const InputFile& file) {
  return file.root().find("type") && !file.root().find("bodies");
}

BenchStudy run_bench_study(const InputFile& file, const std::atomic<bool>* stop) {
  const InputNode root = file.root();
  root.at("vesica").integer(1, 1);
  const InputNode type_node = root.at("type");
  if (type_node.is_scalar()) {
    // The others that `vesica identify` runs, so that a slip in their names is told too.
    std::vector<std::string_view> all = bench_types();
    all.insert(all.end(), {"foot", "foot2d", "foot_drag", "scene"});
    const std::string name = type_node.text();
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      type_node.fail(say_unknown(name, all));
    }
  }
  const size_t type = type_node.choice(bench_types());
  BenchStudy study;
  study.type = bench_types()[type];
  if (const auto title = root.find("title")) study.title = title->text();
  Reader reader{file, root, {}, {}, stop};
  study.fit = kRuns[type](reader);
  study.files = reader.files;
  study.evaluated = reader.evaluated;
  return study;
}

nlohmann::ordered_json make_bench_json(const BenchStudy& study) {
  nlohmann::ordered_json json;
  json["type"] = study.type;
  if (!study.title.empty()) json["title"] = study.title;
  json["files"] = study.files;
  json["converged"] = study.fit.converged;
  json["iterations"] = study.fit.iterations;
  auto limit = [](double x) {
    return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
  };
  for (const Estimate& e : study.fit.parameters) {
    json["parameters"].push_back({{"name", e.name},
                                  {"value", limit(e.value)},
                                  {"unit", e.unit},
                                  {"low", limit(e.low)},
                                  {"high", limit(e.high)},
                                  {"determined", e.determined}});
  }
  for (const FittedCurve& c : study.fit.curves) {
    json["curves"].push_back({{"name", c.name},
                              {"rows", c.x.size()},
                              {"quantity", c.y_name},
                              {"residual_rms", c.rms},
                              {"residual_share", c.rms_share}});
  }
  if (study.evaluated) {
    json["evaluated"] = {{"rows", study.evaluated->rows},
                         {"residual_rms", study.evaluated->rms},
                         {"residual_share", study.evaluated->rms_share}};
  }
  json["scene"] = study.fit.scene;
  json["notes"] = study.fit.notes;
  json["warnings"] = study.fit.warnings;
  return json;
}

}  // namespace vesica
