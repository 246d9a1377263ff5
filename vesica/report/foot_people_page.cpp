#include "vesica/report/foot_people_page.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/report/html_page.h"

namespace vesica {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string in_percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "";
}

const FootPooled* find_pooled(const std::vector<FootPooled>& all, const std::string& kind,
                              const std::string& speed) {
  for (const FootPooled& p : all) {
    if (p.kind == kind && p.speed == speed) return &p;
  }
  return nullptr;
}

Rows make_pooled_rows(const FootPeople& people) {
  Rows rows;
  for (const FootPooled& p : people.pooled) {
    const bool given = p.kind == "imposed", curve = p.kind == "mean_curve";
    rows.push_back({p.kind, p.speed, fmt::format("{}", p.people), fmt::format("{}", p.stances),
                    given ? "given" : in_percent(p.force), given ? "" : in_percent(p.worst_force),
                    given || curve ? "" : fmt::format("{}", p.better_force), in_percent(p.cop),
                    in_percent(p.worst_cop), curve ? "" : fmt::format("{}", p.better_cop)});
  }
  return rows;
}

// Over all speeds, force / point.
Rows make_person_rows(const FootPeople& people) {
  Rows rows;
  for (const FootPerson& person : people.people) {
    const std::vector<FootPooled> own = pool({person});
    std::vector<std::string> row{person.name, fmt::format("{:.0f}", person.study.weight)};
    const FootPooled* blind = find_pooled(own, "blind", "all");
    row.push_back(fmt::format("{}", blind == nullptr ? 0 : blind->stances));
    for (const char* kind : {"refitted", "blind", "mean_curve", "six_spheres", "imposed"}) {
      const FootPooled* p = find_pooled(own, kind, "all");
      if (p == nullptr) {
        row.emplace_back();
      } else if (p->kind == "imposed") {
        row.push_back(in_percent(p->cop));
      } else {
        row.push_back(in_percent(p->force) + " / " + in_percent(p->cop));
      }
    }
    row.emplace_back(person.study.converged ? "" : "a fit has not settled");
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string make_people_page(const FootPeople& people, const std::string& subtitle) {
  HtmlPage page(people.title.empty() ? "Feet of several people" : people.title, subtitle);
  if (people.interrupted) page.add_interruption();
  std::vector<std::string> findings;
  const FootPooled* blind = find_pooled(people.pooled, "blind", "all");
  const FootPooled* curve = find_pooled(people.pooled, "mean_curve", "all");
  const FootPooled* given = find_pooled(people.pooled, "imposed", "all");
  if (blind != nullptr && curve != nullptr) {
    findings.push_back(fmt::format(
        "Blind, the contact foretells the force of other stances to {} %, the mean curve of the "
        "calibrating ones to {} %; it is better in {} of {} people.",
        in_percent(blind->force), in_percent(curve->force), blind->better_force, blind->people));
  }
  if (given != nullptr && curve != nullptr) {
    findings.push_back(fmt::format(
        "With the force given, it foretells where it acts to {} % of 0.2 m, the mean curve to {} "
        "%; it is better in {} of {} people.",
        in_percent(given->cop), in_percent(curve->cop), given->better_cop, given->people));
  }
  page.add_findings(findings, "No stance was left to foretell.");
  page.add_heading(
      "All people",
      "Means over a person's stances, then over people, in per cent of body weight and of 0.2 m. "
      "Worst: of a person. Better: people in whom it is below their own mean curve. Speed against "
      "the calibrating walks.");
  page.add_table({"what", "speed", "people", "stances", "force %", "worst %", "better",
                  "centre of pressure %", "worst %", "better"},
                 make_pooled_rows(people), {1});
  page.add_heading("Each person",
                   "Over all speeds, force / centre of pressure; imposed: centre of pressure. Each "
                   "has a page of its own, NAME/report.html.");
  page.add_table({"person", "weight N", "stances", "refitted", "blind", "mean curve", "six spheres",
                  "imposed", "note"},
                 make_person_rows(people), {8});
  page.add_heading("Remarks");
  for (const std::string& remark : people.remarks) page.add_text(remark);
  for (const FootPerson& person : people.people) {
    for (const std::string& remark : person.study.remarks) {
      page.add_text(person.name + ": " + remark);
    }
  }
  return page.as_html();
}

}  // namespace vesica
