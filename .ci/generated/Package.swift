// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "App",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "HALYARD")],
    targets: [
        .target(
            name: "App", dependencies: [.product(name: "HalyardOpenAPI", package: "Halyard")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // Generated code in a module whose declarations are on the main actor, and with imports that are not passed on.
        .target(
            name: "Isolated", dependencies: [.product(name: "HalyardOpenAPI", package: "Halyard")],
            swiftSettings: [
                .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .testTarget(
            name: "AppTests", dependencies: ["App", .product(name: "HalyardTesting", package: "Halyard")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
