// The part of Open MPI's binary interface (libmpi.so.40) that mpi.cpp calls. Internal to studies/.
#pragma once

#include <cstddef>

namespace vesica::studies::mpi {

inline constexpr int kThreadFunneled = 1;
inline constexpr int kAnySource = -1;

struct Status {
  int source, tag, error, cancelled;
  size_t count;
};

// Communicators and types are pointers; MPI_COMM_WORLD is &ompi_mpi_comm_world, MPI_UINT64_T
// &ompi_mpi_uint64_t.
struct Functions {
  int (*init_thread)(int* argc, char*** argv, int required, int* provided) = nullptr;
  int (*finalize)() = nullptr;
  int (*comm_rank)(void* comm, int* rank) = nullptr;
  int (*comm_size)(void* comm, int* size) = nullptr;
  int (*send)(const void* data, int count, void* type, int to, int tag, void* comm) = nullptr;
  int (*receive)(void* data, int count, void* type, int from, int tag, void* comm,
                 Status* status) = nullptr;
  int (*probe)(int from, int tag, void* comm, int* flag, Status* status) = nullptr;
  int (*get_count)(const Status* status, void* type, int* count) = nullptr;
};

}  // namespace vesica::studies::mpi
