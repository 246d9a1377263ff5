// The part of Open MPI's binary interface that studies/mpi.cpp declares for itself, against its
// header; compiled where that is installed.
#if __has_include(<mpi.h>)
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#include "vesica/studies/mpi_interface.h"

#ifdef OPEN_MPI
namespace vesica::studies::mpi_interface_test {
namespace {

static_assert(std::is_pointer_v<MPI_Comm> && std::is_pointer_v<MPI_Datatype>);
static_assert(sizeof(mpi::Status) == sizeof(MPI_Status));
static_assert(offsetof(mpi::Status, source) == offsetof(MPI_Status, MPI_SOURCE));
static_assert(offsetof(mpi::Status, tag) == offsetof(MPI_Status, MPI_TAG));
static_assert(offsetof(mpi::Status, error) == offsetof(MPI_Status, MPI_ERROR));
static_assert(mpi::kThreadFunneled == MPI_THREAD_FUNNELED);
static_assert(mpi::kAnySource == MPI_ANY_SOURCE);

// The same arguments, pointers for pointers.
template <class T>
using Plain = std::conditional_t<std::is_pointer_v<T>, const void*, T>;
template <class... A, class... B>
constexpr bool is_same_call(int (*)(A...), int (*)(B...)) {
  if constexpr (sizeof...(A) == sizeof...(B)) {
    return (std::is_same_v<Plain<A>, Plain<B>> && ...);
  }
  return false;
}

TEST(MpiInterface, IsTheOneOfTheHeader) {
  const mpi::Functions f;
  EXPECT_TRUE(is_same_call(f.init_thread, static_cast<decltype(&MPI_Init_thread)>(nullptr)));
  EXPECT_TRUE(is_same_call(f.finalize, static_cast<decltype(&MPI_Finalize)>(nullptr)));
  EXPECT_TRUE(is_same_call(f.comm_rank, static_cast<decltype(&MPI_Comm_rank)>(nullptr)));
  EXPECT_TRUE(is_same_call(f.comm_size, static_cast<decltype(&MPI_Comm_size)>(nullptr)));
  EXPECT_TRUE(is_same_call(f.send, static_cast<decltype(&MPI_Send)>(nullptr)));
  EXPECT_TRUE(is_same_call(f.receive, static_cast<decltype(&MPI_Recv)>(nullptr)));
  EXPECT_TRUE(is_same_call(f.probe, static_cast<decltype(&MPI_Iprobe)>(nullptr)));
  EXPECT_TRUE(is_same_call(f.get_count, static_cast<decltype(&MPI_Get_count)>(nullptr)));
}

}  // namespace
}  // namespace vesica::studies::mpi_interface_test
#endif
#else
#include <gtest/gtest.h>

TEST(MpiInterface, IsTheOneOfTheHeader) { GTEST_SKIP() << "no Open MPI to compile with"; }
#endif
