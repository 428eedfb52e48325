// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is built with. Warnings become errors in `.ci/run`, not here: a warning
/// that a later compiler invents must never break the build of somebody's app.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Halyard",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Halyard", targets: ["Halyard"]),
        .library(name: "HalyardCodable", targets: ["HalyardCodable"]),
        .library(name: "HalyardFutures", targets: ["HalyardFutures"]),
        .library(name: "HalyardAsync", targets: ["HalyardAsync"]),
        .library(name: "HalyardTesting", targets: ["HalyardTesting"]),
        .library(name: "HalyardCurl", targets: ["HalyardCurl"]),
        .executable(name: "quickstart", targets: ["quickstart"]),
    ],
    targets: [
        // The ground floor, the Linux engine, and the core that stands on both.
        .target(name: "HalyardHTTP", swiftSettings: strict),
        .target(name: "CHalyardCurl"),
        .target(name: "HalyardCurl", dependencies: ["HalyardHTTP", "CHalyardCurl"], swiftSettings: strict),
        .target(
            name: "Halyard",
            dependencies: ["HalyardHTTP", .target(name: "HalyardCurl", condition: .when(platforms: [.linux]))],
            swiftSettings: strict
        ),

        // Extensions: each re-exports what it stands on.
        .target(
            name: "HalyardCodable", dependencies: ["Halyard"], path: "Extensions/HalyardCodable", swiftSettings: strict),
        .target(
            name: "HalyardFutures", dependencies: ["HalyardCodable"], path: "Extensions/HalyardFutures",
            swiftSettings: strict),
        .target(
            name: "HalyardAsync", dependencies: ["HalyardCodable"], path: "Extensions/HalyardAsync",
            swiftSettings: strict),
        .target(
            name: "HalyardTesting", dependencies: ["Halyard"], path: "Extensions/HalyardTesting",
            swiftSettings: strict),

        .executableTarget(
            name: "quickstart", dependencies: ["HalyardAsync", "HalyardFutures", "HalyardTesting"],
            path: "Sources/Quickstart",
            swiftSettings: strict),

        // A folder per target; the folders inside mirror the sources.
        .testTarget(name: "HalyardHTTPTests", dependencies: ["HalyardHTTP"], swiftSettings: strict),
        .testTarget(
            name: "HalyardCurlTests", dependencies: ["HalyardCurl", "HalyardTesting"], swiftSettings: strict),
        .testTarget(name: "HalyardTests", dependencies: ["Halyard", "HalyardTesting"], swiftSettings: strict),
        .testTarget(
            name: "HalyardCodableTests", dependencies: ["HalyardCodable", "HalyardTesting"], swiftSettings: strict),
        .testTarget(
            name: "HalyardFuturesTests", dependencies: ["HalyardFutures", "HalyardTesting"], swiftSettings: strict),
        .testTarget(
            name: "HalyardAsyncTests", dependencies: ["HalyardAsync", "HalyardTesting"], swiftSettings: strict),
        .testTarget(name: "HalyardTestingTests", dependencies: ["HalyardTesting"], swiftSettings: strict),
        .testTarget(
            name: "Acceptance", dependencies: ["HalyardAsync", "HalyardFutures", "HalyardTesting"],
            path: "Tests/Acceptance",
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
