// How bad input and failures are reported, from any folder.
#pragma once

#include <stdexcept>
#include <string>

namespace vesica {

// Something the user gave cannot be used. The message names where (file, line, key), what was
// found, what was expected and what to do. The command line prints it and exits with status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Something went wrong while it ran: cause, place and remedy. What was recorded until then is kept;
// the command line exits with status 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace vesica
