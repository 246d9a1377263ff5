#include "vesica/forces/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "vesica/error.h"
#include "vesica/io/sha256.h"
#include "vesica/io/yaml.h"

namespace vesica::forces {
namespace {

// A list of numbers as one text: eleven thousand YAML nodes would take longer than a prediction.
template <class Numbers>
std::string write_numbers(const Numbers& numbers) {
  std::string text;
  for (const double v : numbers) text += fmt::format("{}{:.6g}", text.empty() ? "" : " ", v);
  return "\"" + text + "\"";
}

template <class Numbers>
void read_numbers(const InputNode& node, Numbers* numbers) {
  const std::string text = node.text();
  const char* at = text.data();
  const char* const end = at + text.size();
  size_t count = 0;
  while (true) {
    while (at < end && *at == ' ') ++at;
    if (at == end) break;
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !std::isfinite(value)) {
      node.fail(fmt::format("number {} of the list is none: '{}'", count + 1,
                            std::string(at, std::min<size_t>(12, static_cast<size_t>(end - at)))));
    }
    if (count < numbers->size()) (*numbers)[count] = value;
    ++count;
    at = next;
  }
  if (count != numbers->size()) {
    node.fail(fmt::format("{} numbers; {} are expected", count, numbers->size()));
  }
}

// As a double-quoted scalar of YAML: on one line whatever is in it.
std::string quote(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) {
      result += fmt::format("\\x{:02x}", code);
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string write_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ", ") + quote(w);
  return "[" + text + "]";
}

std::vector<std::string> read_list(const InputNode& node) {
  std::vector<std::string> words;
  for (const InputNode& item : node.items()) words.push_back(item.text());
  return words;
}

void write_signals(const SignalModel& s, std::string* out) {
  *out += "signals:\n";
  if (s.upper_body) *out += "  upper_body: true  # trunk, head and arms count\n";
  const char* const axes[] = {"ahead", "up", "right"};
  for (size_t a = 0; a < 3; ++a) {
    *out += fmt::format("  total_{}: {}\n", axes[a], write_numbers(s.total[a]));
  }
  for (size_t a = 0; a < 2; ++a) {
    *out += fmt::format("  moment_{}: {}\n", axes[2 * a], write_numbers(s.moment[a]));
  }
  *out += fmt::format("  phases: {}\n", write_numbers(std::array{s.phase_off, s.phase_strike}));
  *out += fmt::format("  pressure_along: {}\n  pressure_outward: {}\n",
                      write_numbers(s.pressure[0]), write_numbers(s.pressure[1]));
  *out += fmt::format("  share: {}\n  share_bias: {}\n", write_numbers(s.share),
                      write_numbers(s.share_bias));
  const char* const plane[] = {"ahead", "outward"};
  for (size_t a = 0; a < 2; ++a) {
    *out += fmt::format("  lead_{0}: {1}\n  trail_{0}: {2}\n", plane[a],
                        write_numbers(s.lead_ratio[a]), write_numbers(s.trail_ratio[a]));
  }
}

SignalModel read_signals(const InputNode& node) {
  node.allow({"upper_body", "total_ahead", "total_up", "total_right", "moment_ahead",
              "moment_right", "phases", "pressure_along", "pressure_outward", "share", "share_bias",
              "lead_ahead", "trail_ahead", "lead_outward", "trail_outward"});
  SignalModel s;
  if (const auto upper = node.find("upper_body")) s.upper_body = upper->flag();
  read_numbers(node.at("total_ahead"), &s.total[0]);
  read_numbers(node.at("total_up"), &s.total[1]);
  read_numbers(node.at("total_right"), &s.total[2]);
  read_numbers(node.at("moment_ahead"), &s.moment[0]);
  read_numbers(node.at("moment_right"), &s.moment[1]);
  std::array<double, 2> phases{};
  read_numbers(node.at("phases"), &phases);
  s.phase_off = phases[0];
  s.phase_strike = phases[1];
  if (!(phases[0] > 0.02 && phases[0] < 0.48 && phases[1] > 0.52 && phases[1] < 0.98)) {
    node.at("phases").fail("expected two phases, 0.02 to 0.48 and 0.52 to 0.98");
  }
  read_numbers(node.at("pressure_along"), &s.pressure[0]);
  read_numbers(node.at("pressure_outward"), &s.pressure[1]);
  read_numbers(node.at("share"), &s.share);
  read_numbers(node.at("share_bias"), &s.share_bias);
  read_numbers(node.at("lead_ahead"), &s.lead_ratio[0]);
  read_numbers(node.at("lead_outward"), &s.lead_ratio[1]);
  read_numbers(node.at("trail_ahead"), &s.trail_ratio[0]);
  read_numbers(node.at("trail_outward"), &s.trail_ratio[1]);
  return s;
}

