// The foot of several people, each from recordings of their own (`vesica identify` with
// `type: foot_people`), and what their studies say together.
//
// Every person is a study of its own (foot_study.h). Errors are pooled as means over a person's
// stances, both feet together, then over people; beside a mean stands in how many people the kind
// is better than the mean curve.
#pragma once

#include "vesica/identification/foot_study.h"

namespace vesica {

struct FootPerson {
  std::string name;
  FootStudy study;
};

// Over people who have stances of that kind at that speed (same, faster, slower than their
// calibrating walks; all).
struct FootPooled {
  std::string kind, speed;
  int people = 0, stances = 0;
  double force = 0, cop = 0;              // means over people
  double worst_force = 0, worst_cop = 0;  // of a person
  int better_force = 0, better_cop = 0;   // people in whom it is below their mean curve
};

struct FootPeople {
  std::string title;
  std::vector<FootPerson> people;
  std::vector<FootPooled> pooled;
  std::vector<std::string> remarks;  // who was left out, and why
  bool converged = true;
  bool interrupted = false;  // told to stop: what is here was done until then
  double seconds = 0;
};

bool is_foot_people(const InputFile& file);

// Wrong input is an InputError with file and line; of recordings it names the person. A person who
// turns out to have no stance that can be fitted is left out, and told. `only_read`: nothing is
// fitted.
FootPeople run_foot_people(const InputFile& file, const std::function<void(double)>& progress,
                           const std::function<bool()>& stop, bool only_read = false,
                           int threads = 0);

std::vector<FootPooled> pool(const std::vector<FootPerson>& people);

// Pooled means; of every person weight, means by speed, remarks, verdicts.
nlohmann::ordered_json make_people_json(const FootPeople& people);

}  // namespace vesica
