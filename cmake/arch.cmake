# The instruction set is part of the interface: Eigen's types change alignment with it, so users of
# the package must compile with the same flag. It is exported with the target.
set(VESICA_ARCH_FLAGS "")
if(VESICA_ARCH STREQUAL "auto")
  if(EXISTS /proc/cpuinfo AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
    if(cpu_flags MATCHES " avx2 " AND cpu_flags MATCHES " fma " AND cpu_flags MATCHES " bmi2 ")
      set(VESICA_ARCH_FLAGS -march=x86-64-v3)
    endif()
  endif()
elseif(VESICA_ARCH)
  set(VESICA_ARCH_FLAGS -march=${VESICA_ARCH})
endif()
message(STATUS "vesica: instruction set ${VESICA_ARCH_FLAGS}")
