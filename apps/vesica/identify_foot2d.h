// `vesica identify` with `type: foot2d`.
#pragma once

#include "apps/vesica/commands.h"
#include "vesica/io/yaml.h"

namespace vesica::app {

void run_foot2d(const InputFile& file, Common& common);

}  // namespace vesica::app
