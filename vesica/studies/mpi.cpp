// Why by dlopen, and without mpi.h: whoever installs the tool does not get MPI with it (Debian's
// libopenmpi3 brings some 40 packages), and whoever builds it needs no headers; where mpirun is,
// the library is too. What is used of its binary interface is below, the one of libmpi.so.40 (Open
// MPI 2 to 5); tests/studies/mpi_interface_test.cpp compares it with the header.
#include "vesica/studies/mpi.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "vesica/error.h"
#include "vesica/studies/mpi_interface.h"

namespace vesica::studies {
namespace {

class OpenMpi final : public MpiSession {
 public:
  OpenMpi() {
    // Global: the components that the library loads look for its symbols.
    library_ = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
    if (library_ == nullptr) {
      throw RunError(
          fmt::format("started by mpirun, but Open MPI's libmpi.so.40 cannot be loaded: {}; "
                      "other MPIs are not supported: run it as a job array instead",
                      dlerror()));
    }
    load("MPI_Init_thread", &f_.init_thread);
    load("MPI_Finalize", &f_.finalize);
    load("MPI_Comm_rank", &f_.comm_rank);
    load("MPI_Comm_size", &f_.comm_size);
    load("MPI_Send", &f_.send);
    load("MPI_Recv", &f_.receive);
    load("MPI_Iprobe", &f_.probe);
    load("MPI_Get_count", &f_.get_count);
    world_ = find("ompi_mpi_comm_world");
    words_ = find("ompi_mpi_uint64_t");
    int provided = 0;
    check(f_.init_thread(nullptr, nullptr, mpi::kThreadFunneled, &provided), "MPI_Init_thread");
    check(f_.comm_rank(world_, &rank_), "MPI_Comm_rank");
    check(f_.comm_size(world_, &size_), "MPI_Comm_size");
  }
  ~OpenMpi() override { f_.finalize(); }  // the library stays: it has threads and exit handlers

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int to, const std::vector<std::uint64_t>& words) override {
    check(f_.send(words.data(), static_cast<int>(words.size()), words_, to, 0, world_), "MPI_Send");
  }
  bool receive(int* from, std::vector<std::uint64_t>* words) override {
    int is_there = 0, count = 0;
    mpi::Status status = {};
    check(f_.probe(mpi::kAnySource, 0, world_, &is_there, &status), "MPI_Iprobe");
    if (is_there == 0) return false;
    check(f_.get_count(&status, words_, &count), "MPI_Get_count");
    words->resize(static_cast<size_t>(count));
    *from = status.source;
    check(f_.receive(words->data(), count, words_, *from, 0, world_, &status), "MPI_Recv");
    return true;
  }

 private:
  void* find(const char* name) {
    void* symbol = dlsym(library_, name);
    if (symbol == nullptr) throw RunError(fmt::format("Open MPI has no {}: {}", name, dlerror()));
    return symbol;
  }
  template <class F>
  void load(const char* name, F* function) {
    *function = reinterpret_cast<F>(find(name));
  }
  static void check(int status, const char* what) {
    if (status != 0) throw RunError(fmt::format("{} failed with status {}", what, status));
  }

  void* library_ = nullptr;
  mpi::Functions f_;
  void *world_ = nullptr, *words_ = nullptr;
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::unique_ptr<MpiSession> join_mpi() {
  // Set by Open MPI's launchers (mpirun, and srun through PMIx with its own variables).
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  const bool by_slurm =
      std::getenv("PMIX_RANK") != nullptr && std::getenv("SLURM_NTASKS") != nullptr;
  if (size == nullptr && !by_slurm) {
    if (std::getenv("PMI_SIZE") != nullptr && std::atoi(std::getenv("PMI_SIZE")) > 1 &&
        std::getenv("SLURM_JOB_ID") == nullptr) {
      throw RunError(
          "started by an mpirun that is not Open MPI's; only Open MPI is supported: run it as a "
          "job "
          "array instead");
    }
    return nullptr;
  }
  return std::make_unique<OpenMpi>();
}

}  // namespace vesica::studies
