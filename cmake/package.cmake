# Binary packages (make package): a .deb and a tarball of what `cmake --install` installs, for
# people who do not compile. Both are for machines like Debian 12; the .deb names the libraries
# that it needs.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_NAME vesica)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "Vesica developers")
set(CPACK_PACKAGE_CONTACT "Vesica developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME vesica-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

# The description says which processors will do, and the tool refuses on the others (its first
# vector instruction would end it with "Illegal instruction").
string(REPLACE "-march=" "" vesica_arch "${VESICA_ARCH_FLAGS}")
set(needs_processor "Runs on every ${CMAKE_SYSTEM_PROCESSOR} processor.")
if(vesica_arch STREQUAL "x86-64-v3")
  string(CONCAT needs_processor "Compiled for x86-64-v3: needs a processor with AVX2, FMA and BMI2 "
         "(Intel since 2013, AMD since 2015).")
elseif(vesica_arch)
  set(needs_processor "Compiled for ${vesica_arch}: needs a processor of that kind.")
endif()
string(CONCAT CPACK_PACKAGE_DESCRIPTION "Contact forces from the volume that two bodies share: "
       "library, command-line tool and scenes for simulating human motion and robot tasks.\n"
       "${needs_processor}")
if(TARGET vesica_app)
  # Only the libraries that the tool calls, not all that theirs were built with: a short Depends.
  target_link_options(vesica_app PRIVATE LINKER:--as-needed)
  if(vesica_arch MATCHES "^x86-64-v[234]$")
    set(check ${CMAKE_CURRENT_LIST_DIR}/processor_check.cpp)
    target_sources(vesica_app PRIVATE ${check})
    set_source_files_properties(${check} TARGET_DIRECTORY vesica_app PROPERTIES
      COMPILE_OPTIONS "-march=x86-64"  # the later one counts: this file must run everywhere
      COMPILE_DEFINITIONS "VESICA_ARCH=\"${vesica_arch}\"" SKIP_PRECOMPILE_HEADERS ON)
  endif()
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Programs that use the library need the headers that its own include.
file(STRINGS ${PROJECT_SOURCE_DIR}/tools/packages/build.txt development REGEX "-dev$")
list(REMOVE_ITEM development libcli11-dev)
list(JOIN development ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/vesica
        RENAME copyright)
include(CPack)
