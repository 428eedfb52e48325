// swift-tools-version: 6.2
import PackageDescription

let halyard: [Target.Dependency] = [
    .product(name: "HalyardAsync", package: "Halyard"), .product(name: "HalyardTesting", package: "Halyard"),
]

let package = Package(
    name: "Client",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "HALYARD")],
    targets: [
        .executableTarget(name: "Swift5", dependencies: halyard, swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(name: "Swift6", dependencies: halyard, swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "MainActor", dependencies: halyard,
            swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]),
        .executableTarget(
            name: "MainActorNonsending", dependencies: halyard,
            swiftSettings: [
                .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
    ]
)