void write_table(const char* name, const ModelTable& table, std::string* out) {
  *out += fmt::format("{}:\n  band_growth: {:.4g}\n", name, table.band_growth);
  for (int o = 0; o < kOutputs; ++o) {
    const OutputModel& m = table.outputs[static_cast<size_t>(o)];
    *out += fmt::format("  {}:\n    mean: {}\n    slope: {}\n    a: {}\n    b: {}\n    band: {}\n",
                        name_of_output(o), write_numbers(m.mean), write_numbers(m.slope),
                        write_numbers(m.a), write_numbers(m.b),
                        write_numbers(table.band[static_cast<size_t>(o)]));
    for (size_t q = 0; q < m.gains.size(); ++q) {
      *out += fmt::format("    {}: {}\n", name_of_signal(o, static_cast<int>(q)),
                          write_numbers(m.gains[q]));
    }
  }
}

ModelTable read_table(const InputNode& node) {
  ModelTable table;
  std::vector<std::string_view> keys = {"band_growth"};
  for (int o = 0; o < kOutputs; ++o) keys.emplace_back(name_of_output(o));
  node.allow(keys);
  table.band_growth = node.at("band_growth").non_negative(dimension::kNumber);
  for (int o = 0; o < kOutputs; ++o) {
    const InputNode entry = node.at(name_of_output(o));
    OutputModel& m = table.outputs[static_cast<size_t>(o)];
    std::vector<std::string_view> known = {"mean", "slope", "a", "b", "band"};
    m.gains.resize(static_cast<size_t>(signals_of(o)));
    for (int q = 0; q < signals_of(o); ++q) known.emplace_back(name_of_signal(o, q));
    entry.allow(known);
    read_numbers(entry.at("mean"), &m.mean);
    read_numbers(entry.at("slope"), &m.slope);
    read_numbers(entry.at("a"), &m.a);
    read_numbers(entry.at("b"), &m.b);
    read_numbers(entry.at("band"), &table.band[static_cast<size_t>(o)]);
    for (int q = 0; q < signals_of(o); ++q) {
      read_numbers(entry.at(name_of_signal(o, q)), &m.gains[static_cast<size_t>(q)]);
    }
  }
  return table;
}

std::string write_range(const Range& range) {
  return write_numbers(std::array{range.low, range.high});
}
Range read_range(const InputNode& node) {
  std::array<double, 2> values{};
  read_numbers(node, &values);
  return {values[0], values[1]};
}

std::string write_vector(const Vec3d& v) {
  return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", v.x(), v.y(), v.z());
}

void write_cluster(const std::string& name, const Cluster& cluster, std::string* out) {
  *out += fmt::format("  {}:\n", name);
  for (size_t i = 0; i < cluster.roles.size(); ++i) {
    *out += fmt::format("    {}: {}\n", cluster.roles[i], write_vector(cluster.points[i]));
  }
}

Cluster read_cluster(const InputNode& node) {
  Cluster cluster;
  for (const auto& [role, value] : node.entries()) {
    if (!is_role(role)) value.fail("no marker that forces from motion know");
    cluster.roles.push_back(role);
    cluster.points.push_back(value.vector(dimension::kLength));
  }
  return cluster;
}

struct ErrorRow {
  const char* key;
  ErrorFigures PopulationFigures::*member;
};
constexpr ErrorRow kErrorRows[] = {{"own", &PopulationFigures::own},
                                   {"own_fair", &PopulationFigures::own_fair},
                                   {"own_mean", &PopulationFigures::own_mean},
                                   {"stranger", &PopulationFigures::stranger},
                                   {"stranger_fair", &PopulationFigures::stranger_fair},
                                   {"stranger_mean", &PopulationFigures::stranger_mean}};
