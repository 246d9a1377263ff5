// One contact at one instant: everything about it. The file is described in docs/howto/probe.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "vesica/contact/contact.h"
#include "vesica/io/yaml.h"
#include "vesica/model/model.h"

namespace vesica {

struct ProbeCase {
  std::string title;
  Contact<double> contact;
  Motion<double> i, j;
  ContactMemory<double> memory;
};

ProbeCase make_probe_case(const Case& model);
ProbeCase read_probe_case(const InputFile& file);

// The contract of the command line: world frame, SI.
nlohmann::ordered_json make_probe_json(const ProbeCase& probe, bool derivatives);

}  // namespace vesica
