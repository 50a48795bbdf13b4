add_library(gpuadvise_warnings INTERFACE)
# -Wrestrict of g++ 12 sees overlaps in std::string concatenation that are not there.
target_compile_options(gpuadvise_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Wformat=2
  $<$<CXX_COMPILER_ID:GNU>:-Wno-missing-field-initializers;-Wno-restrict>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-field-initializers>
  $<$<BOOL:${GPUADVISE_WARNINGS_AS_ERRORS}>:-Werror>)