struct GainRow {
  const char* key;
  double PopulationFigures::*member;
};
constexpr GainRow kGainRows[] = {
    {"gain_own", &PopulationFigures::gain_own},
    {"gain_own_placebo", &PopulationFigures::gain_own_placebo},
    {"gain_stranger", &PopulationFigures::gain_stranger},
    {"gain_stranger_placebo", &PopulationFigures::gain_stranger_placebo}};

void read_figures(const InputNode& node, PopulationFigures* f) {
  std::vector<std::string_view> keys = {"people"};
  for (const ErrorRow& row : kErrorRows) keys.emplace_back(row.key);
  for (const GainRow& row : kGainRows) keys.emplace_back(row.key);
  node.allow(keys);
  f->people = node.at("people").integer(1, 1000000);
  for (const ErrorRow& row : kErrorRows) {
    ErrorFigures& e = f->*row.member;
    e = {kMissing, kMissing, kMissing, kMissing};
    const auto entry = node.find(row.key);
    if (!entry) continue;
    std::array<double, 4> v{};
    read_numbers(*entry, &v);
    e = {v[0], v[1], v[2], v[3]};
  }
  for (const GainRow& row : kGainRows) {
    const auto entry = node.find(row.key);
    f->*row.member = entry ? entry->number(dimension::kNumber) : kMissing;
  }
}

constexpr const char* kSides[] = {"right", "left"};

void write_body(const Body& body, std::string* out) {
  *out += fmt::format(
      "body:\n  leg_length: {:.6g} m\n  pelvis_height: {:.6g} m\n  foot_length: {:.6g} m\n"
      "  foot_width: {:.6g} m\n  pelvis_center: {}\n  up: {}\n  floor: {:.6g} m\n  recording: {}\n",
      body.leg_length, body.pelvis_height, body.foot_length, body.foot_width,
      write_vector(body.pelvis_center), write_vector(body.up_W), body.floor, quote(body.digest));
  write_cluster("pelvis", body.pelvis, out);
  for (size_t s = 0; s < 2; ++s) {
    const std::pair<const char*, Vec3d> points[] = {
        {"hip", body.hip[s]},         {"knee", body.knee[s]},   {"ankle", body.ankle[s]},
        {"toe_tip", body.toe_tip[s]}, {"inner", body.inner[s]}, {"outer", body.outer[s]}};
    for (const auto& [name, p] : points) {
      *out += fmt::format("  {}_{}: {}\n", kSides[s], name, write_vector(p));
    }
    write_cluster(fmt::format("{}_shank", kSides[s]), body.shank[s], out);
    write_cluster(fmt::format("{}_foot", kSides[s]), body.foot[s], out);
  }
  *out += "  standing:\n";
  for (const Body::Standing& s : body.standing) {
    *out += fmt::format("    {}: {}\n", s.role, write_vector(s.p_W));
  }
}

Body read_body(const InputNode& node) {
  Body body;
  body.leg_length = node.at("leg_length").positive(dimension::kLength);
  body.pelvis_height = node.at("pelvis_height").positive(dimension::kLength);
  body.foot_length = node.at("foot_length").positive(dimension::kLength);
  body.foot_width = node.at("foot_width").positive(dimension::kLength);
  body.pelvis_center = node.at("pelvis_center").vector(dimension::kLength);
  body.pelvis = read_cluster(node.at("pelvis"));
  body.up_W = node.at("up").vector(dimension::kNumber);
  body.floor = node.at("floor").number(dimension::kLength);
  body.digest = node.at("recording").text();
  std::vector<std::string> keys = {"leg_length",    "pelvis_height", "foot_length", "foot_width",
                                   "pelvis_center", "pelvis",        "standing",    "up",
                                   "floor",         "recording"};
  for (size_t s = 0; s < 2; ++s) {
    const std::pair<const char*, Vec3d*> points[] = {
        {"hip", &body.hip[s]},         {"knee", &body.knee[s]},   {"ankle", &body.ankle[s]},
        {"toe_tip", &body.toe_tip[s]}, {"inner", &body.inner[s]}, {"outer", &body.outer[s]}};
    for (const auto& [name, p] : points) {
      keys.push_back(fmt::format("{}_{}", kSides[s], name));
      *p = node.at(keys.back()).vector(dimension::kLength);
    }
    keys.push_back(fmt::format("{}_shank", kSides[s]));
    body.shank[s] = read_cluster(node.at(keys.back()));
    keys.push_back(fmt::format("{}_foot", kSides[s]));
    body.foot[s] = read_cluster(node.at(keys.back()));
  }
  for (const auto& [role, value] : node.at("standing").entries()) {
    if (!is_role(role)) value.fail("no marker that forces from motion know");
    body.standing.push_back({role, value.vector(dimension::kLength)});
  }
  node.allow(std::vector<std::string_view>(keys.begin(), keys.end()));
  return body;
}

}  // namespace

