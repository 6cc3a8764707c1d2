# SPDX-License-Identifier: GPL-3.0-or-later
# A network of your own for `lockstep-trainer --model library --model-file NAME.so`. A project of three lines:
#
#   cmake_minimum_required(VERSION 3.25)
#   project(NAME LANGUAGES CXX)
#   include(LOCKSTEP/cmake/LockstepModel.cmake)
#
# makes NAME.so from NAME.cpp, which has LOCKSTEP_MODEL(Class) once (trainer/models/model.h; examples/model is one). Set
# LOCKSTEP_MODEL_SOURCES before the include for other sources. It needs the LibTorch of the trainer that will run it:
# FindTorchWheel.cmake beside this file says where that is looked for.
get_filename_component(_lockstep "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
list(PREPEND CMAKE_MODULE_PATH "${_lockstep}/cmake")
find_package(TorchWheel REQUIRED)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
if(NOT LOCKSTEP_MODEL_SOURCES)
  set(LOCKSTEP_MODEL_SOURCES ${PROJECT_NAME}.cpp)
endif()

add_library(${PROJECT_NAME} MODULE ${LOCKSTEP_MODEL_SOURCES})
target_include_directories(${PROJECT_NAME} PRIVATE "${_lockstep}")
target_link_libraries(${PROJECT_NAME} PRIVATE TorchWheel::cpu)
# Nothing but the entry is to be seen outside, and the trainer's own LibTorch is the one that is used.
set_target_properties(${PROJECT_NAME} PROPERTIES PREFIX "" CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON SKIP_BUILD_RPATH ON)
