// The page of feet of several people: pooled errors, each person's, remarks.
#pragma once

#include <string>

#include "vesica/identification/foot_people.h"

namespace vesica {

// Each person has a page too, at NAME/report.html beside this one.
std::string make_people_page(const FootPeople& people, const std::string& subtitle);

}  // namespace vesica
