// Open MPI, where mpirun started this process; the library is looked for at run time, so that the
// tool needs none of it otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace vesica::studies {

class MpiSession {
 public:
  virtual ~MpiSession() = default;  // waits until all ranks are here
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(int to, const std::vector<std::uint64_t>& words) = 0;
  // The next message, whoever it is from; false: there is none yet.
  virtual bool receive(int* from, std::vector<std::uint64_t>* words) = 0;
};

// Null: not under mpirun. RunError where it is, and the library cannot be used. All calls from the
// thread that made it.
std::unique_ptr<MpiSession> join_mpi();

}  // namespace vesica::studies
