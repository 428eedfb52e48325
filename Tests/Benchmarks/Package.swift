// swift-tools-version: 6.2
import PackageDescription

// A package of its own: who depends on Halyard never sees it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "../..")],
    targets: [
        .executableTarget(
            name: "soak",
            dependencies: [
                .product(name: "HalyardAsync", package: "Halyard"),
                .product(name: "HalyardTesting", package: "Halyard"),
            ],
            path: "Sources/Soak")
    ],
    swiftLanguageModes: [.v6]
)
