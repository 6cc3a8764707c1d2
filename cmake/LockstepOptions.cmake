# SPDX-License-Identifier: GPL-3.0-or-later
# Warnings, sanitizers and ccache for every target of ours: link lockstep_options PRIVATE.
include_guard(GLOBAL)

set(LOCKSTEP_SANITIZE "" CACHE STRING "comma-separated -fsanitize= list")
option(LOCKSTEP_WERROR "warnings are errors" OFF)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The clone's own path must not spoil the cache; precompiled headers need the sloppiness.
  get_filename_component(_base "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${_base}
      CCACHE_NOHASHDIR=true CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

add_library(lockstep_options INTERFACE)
target_compile_options(lockstep_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${LOCKSTEP_WERROR}>:-Werror>)
# Debug information that resolves lines and functions, a third of the size and compile time of -g2.
target_compile_options(lockstep_options INTERFACE -g1 $<$<CONFIG:Debug>:-O1>)
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_options INTERFACE
    -fsanitize=${LOCKSTEP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(lockstep_options INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
endif()
