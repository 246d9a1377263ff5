// What a user wants to know about a contact law before choosing it; printed by `vesica laws` and,
// through it, by the pages of docs/theory/laws. The laws' headers state the same equations.
#pragma once

#include <string>
#include <vector>

#include "vesica/model/law_tables.h"

namespace vesica {

struct LawSheet {
  enum class Kind { kNormal, kFriction, kOption };
  std::string name;
  Kind kind = Kind::kNormal;
  std::string summary;
  std::vector<std::string> equation;  // a line each
  std::string source;
  std::vector<ParameterRow> parameters = {};  // from the law's own table
  bool damped = false;                        // takes the keys of `restitution` too
  std::string smoothness;
  std::string cannot;
  std::string example;  // YAML, the value of `normal`, `friction` or of the option's own key
};

std::string kind_name(LawSheet::Kind kind);  // the key of a contact: normal, friction, option
const std::vector<LawSheet>& law_sheets();
const LawSheet& law_sheet(const std::string& name);  // throws InputError with the known names

}  // namespace vesica
