# System packages first; fetching is an explicit choice (GPUADVISE_FETCH_DEPENDENCIES), with pinned hashes.
include(FetchContent)

macro(gpuadvise_dependency package target url hash)
  find_package(${package} QUIET)
  if(NOT TARGET ${target})
    if(NOT GPUADVISE_FETCH_DEPENDENCIES)
      message(FATAL_ERROR
        "${package} was not found. Install it (cmake/bootstrap.sh does), or configure with -DGPUADVISE_FETCH_DEPENDENCIES=ON.")
    endif()
    FetchContent_Declare(${package} URL ${url} URL_HASH SHA256=${hash} DOWNLOAD_EXTRACT_TIMESTAMP TRUE)
    FetchContent_MakeAvailable(${package})
    if(NOT TARGET ${target})
      message(FATAL_ERROR "${package} was fetched from ${url} but defines no target ${target}.")
    endif()
  endif()
endmacro()

gpuadvise_dependency(CLI11 CLI11::CLI11
  https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
  f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
gpuadvise_dependency(nlohmann_json nlohmann_json::nlohmann_json
  https://github.com/nlohmann/json/archive/refs/tags/v3.11.3.tar.gz
  0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406)
gpuadvise_dependency(fmt fmt::fmt
  https://github.com/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz
  1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811)
if(GPUADVISE_BUILD_TESTS)
  gpuadvise_dependency(Catch2 Catch2::Catch2WithMain
    https://github.com/catchorg/Catch2/archive/refs/tags/v3.5.4.tar.gz
    b7754b711242c167d8f60b890695347f90a1ebc95949a045385114165d606dbb)
endif()

# Header-only fmt makes the release program one file; elsewhere the shared library compiles faster.
add_library(gpuadvise_fmt INTERFACE)
if(GPUADVISE_PORTABLE)
  target_link_libraries(gpuadvise_fmt INTERFACE fmt::fmt-header-only)
else()
  target_link_libraries(gpuadvise_fmt INTERFACE fmt::fmt)
endif()
