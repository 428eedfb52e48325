// swift-tools-version: 6.2
import PackageDescription

// This is a separate package, so that packages that depend on Halyard do not load it.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "../..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "HalyardAsync", package: "Halyard"),
                .product(name: "HalyardCache", package: "Halyard"),
                .product(name: "HalyardOAuth", package: "Halyard"),
                .product(name: "HalyardSigning", package: "Halyard"),
                .product(name: "HalyardTesting", package: "Halyard"),
                .product(name: "HalyardWebSocket", package: "Halyard"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
