// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is built with. Warnings become errors in `.ci/run`, not here: a warning
/// that a later compiler invents must never break the build of somebody's app.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Where URLSession is the engine.
let apple: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]

/// Where libcurl is linked instead of loaded.
let linked = BuildSettingCondition.when(platforms: [.linux], traits: ["LinkedCurl"])

let package = Package(
    name: "Halyard",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Halyard", targets: ["Halyard"]),
        .library(name: "HalyardCodable", targets: ["HalyardCodable"]),
        .library(name: "HalyardFutures", targets: ["HalyardFutures"]),
        .library(name: "HalyardAsync", targets: ["HalyardAsync"]),
        .library(name: "HalyardEndpoints", targets: ["HalyardEndpoints"]),
        .library(name: "HalyardTesting", targets: ["HalyardTesting"]),
        .library(name: "HalyardCurl", targets: ["HalyardCurl"]),
        .library(name: "HalyardURLSession", targets: ["HalyardURLSession"]),
        .executable(name: "quickstart", targets: ["quickstart"]),
    ],
    traits: [
        .trait(
            name: "LinkedCurl",
            description: "Links libcurl, zlib and libpsl on Linux, as static programs need, instead of loading them.")
    ],
    targets: [
        // The ground floor, the engines, and the core that stands on the one of its platform.
        .target(name: "HalyardFoundation", swiftSettings: strict),
        .target(name: "HalyardSystem", swiftSettings: strict),
        .target(
            name: "HalyardHTTP", dependencies: ["HalyardFoundation", "HalyardSystem"], exclude: ["README.md"],
            swiftSettings: strict),
        .target(
            name: "CHalyardCurl",
            cSettings: [.define("HALYARD_LINKED", linked)],
            linkerSettings: ["curl", "z", "psl"].map { .linkedLibrary($0, linked) }),
        // zlib for the bodies of requests. The declarations are those of CHalyardCurl.
        .target(
            name: "CHalyardZlib",
            cSettings: [.define("HALYARD_LINKED", linked), .define("HALYARD_LINKED", .when(platforms: apple))],
            linkerSettings: [.linkedLibrary("z", linked), .linkedLibrary("z", .when(platforms: apple))]),
        .target(
            name: "HalyardCurl",
            dependencies: ["CHalyardCurl", "HalyardFoundation", "HalyardHTTP", "HalyardSystem"],
            exclude: ["README.md"],
            swiftSettings: strict),
        .target(
            name: "HalyardURLSession", dependencies: ["HalyardHTTP"], exclude: ["README.md"], swiftSettings: strict),
        .target(
            name: "Halyard",
            dependencies: [
                "CHalyardZlib", "HalyardFoundation", "HalyardHTTP", "HalyardSystem",
                .target(name: "HalyardCurl", condition: .when(platforms: [.linux])),
                .target(name: "HalyardURLSession", condition: .when(platforms: apple)),
            ],
            swiftSettings: strict
        ),

        // Extensions: each re-exports what it stands on.
        .target(
            name: "HalyardCodable", dependencies: ["Halyard", "HalyardFoundation"], path: "Extensions/HalyardCodable",
            swiftSettings: strict),
        .target(
            name: "HalyardFutures", dependencies: ["HalyardCodable"], path: "Extensions/HalyardFutures",
            swiftSettings: strict),
        .target(
            name: "HalyardAsync", dependencies: ["HalyardCodable", "HalyardFoundation", "HalyardSystem"],
            path: "Extensions/HalyardAsync",
            swiftSettings: strict),
        .target(
            name: "HalyardEndpoints", dependencies: ["HalyardAsync", "HalyardFoundation", "HalyardFutures"],
            path: "Extensions/HalyardEndpoints", swiftSettings: strict),
        .target(
            name: "HalyardTesting", dependencies: ["Halyard", "HalyardFoundation", "HalyardSystem"],
            path: "Extensions/HalyardTesting",
            swiftSettings: strict),

        .executableTarget(
            name: "quickstart", dependencies: ["HalyardAsync", "HalyardFutures", "HalyardTesting"],
            path: "Sources/Quickstart",
            swiftSettings: strict),

        // What the tests share; then a folder per target, the folders inside mirror the sources.
        .target(name: "DescriptorLimit", path: "Tests/Support/Limit"),
        .target(
            name: "TestSupport", dependencies: ["DescriptorLimit", "Halyard", "HalyardHTTP", "HalyardTesting"],
            path: "Tests/Support", exclude: ["Limit"], swiftSettings: strict),
        .testTarget(name: "HalyardHTTPTests", dependencies: ["HalyardHTTP", "TestSupport"], swiftSettings: strict),
        // Tests await responses, though `await` is an extension's.
        .testTarget(
            name: "HalyardTests", dependencies: ["Halyard", "HalyardAsync", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardCodableTests",
            dependencies: ["HalyardAsync", "HalyardCodable", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardFuturesTests", dependencies: ["HalyardFutures", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardAsyncTests", dependencies: ["HalyardAsync", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardEndpointsTests", dependencies: ["HalyardEndpoints", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        // One contract, every engine. What would end the test's process runs in a child.
        .target(
            name: "ContractEngines",
            dependencies: [
                "HalyardTesting", "HalyardURLSession",
                .target(name: "HalyardCurl", condition: .when(platforms: [.linux])),
            ],
            path: "Tests/Contract/Engines", swiftSettings: strict),
        .executableTarget(
            name: "contract-child", dependencies: ["ContractEngines"], path: "Tests/Contract/Child",
            swiftSettings: strict),
        .testTarget(
            name: "Contract",
            dependencies: ["ContractEngines", "HalyardAsync", "HalyardURLSession", "TestSupport", "contract-child"],
            path: "Tests/Contract",
            exclude: ["Engines", "Child"], swiftSettings: strict),
        .testTarget(
            name: "HalyardTestingTests", dependencies: ["HalyardAsync", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        // The table's rows; the faults over every engine, and in a child what must be seen from outside.
        .executableTarget(
            name: "fault-child", dependencies: ["ContractEngines", "HalyardEndpoints", "HalyardTesting"],
            path: "Tests/Acceptance/Child",
            swiftSettings: strict),
        // Reads from a server that others wrote, in a check of CI.
        .executableTarget(
            name: "stream-examples", dependencies: ["HalyardEndpoints"], path: "Tests/Examples",
            exclude: ["server.py"],
            swiftSettings: strict),
        .testTarget(
            name: "Acceptance",
            dependencies: ["ContractEngines", "HalyardEndpoints", "HalyardTesting", "TestSupport", "fault-child"],
            path: "Tests/Acceptance",
            exclude: ["Behaviours.md", "Child", "behaviours.py"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// The tests of the Linux engine are Linux's alone: they use its system calls.
#if os(Linux)
    package.targets.append(
        .testTarget(
            name: "HalyardCurlTests", dependencies: ["CHalyardCurl", "HalyardCurl", "HalyardTesting", "TestSupport"],
            swiftSettings: strict))
#endif
