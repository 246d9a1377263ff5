# Installs a build into a temporary prefix, then builds and runs a project that finds it there.
#   cmake -DBUILD=... -DSOURCE=... -DWORK=... -DGENERATOR=... -DCOMPILER=... -P run.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nexit status ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/package/project -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DEXAMPLES=${SOURCE}/examples)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/uses_vesica)
if(NOT output MATCHES "normal force +314\\.159 N")
  message(FATAL_ERROR "the installed library gave:\n${output}")
endif()

# The shared library: a scene built in code, and no names but its own.
run(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/uses_shared)
if(NOT output MATCHES "1\\.178")
  message(FATAL_ERROR "the shared library gave:\n${output}")
endif()
file(GLOB_RECURSE shared ${WORK}/prefix/*/libvesica.so)
run(nm --dynamic --defined-only --demangle ${shared})
string(REGEX REPLACE "[^\n]*vesica::[^\n]*\n" "" strangers "${output}")
if(NOT strangers STREQUAL "")
  message(FATAL_ERROR "libvesica.so shows names that are not its own:\n${strangers}")
endif()
# All that the static library has, templates too.
function(list_names library option result)
  run(nm ${option} --extern-only --defined-only ${library})
  string(REGEX MATCHALL "_ZNK?6vesica[^\n]*" names "${output}")
  list(REMOVE_DUPLICATES names)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()
file(GLOB_RECURSE static ${WORK}/prefix/*/libvesica.a)
list_names(${static} --format=bsd in_static)
list_names(${shared} --dynamic in_shared)
list(REMOVE_ITEM in_static ${in_shared})
if(NOT in_static STREQUAL "")
  list(LENGTH in_static count)
  list(SUBLIST in_static 0 5 some)
  message(FATAL_ERROR "libvesica.so hides ${count} names of its own: ${some}")
endif()

# The installed tool finds the scenes that were installed with it, from any folder.
if(EXISTS ${WORK}/prefix/bin/vesica)
  run(${CMAKE_COMMAND} -E chdir / ${WORK}/prefix/bin/vesica check heel_on_ground)
  if(NOT output MATCHES "${WORK}/prefix/share/vesica/scenes/heel_on_ground.yaml")
    message(FATAL_ERROR "the installed tool read another scene:\n${output}")
  endif()
endif()

file(REMOVE_RECURSE ${WORK})
