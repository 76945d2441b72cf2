# Finds the C++ build of Lua, in which a Lua error destroys C++ objects on the stack: TIDE_LUA.
find_library(TIDE_LUA_ARCHIVE NAMES liblua5.4-c++.a REQUIRED)
# Debian 13 builds it with mangled names, which C modules and the module for a stock Lua cannot find: restore the C
# names.
set(TIDE_LUA ${TIDE_LUA_ARCHIVE})
execute_process(
  COMMAND ${CMAKE_NM} --extern-only --defined-only ${TIDE_LUA_ARCHIVE} OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "_Z[0-9]+lua[A-Za-z0-9_]+" names "${names}")
if(names)
  set(renamed "")
  foreach(name ${names})
    string(REGEX MATCH "^_Z([0-9]+)(.*)" _ ${name})
    string(SUBSTRING ${CMAKE_MATCH_2} 0 ${CMAKE_MATCH_1} own)
    string(APPEND renamed "${name} ${own}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/lua.names CONTENT "${renamed}" @ONLY)
  set(TIDE_LUA ${CMAKE_BINARY_DIR}/liblua5.4-c++.a)
  execute_process(
    COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${CMAKE_BINARY_DIR}/lua.names ${TIDE_LUA_ARCHIVE} ${TIDE_LUA}
    COMMAND_ERROR_IS_FATAL ANY)
endif()