std::string make_population_yaml(const Population& p) {
  std::string out = fmt::format(
      "# Ground forces from motion alone: what these people taught. Made by vesica forces train.\n"
      "vesica: 1\nforces_population: {}\nsource: {}\npeople: {}\n"
      "recordings: {}\nwalks: {}\nstances: {}\nmean_speed: {:.6g}\n",
      quote(p.title), quote(p.source), write_list(p.people), write_list(p.recordings), p.walks,
      p.stances, p.mean_speed);
  out += fmt::format(
      "trained:  # speed / sqrt(g leg), step length / leg, |right - left| / mean, of stance\n"
      "  speed: {}\n  step_length: {}\n  asymmetry: {}\n  double_support: {}\n"
      "  leg_length: {}  # m\n  markers: {}\n",
      write_range(p.speed), write_range(p.step_length), write_range(p.asymmetry),
      write_range(p.double_support), write_range(p.leg_length), write_list(p.markers));
  if (p.figures.people > 0) {
    const PopulationFigures& f = p.figures;
    out += fmt::format(
        "left_out:  # people who were left out: mean errors, %: force, centre of pressure,\n"
        "           # fore-aft, lateral; what motion takes off the error of curves, %, and the\n"
        "           # same with forces reversed in time. Nothing where nothing could be judged\n"
        "  people: {}\n",
        f.people);
    for (const ErrorRow& row : kErrorRows) {
      const ErrorFigures& e = f.*row.member;
      if (!std::isfinite(e.force + e.pressure + e.ahead + e.lateral)) continue;
      out += fmt::format("  {}: {}\n", row.key,
                         write_numbers(std::array{e.force, e.pressure, e.ahead, e.lateral}));
    }
    for (const GainRow& row : kGainRows) {
      if (std::isfinite(f.*row.member))
        out += fmt::format("  {}: {:.3g}\n", row.key, f.*row.member);
    }
  }
  write_signals(p.signals, &out);
  write_table("own", p.own, &out);
  write_table("stranger", p.stranger, &out);
  out += fmt::format("free_moment:\n  mean: {}\n  band: {}\n", write_numbers(p.free_moment),
                     write_numbers(p.free_moment_band));
  return out;
}

bool is_population(const InputFile& file) {
  return file.root().is_map() && file.root().find("forces_population").has_value();
}

Population read_population(const InputFile& file) {
  const InputNode root = file.root();
  root.allow({"vesica", "forces_population", "source", "people", "recordings", "walks", "stances",
              "mean_speed", "trained", "left_out", "signals", "own", "stranger", "free_moment"});
  Population p;
  p.title = root.at("forces_population").text();
  p.source = root.at("source").text();
  p.people = read_list(root.at("people"));
  p.recordings = read_list(root.at("recordings"));
  p.walks = root.at("walks").integer(1, 1000000);
  p.stances = root.at("stances").integer(1, 10000000);
  p.mean_speed = root.at("mean_speed").positive(dimension::kNumber);
  const InputNode trained = root.at("trained");
  trained.allow({"speed", "step_length", "asymmetry", "double_support", "leg_length", "markers"});
  p.speed = read_range(trained.at("speed"));
  p.step_length = read_range(trained.at("step_length"));
  p.asymmetry = read_range(trained.at("asymmetry"));
  p.double_support = read_range(trained.at("double_support"));
  p.leg_length = read_range(trained.at("leg_length"));
  p.markers = read_list(trained.at("markers"));
  std::sort(p.markers.begin(), p.markers.end());
  if (const auto node = root.find("left_out")) {
    read_figures(*node, &p.figures);
  }
  p.signals = read_signals(root.at("signals"));
  p.own = read_table(root.at("own"));
  p.stranger = read_table(root.at("stranger"));
  root.at("free_moment").allow({"mean", "band"});
  read_numbers(root.at("free_moment").at("mean"), &p.free_moment);
  read_numbers(root.at("free_moment").at("band"), &p.free_moment_band);
  return p;
}

