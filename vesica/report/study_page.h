// A page of a study: spread of the outputs, what matters, bands over time, best runs.
#pragma once

#include <string>

#include "vesica/studies/answers.h"

namespace vesica {

std::string make_study_page(const studies::Study& study, const studies::ResultTable& table,
                            const studies::Answers& answers);

}  // namespace vesica
