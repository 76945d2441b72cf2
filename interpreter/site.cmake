# The target `site`: the manual as a site, and the reference of the installed C++ headers in its folder cpp.
set(site ${CMAKE_BINARY_DIR}/site)
set(headers ${CMAKE_BINARY_DIR}/site_headers)
add_custom_target(site COMMAND tide manual ${site} --html USES_TERMINAL VERBATIM)
find_program(DOXYGEN doxygen)
if(DOXYGEN)
  add_custom_command(
    TARGET site POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DCMAKE_INSTALL_PREFIX=${headers} -DTIDE_SOURCES=${CMAKE_SOURCE_DIR}
            -P ${CMAKE_SOURCE_DIR}/interpreter/install_headers.cmake
    COMMAND ${CMAKE_COMMAND} -E env TIDE_SITE=${site} TIDE_HEADERS=${headers}/include/tide
            ${DOXYGEN} ${CMAKE_SOURCE_DIR}/docs/Doxyfile
    VERBATIM)
endif()
