include(CMakePackageConfigHelpers)

install(TARGETS gpuadvise EXPORT gpuadviseTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS gpuadvise_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/gpuadvise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gpuadvise)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# fmt is compiled into the library where it is header-only; otherwise whoever links the library needs it too.
if(GPUADVISE_PORTABLE)
  set(gpuadvise_needs_fmt OFF)
else()
  set(gpuadvise_needs_fmt ON)
endif()
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gpuadvise)
configure_package_config_file(cmake/gpuadviseConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/gpuadviseConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/gpuadviseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gpuadviseConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/gpuadviseConfigVersion.cmake
  DESTINATION ${package_folder})
install(EXPORT gpuadviseTargets NAMESPACE gpuadvise:: DESTINATION ${package_folder})