Population load_population(const std::string& path) {
  const InputFile file = InputFile::load(path);
  if (!is_population(file)) {
    throw InputError(path +
                     ": no population of ground forces (key 'forces_population'); train one "
                     "(vesica forces train), or leave --population out");
  }
  Population p = read_population(file);
  p.digest = calc_file_sha256(path).substr(0, 16);
  return p;
}

std::string make_calibration_yaml(const Calibration& c) {
  std::string out = fmt::format(
      "# One person on force plates, for forces from motion. Made by vesica forces calibrate.\n"
      "vesica: 1\nforces_calibration: {}\npopulation: {}\npopulation_digest: {}\ntrials: {}\n"
      "recordings: {}\nstances: {}\nstances_right: {}\nstances_left: {}\nweight: {:.6g} "
      "N\nweight_spread: {:.4g} N\nfloor_slope: {}\n"
      "floor_height: {:.6g} m\nspeed: {:.6g}\n",
      quote(c.title), quote(c.population_title), quote(c.population_digest), write_list(c.trials),
      write_list(c.recordings), c.stances, c.side_stances[kRight], c.side_stances[kLeft], c.weight,
      c.weight_spread, write_vector(c.slope_W), c.floor_height, c.means.speed);
  for (size_t s = 0; s < 2; ++s) {
    out += fmt::format("{}:\n", kSides[s]);
    for (int o = 0; o < kOutputs; ++o) {
      const auto i = static_cast<size_t>(o);
      out += fmt::format("  {}:\n    a: {}\n    mean: {}\n", name_of_output(o),
                         write_numbers(c.curves[s][i]), write_numbers(c.means.mean[s][i]));
    }
  }
  write_body(c.body, &out);
  return out;
}

bool is_calibration(const InputFile& file) {
  return file.root().is_map() && file.root().find("forces_calibration").has_value();
}

Calibration read_calibration(const InputFile& file) {
  const InputNode root = file.root();
  root.allow({"vesica", "forces_calibration", "population", "population_digest", "trials",
              "recordings", "stances", "stances_right", "stances_left", "weight", "weight_spread",
              "floor_slope", "floor_height", "speed", "right", "left", "body"});
  Calibration c;
  c.title = root.at("forces_calibration").text();
  c.population_title = root.at("population").text();
  c.population_digest = root.at("population_digest").text();
  c.trials = read_list(root.at("trials"));
  c.recordings = read_list(root.at("recordings"));
  c.stances = root.at("stances").integer(1, 1000000);
  for (size_t s = 0; s < 2; ++s) {
    const auto count = root.find(s == kRight ? "stances_right" : "stances_left");
    if (count) c.side_stances[s] = static_cast<int>(count->integer(-1, 1000000));
  }
  c.weight = root.at("weight").positive(dimension::kForce);
  c.weight_spread = root.at("weight_spread").non_negative(dimension::kForce);
  c.slope_W = root.at("floor_slope").vector(dimension::kNumber);
  c.floor_height = root.at("floor_height").number(dimension::kLength);
  c.means.speed = root.at("speed").positive(dimension::kNumber);
  for (size_t s = 0; s < 2; ++s) {
    const InputNode side = root.at(kSides[s]);
    for (int o = 0; o < kOutputs; ++o) {
      const InputNode entry = side.at(name_of_output(o));
      entry.allow({"a", "mean"});
      read_numbers(entry.at("a"), &c.curves[s][static_cast<size_t>(o)]);
      read_numbers(entry.at("mean"), &c.means.mean[s][static_cast<size_t>(o)]);
    }
  }
  c.body = read_body(root.at("body"));
  return c;
}

Calibration load_calibration(const std::string& path) {
  const InputFile file = InputFile::load(path);
  if (!is_calibration(file)) {
    throw InputError(path +
                     ": no calibration (key 'forces_calibration'); make one with vesica "
                     "forces calibrate, or write 'population' to predict without plates");
  }
  return read_calibration(file);
}

}  // namespace vesica::forces
