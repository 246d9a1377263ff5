#include "vesica/identification/foot_people.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "vesica/identification/foot_study_file.h"
#include "vesica/math/parallel.h"

namespace vesica {
namespace {

using foot_detail::FootPlan;

// A person's mean over stances of both feet; none: no stance.
struct OfPerson {
  int stances = 0;
  double force = 0, cop = 0;
};
OfPerson calc_mean(const FootStudy& study, const std::string& kind, const std::string& speed) {
  OfPerson sum;
  for (const FootGroup& g : study.groups) {
    if (g.kind != kind || (speed != "all" && g.speed != speed)) continue;
    sum.stances += g.stances;
    sum.force += g.stances * g.errors.force;
    sum.cop += g.stances * g.errors.cop;
  }
  if (sum.stances > 0) {
    sum.force /= sum.stances;
    sum.cop /= sum.stances;
  }
  return sum;
}

}  // namespace

std::vector<FootPooled> pool(const std::vector<FootPerson>& people) {
  std::vector<FootPooled> out;
  for (const char* kind : {"refitted", "blind", "mean_curve", "six_spheres", "imposed"}) {
    for (const char* speed : {"same", "faster", "slower", "all"}) {
      FootPooled sum{.kind = kind, .speed = speed};
      for (const FootPerson& person : people) {
        const OfPerson one = calc_mean(person.study, kind, speed);
        if (one.stances == 0) continue;
        const OfPerson curve = calc_mean(person.study, "mean_curve", speed);
        ++sum.people;
        sum.stances += one.stances;
        sum.force += one.force;
        sum.cop += one.cop;
        sum.worst_force = std::max(sum.worst_force, one.force);
        sum.worst_cop = std::max(sum.worst_cop, one.cop);
        if (curve.stances > 0 && one.force < curve.force) ++sum.better_force;
        if (curve.stances > 0 && one.cop < curve.cop) ++sum.better_cop;
      }
      if (sum.people == 0) continue;
      sum.force /= sum.people;
      sum.cop /= sum.people;
      out.push_back(sum);
    }
  }
  return out;
}

bool is_foot_people(const InputFile& file) {
  const InputNode root = file.root();
  if (!root.is_map()) return false;
  const auto type = root.find("type");
  return type && type->is_scalar() && type->text() == "foot_people";
}

FootPeople run_foot_people(const InputFile& file, const std::function<void(double)>& progress,
                           const std::function<bool()>& stop, bool only_read, int threads) {
  const auto begin = std::chrono::steady_clock::now();
  const InputNode root = file.root();
  root.at("vesica").integer(1, 1);
  root.allow({"vesica", "type", "title", "description", "fit", "dynamics", "people"});
  FootPeople result;
  if (const auto title = root.find("title")) result.title = title->text();
  const std::vector<InputNode> nodes = root.at("people").items();
  if (nodes.empty()) root.at("people").fail("at least one person is needed");
  std::set<std::string> names;
  for (const InputNode& node : nodes) {
    node.allow({"name", "folder", "standing", "walks", "calibrate", "weight", "plate_scale"});
    const std::string name = node.at("name").text();
    const bool plain =
        !name.empty() && name.find_first_of("/\\") == std::string::npos && name.front() != '.';
    if (!plain) node.at("name").fail("a name is also that of a folder: no slash, no leading dot");
    if (!names.insert(name).second) node.at("name").fail("another person has this name");
    result.people.push_back({name, {}});
  }
  // Of all, before the first fit: what cannot be read is told at once.
  std::vector<FootPlan> plans;
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (stop && stop() && !only_read) {
      result.interrupted = true;
      return result;
    }
    try {
      plans.push_back(foot_detail::read_foot_plan(file, nodes[k], root));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", result.people[k].name, error.what()));
    }
    if (!root.find("dynamics")) plans.back().dynamics = false;
    plans.back().threads = plans.back().starts.threads = threads;
  }
  if (only_read) return result;
  const auto count = static_cast<int>(plans.size());
  std::vector<std::atomic<double>> parts(plans.size());
  std::vector<std::string> faults(plans.size());
  for_each_index(count, calc_thread_count(threads), [&](int k, int worker) {
    const auto at = static_cast<size_t>(k);
    FootPerson& person = result.people[at];
    const auto tell = [&](double part) {
      parts[at] = part;
      double sum = 0;
      for (const std::atomic<double>& one : parts) sum += one;
      if (progress && worker == 0) progress(sum / count);
    };
    try {
      person.study = foot_detail::run_foot_plan(plans[at], tell, stop);
    } catch (const InputError& error) {
      faults[at] = fmt::format("{} is left out: {}", person.name, error.what());
    }
    person.study.title = person.name;
  });
  for (size_t k = faults.size(); k-- > 0;) {
    if (faults[k].empty()) continue;
    result.remarks.insert(result.remarks.begin(), faults[k]);
    result.people.erase(result.people.begin() + static_cast<std::ptrdiff_t>(k));
  }
  if (result.people.empty()) {
    root.at("people").fail(fmt::format("nobody is left:\n  {}", fmt::join(result.remarks, "\n  ")));
  }
  for (const FootPerson& person : result.people) {
    result.converged = result.converged && person.study.converged;
    result.interrupted = result.interrupted || person.study.interrupted;
  }
  result.pooled = pool(result.people);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

nlohmann::ordered_json make_people_json(const FootPeople& people) {
  using Json = nlohmann::ordered_json;
  const auto percent = [](double share) {
    return std::isfinite(share) ? Json(100 * share) : Json(nullptr);
  };
  Json json{{"type", "foot_people"}};
  if (!people.title.empty()) json["title"] = people.title;
  if (people.interrupted) json["interrupted"] = true;
  json["pooled"] = Json::array();
  for (const FootPooled& p : people.pooled) {
    json["pooled"].push_back(
        {{"kind", p.kind},
         {"speed", p.speed},
         {"people", p.people},
         {"stances", p.stances},
         {"force_error_percent", percent(p.force)},
         {"cop_error_percent", percent(p.cop)},
         {"worst_force_error_percent", percent(p.worst_force)},
         {"worst_cop_error_percent", percent(p.worst_cop)},
         {"people_better_than_mean_curve", {{"force", p.better_force}, {"cop", p.better_cop}}}});
  }
  json["people"] = Json::array();
  for (const FootPerson& person : people.people) {
    const Json whole = make_foot_json(person.study);
    Json row{{"name", person.name}};
    for (const char* key : {"weight", "floor", "calibration", "placebo", "joint", "groups",
                            "verdicts", "remarks", "converged", "seconds"}) {
      row[key] = whole[key];
    }
    json["people"].push_back(row);
  }
  json["remarks"] = people.remarks;
  json["converged"] = people.converged;
  json["seconds"] = people.seconds;
  return json;
}

}  // namespace vesica
