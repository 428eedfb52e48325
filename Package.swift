// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target. Warnings become errors in `.ci/run`, not here: a new warning of a later compiler
/// must not break the build of an app.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The platforms whose engine is URLSession.
let apple: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]

/// The condition for linking libcurl instead of loading it.
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
        .library(name: "HalyardHAR", targets: ["HalyardHAR"]),
        .library(name: "HalyardCache", targets: ["HalyardCache"]),
        .library(name: "HalyardLimits", targets: ["HalyardLimits"]),
        .library(name: "HalyardTracing", targets: ["HalyardTracing"]),
        .library(name: "HalyardOAuth", targets: ["HalyardOAuth"]),
        .library(name: "HalyardSigning", targets: ["HalyardSigning"]),
        .library(name: "HalyardWebSocket", targets: ["HalyardWebSocket"]),
        .library(name: "HalyardTesting", targets: ["HalyardTesting"]),
        .library(name: "HalyardTestingTraits", targets: ["HalyardTestingTraits"]),
        .library(name: "HalyardCurl", targets: ["HalyardCurl"]),
        .library(name: "HalyardURLSession", targets: ["HalyardURLSession"]),
        .executable(name: "quickstart", targets: ["quickstart"]),
        .library(name: "HalyardOpenAPI", targets: ["HalyardOpenAPI"]),
        .executable(name: "halyard-openapi", targets: ["halyard-openapi"]),
        .plugin(name: "GenerateAPI", targets: ["GenerateAPI"]),
    ],
    traits: [
        .trait(
            name: "LinkedCurl",
            description: "Links libcurl, zlib and libpsl on Linux, as static programs need, instead of loading them.")
    ],
    targets: [
        // Imports for all systems, the shared types of HTTP, the engines, and the core.
        .target(name: "HalyardFoundation", swiftSettings: strict),
        .target(name: "HalyardFoundationNetworking", swiftSettings: strict),
        .target(name: "HalyardSystem", swiftSettings: strict),
        .target(
            name: "HalyardHTTP", dependencies: ["CHalyardZlib", "HalyardFoundation", "HalyardSystem"],
            exclude: ["README.md"],
            swiftSettings: strict),
        .target(
            name: "CHalyardCurl",
            cSettings: [.define("HALYARD_LINKED", linked)],
            linkerSettings: ["curl", "z", "psl"].map { .linkedLibrary($0, linked) }),
        // zlib for the bodies of requests, with the declarations of CHalyardCurl, and iconv for texts.
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
            name: "HalyardURLSession", dependencies: ["HalyardFoundationNetworking", "HalyardHTTP"],
            exclude: ["README.md"], swiftSettings: strict),
        .target(
            name: "Halyard",
            dependencies: [
                "CHalyardZlib", "HalyardFoundation", "HalyardHTTP", "HalyardSystem",
                .target(name: "HalyardCurl", condition: .when(platforms: [.linux])),
                .target(name: "HalyardURLSession", condition: .when(platforms: apple)),
            ],
            exclude: ["README.md"],
            swiftSettings: strict
        ),

        // Extensions. Each re-exports the modules that it depends on.
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
            name: "HalyardHAR", dependencies: ["Halyard", "HalyardFoundation", "HalyardHTTP", "HalyardSystem"],
            path: "Extensions/HalyardHAR", swiftSettings: strict),
        .target(
            name: "HalyardCache", dependencies: ["Halyard", "HalyardFoundation", "HalyardHTTP", "HalyardSystem"],
            path: "Extensions/HalyardCache", swiftSettings: strict),
        .target(
            name: "HalyardLimits", dependencies: ["Halyard", "HalyardHTTP"], path: "Extensions/HalyardLimits",
            swiftSettings: strict),
        .target(
            name: "HalyardOAuth", dependencies: ["Halyard", "HalyardFoundation", "HalyardHTTP", "HalyardSystem"],
            path: "Extensions/HalyardOAuth", swiftSettings: strict),
        .target(
            name: "HalyardSigning", dependencies: ["Halyard", "HalyardFoundation", "HalyardHTTP"],
            path: "Extensions/HalyardSigning", swiftSettings: strict),
        .target(
            name: "HalyardTracing", dependencies: ["Halyard", "HalyardHTTP"], path: "Extensions/HalyardTracing",
            swiftSettings: strict),
        .target(
            name: "HalyardWebSocket", dependencies: ["HalyardAsync", "HalyardFoundation", "HalyardHTTP"],
            path: "Extensions/HalyardWebSocket", swiftSettings: strict),
        // OpenSSL for a server of tests, loaded when one with TLS starts.
        .target(name: "CHalyardTLS", path: "Extensions/CHalyardTLS"),
        .target(
            name: "HalyardTesting",
            dependencies: ["CHalyardTLS", "Halyard", "HalyardFoundation", "HalyardHAR", "HalyardSystem"],
            path: "Extensions/HalyardTesting",
            swiftSettings: strict),
        // Apart from HalyardTesting, because programs that are no tests cannot link Swift Testing.
        .target(
            name: "HalyardTestingTraits", dependencies: ["HalyardTesting"], path: "Extensions/HalyardTestingTraits",
            swiftSettings: strict),

        // What generated code uses, the generator, and its command.
        .target(
            name: "HalyardOpenAPI", dependencies: ["HalyardEndpoints", "HalyardFoundation"],
            path: "Extensions/HalyardOpenAPI", swiftSettings: strict),
        .target(
            name: "OpenAPIGenerator", dependencies: ["Halyard", "HalyardFoundation", "HalyardHTTP"],
            path: "Extensions/OpenAPIGenerator", swiftSettings: strict),
        .executableTarget(
            name: "halyard-openapi", dependencies: ["OpenAPIGenerator"],
            path: "Extensions/GenerateAPI/Command", swiftSettings: strict),
        .plugin(
            name: "GenerateAPI",
            capability: .command(
                intent: .custom(verb: "generate-api", description: "Writes a client for an OpenAPI document."),
                permissions: [.writeToPackageDirectory(reason: "It writes the generated files.")]),
            path: "Extensions/GenerateAPI/Plugin"),

        .executableTarget(
            name: "quickstart", dependencies: ["HalyardAsync", "HalyardFutures", "HalyardTesting"],
            path: "Sources/Quickstart",
            swiftSettings: strict),

        // Support for tests, then a folder for each target. The folders in it mirror those of the sources.
        .target(name: "DescriptorLimit", path: "Tests/Support/Limit"),
        .target(
            name: "TestSupport",
            dependencies: ["DescriptorLimit", "Halyard", "HalyardHTTP", "HalyardSystem", "HalyardTesting"],
            path: "Tests/Support", exclude: ["Limit"], swiftSettings: strict),
        .testTarget(
            name: "HalyardHTTPTests",
            dependencies: ["CHalyardZlib", "HalyardFoundation", "HalyardHTTP", "HalyardSystem", "TestSupport"],
            swiftSettings: strict),
        // These tests await responses, which needs an extension.
        .testTarget(
            name: "HalyardTests",
            dependencies: ["Halyard", "HalyardAsync", "HalyardFoundation", "HalyardTesting", "TestSupport"],
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
        // The same tests for every engine. Cases that may end the process run in a child process.
        .target(
            name: "ContractEngines",
            dependencies: [
                "HalyardFoundation", "HalyardTesting", "HalyardURLSession",
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
            name: "HalyardCacheTests",
            dependencies: ["HalyardAsync", "HalyardCache", "HalyardHTTP", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardLimitsTests",
            dependencies: [
                "HalyardAsync", "HalyardCache", "HalyardHTTP", "HalyardLimits", "HalyardTesting", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardTracingTests",
            dependencies: ["HalyardAsync", "HalyardFutures", "HalyardTesting", "HalyardTracing", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardWebSocketTests",
            dependencies: ["HalyardAsync", "HalyardHTTP", "HalyardTesting", "HalyardWebSocket", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardHARTests", dependencies: ["HalyardAsync", "HalyardHAR", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardTestingTests",
            dependencies: [
                "HalyardEndpoints", "HalyardHAR", "HalyardSystem", "HalyardTesting", "HalyardTestingTraits",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardOAuthTests",
            dependencies: ["HalyardAsync", "HalyardOAuth", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HalyardSigningTests",
            dependencies: ["HalyardAsync", "HalyardSigning", "HalyardTesting", "TestSupport"],
            swiftSettings: strict),
        // The folder Library is what the generator writes for library.json. Those in Cases are only compared.
        .testTarget(
            name: "OpenAPITests",
            dependencies: ["HalyardOpenAPI", "HalyardTesting", "OpenAPIGenerator", "TestSupport"],
            exclude: ["Cases", "library.json"], swiftSettings: strict),
        // Behavior across modules, and faults with every engine. A child process runs what is observed from outside.
        .executableTarget(
            name: "fault-child",
            dependencies: ["ContractEngines", "HalyardCache", "HalyardEndpoints", "HalyardTesting"],
            path: "Tests/Acceptance/Child",
            swiftSettings: strict),
        // Reads streams of a server that other people wrote, in a check of CI.
        .executableTarget(
            name: "stream-examples", dependencies: ["HalyardEndpoints"], path: "Tests/Examples",
            exclude: ["server.py"],
            swiftSettings: strict),
        .testTarget(
            name: "Acceptance",
            dependencies: [
                "ContractEngines", "HalyardCache", "HalyardEndpoints", "HalyardHAR", "HalyardLimits", "HalyardOAuth",
                "HalyardSigning",
                "HalyardTesting", "HalyardTestingTraits", "HalyardTracing", "HalyardWebSocket",
                "TestSupport", "fault-child",
            ],
            path: "Tests/Acceptance",
            exclude: ["Behaviours.md", "Cassettes", "Child", "behaviours.py"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// The tests of the Linux engine need Linux, because they use its system calls.
#if os(Linux)
    package.targets.append(
        .testTarget(
            name: "HalyardCurlTests",
            dependencies: ["CHalyardCurl", "HalyardCurl", "HalyardSystem", "HalyardTesting", "TestSupport"],
            swiftSettings: strict))
#endif
