# SPDX-License-Identifier: Apache-2.0
"""The recipe of Conan 2, which builds the checkout that it is part of: conan create packaging/conan --build=missing"""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps

SOURCES = ["CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "cli/*", "packaging/*"]


class TesseraConan(ConanFile):
    name = "tessera"
    description = "Exact index maps and layouts of tensor programs"
    license = "Apache-2.0"
    settings = "os", "arch", "compiler", "build_type"
    package_type = "static-library"
    options = {"with_highway": [True, False], "with_tbb": [True, False]}
    default_options = {"with_highway": False, "with_tbb": True}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt"))
        self.version = re.search(r"project\(tessera VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in SOURCES:
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        self.requires("fmt/[>=9.1 <12]")
        self.requires("zlib/[>=1.2.13 <2]")
        self.requires("nlohmann_json/[>=3.11 <4]")
        self.requires("tl-expected/1.1.0", transitive_headers=True)
        self.requires("cli11/[>=2.3 <3]")
        if self.options.with_highway:
            self.requires("highway/[>=1.0 <2]")
        if self.options.with_tbb:
            self.requires("onetbb/[>=2021.9]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()  # Highway is found by pkg-config
        toolchain = CMakeToolchain(self)
        values = {
            "TESSERA_TESTS": False, "TESSERA_BENCH": False, "TESSERA_CAIRO": False, "TESSERA_EDIT": False,
            "TESSERA_ISL": False, "TESSERA_UNITY": True, "TESSERA_HWY": bool(self.options.with_highway),
            "TESSERA_TBB": bool(self.options.with_tbb),
        }
        for name, value in values.items():
            toolchain.cache_variables[name] = value
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "share", "doc"))

    def package_info(self):
        # The package's own tesseraConfig.cmake names its targets and what they need.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "tessera"))
