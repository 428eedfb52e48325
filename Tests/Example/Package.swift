// swift-tools-version: 6.2
import PackageDescription

// A client of an issue tracker, as an app or a server would have it, and a tool that signs in and lists a bucket, with
// their tests. It depends on Halyard by path; a package of your own names Halyard's URL instead.
let package = Package(
    name: "Tracker",
    platforms: [.macOS(.v13)],
    products: [.library(name: "Tracker", targets: ["Tracker"])],
    dependencies: [.package(name: "Halyard", path: "../..")],
    targets: [
        .target(name: "Tracker", dependencies: [.product(name: "HalyardEndpoints", package: "Halyard")]),
        .executableTarget(
            name: "Bucket",
            dependencies: [
                .product(name: "HalyardAsync", package: "Halyard"), .product(name: "HalyardOAuth", package: "Halyard"),
                .product(name: "HalyardSigning", package: "Halyard"),
            ]),
        .testTarget(
            name: "BucketTests", dependencies: ["Bucket", .product(name: "HalyardTesting", package: "Halyard")]),
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
