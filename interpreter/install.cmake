# What `cmake --install` puts where, and the archive that `cpack` makes of it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TIDE_PLUGIN_DIR lib/tide)

# The old kind of search path (DT_RPATH) also serves what the plugins themselves depend on, so the
# archive runs from any folder without a word to the loader.
target_link_options(tide PRIVATE -Wl,--disable-new-dtags)
set_target_properties(tide PROPERTIES INSTALL_RPATH "$ORIGIN/../${TIDE_PLUGIN_DIR}")
install(TARGETS tide RUNTIME DESTINATION bin)

set(installed_plugins "")
foreach(plugin tide-llvm tide-dnnl tide-zip)
  if(TARGET ${plugin})
    target_link_options(${plugin} PRIVATE -Wl,--disable-new-dtags)
    set_target_properties(${plugin} PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS ${plugin} LIBRARY DESTINATION ${TIDE_PLUGIN_DIR})
    list(APPEND installed_plugins "$<TARGET_FILE:${plugin}>")
  endif()
endforeach()

# The module for a stock Lua, where Debian's lua5.4 looks for it.
if(TARGET tide_module)
  set_target_properties(tide_module PROPERTIES INSTALL_RPATH "$ORIGIN/../../tide")
  install(TARGETS tide_module LIBRARY DESTINATION lib/lua/5.4)
endif()

# libtide for C++ programs: find_package(tide), then link tide::tide.
set_target_properties(tide_runtime PROPERTIES OUTPUT_NAME tide EXPORT_NAME tide)
target_include_directories(tide_runtime INTERFACE $<INSTALL_INTERFACE:include/tide>)
install(TARGETS tide_runtime EXPORT tideTargets ARCHIVE DESTINATION lib)
install(EXPORT tideTargets NAMESPACE tide:: DESTINATION lib/cmake/tide)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime DESTINATION include/tide
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "llvm" EXCLUDE PATTERN "dnnl" EXCLUDE)
file(WRITE ${CMAKE_BINARY_DIR}/generated/tideConfig.cmake "include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(OpenMP COMPONENTS CXX)
include(\${CMAKE_CURRENT_LIST_DIR}/tideTargets.cmake)
")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/tideConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/tideConfig.cmake
              ${CMAKE_BINARY_DIR}/generated/tideConfigVersion.cmake
        DESTINATION lib/cmake/tide)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The archive also holds the libraries that a bare machine lacks; all but glibc, which it must have.
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES
       EXECUTABLES $<TARGET_FILE:tide> MODULES ${installed_plugins}
       RESOLVED_DEPENDENCIES_VAR libraries
       POST_EXCLUDE_REGEXES \"/lib(c|m|dl|rt|util|pthread)\\\\.so\" \"/ld-linux\")
  file(INSTALL \${libraries} DESTINATION \${CMAKE_INSTALL_PREFIX}/${TIDE_PLUGIN_DIR}
       FOLLOW_SYMLINK_CHAIN)
" COMPONENT libraries EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_FILE_NAME tide-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL Unspecified libraries)
include(CPack)
