# What `cmake --install` installs, and the archive and the Debian package that `cpack` makes of it.
# Components: `cmake --install` installs `program` (tide, its plugins, the Lua module) and `development` (libtide). The
# archive holds `program` and `libraries` (system libraries that a bare machine lacks). The Debian package holds
# `program` and depends on packages for the libraries.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TIDE_PLUGIN_DIR lib/tide)

# install_with_libraries(TARGET FOLDER RPATH): DT_RPATH, unlike DT_RUNPATH, also applies to indirect dependencies, so
# the archive runs from any folder without LD_LIBRARY_PATH.
function(install_with_libraries target folder rpath)
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${rpath}")
  install(TARGETS ${target} DESTINATION ${folder} COMPONENT program)
endfunction()

install_with_libraries(tide bin "$ORIGIN/../${TIDE_PLUGIN_DIR}")
# A stock Lua looks for C modules in this folder of a prefix.
install_with_libraries(tide_module lib/lua/5.4 "$ORIGIN/../../tide")
set(installed_modules "$<TARGET_FILE:tide_module>")
foreach(plugin ${installed_plugins})
  install_with_libraries(${plugin} ${TIDE_PLUGIN_DIR} "$ORIGIN")
  list(APPEND installed_modules "$<TARGET_FILE:${plugin}>")
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# libtide for C++ programs: find_package(tide), then link tide::tide.
set_target_properties(tide_runtime PROPERTIES OUTPUT_NAME tide EXPORT_NAME tide)
target_compile_features(tide_runtime INTERFACE cxx_std_20)
target_include_directories(tide_runtime INTERFACE $<INSTALL_INTERFACE:include/tide>)
install(TARGETS tide_runtime EXPORT tideTargets ARCHIVE DESTINATION lib COMPONENT development)
install(EXPORT tideTargets NAMESPACE tide:: DESTINATION lib/cmake/tide COMPONENT development)
install(CODE "set(TIDE_SOURCES \"${CMAKE_SOURCE_DIR}\")" COMPONENT development)
install(SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/install_headers.cmake COMPONENT development)
# The program finds its plugins through its own run path, in any folder.
file(WRITE ${CMAKE_BINARY_DIR}/generated/tideConfig.cmake.in "@PACKAGE_INIT@
include(CMakeFindDependencyMacro)
find_dependency(Threads)

include(\${CMAKE_CURRENT_LIST_DIR}/tideTargets.cmake)
target_link_options(tide::tide INTERFACE \"LINKER:-rpath,@PACKAGE_TIDE_PLUGIN_DIR@\")
")
configure_package_config_file(
  ${CMAKE_BINARY_DIR}/generated/tideConfig.cmake.in ${CMAKE_BINARY_DIR}/generated/tideConfig.cmake
  INSTALL_DESTINATION lib/cmake/tide PATH_VARS TIDE_PLUGIN_DIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/tideConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/tideConfig.cmake
              ${CMAKE_BINARY_DIR}/generated/tideConfigVersion.cmake
        DESTINATION lib/cmake/tide COMPONENT development)

# All libraries except glibc, which the machine must have, and the licenses of everything included, also of the code
# linked into the program and the plugins.
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES
       EXECUTABLES $<TARGET_FILE:tide> MODULES ${installed_modules}
       RESOLVED_DEPENDENCIES_VAR libraries
       POST_EXCLUDE_REGEXES \"/lib(c|m|mvec|dl|rt|util|pthread|resolv)\\\\.so\" \"/ld-linux\")
  set(packages llvm-19-dev liblua5.4-dev libzstd-dev zlib1g-dev nlohmann-json3-dev)
  foreach(library IN LISTS libraries)
    # Only the file, under the requested name: Debian's alternatives are chains of links.
    get_filename_component(name \"\${library}\" NAME)
    get_filename_component(file \"\${library}\" REALPATH)
    file(INSTALL \"\${file}\" DESTINATION \${CMAKE_INSTALL_PREFIX}/${TIDE_PLUGIN_DIR}
         RENAME \"\${name}\")
    execute_process(COMMAND dpkg-query -S \"*/\${name}\" OUTPUT_VARIABLE owner ERROR_QUIET)
    string(REGEX MATCH \"^[^:,]+\" owner \"\${owner}\")
    list(APPEND packages \"\${owner}\")
  endforeach()
  list(REMOVE_DUPLICATES packages)
  foreach(package IN LISTS packages)
    if(EXISTS /usr/share/doc/\${package}/copyright)
      file(INSTALL /usr/share/doc/\${package}/copyright
           DESTINATION \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/\${package}
           FOLLOW_SYMLINK_CHAIN)
    endif()
  endforeach()
" COMPONENT libraries EXCLUDE_FROM_ALL)

# Every machine can unpack gzip; xz is a third smaller but takes 13 times as long.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME tide-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL program libraries)
# Read once per kind of package.
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/debian_package.cmake)
include(CPack)
