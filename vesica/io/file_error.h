// Files and folders that cannot be read or written.
#pragma once

#include "vesica/error.h"

namespace vesica {

// A file or folder is not there, cannot be opened, read or written: the path, and why. It is an
// InputError where nobody asks for more; the command line exits with status 3, not 2.
class FileError : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace vesica
