// swift-tools-version: 6.2
import PackageDescription

// A client of an issue tracker, as an app or a server would have it, and its tests. It depends on Halyard by path; a
// package of your own names Halyard's URL instead.
let package = Package(
    name: "Tracker",
    platforms: [.macOS(.v13)],
    products: [.library(name: "Tracker", targets: ["Tracker"])],
    dependencies: [.package(name: "Halyard", path: "../..")],
    targets: [
        .target(name: "Tracker", dependencies: [.product(name: "HalyardEndpoints", package: "Halyard")]),
        .testTarget(
            name: "TrackerTests",
            dependencies: [
                "Tracker",
                .product(name: "HalyardTesting", package: "Halyard"),
                .product(name: "HalyardTestingTraits", package: "Halyard"),
            ],
            exclude: ["Cassettes"]),
    ],
    swiftLanguageModes: [.v6]
)
