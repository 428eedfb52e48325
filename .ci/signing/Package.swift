// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Signing",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "HALYARD")],
    targets: [
        .executableTarget(
            name: "Signing", dependencies: [.product(name: "HalyardSigning", package: "Halyard")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Fields", dependencies: [.product(name: "HalyardSigning", package: "Halyard")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Storage",
            dependencies: [
                .product(name: "HalyardAsync", package: "Halyard"),
                .product(name: "HalyardSigning", package: "Halyard"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Messages", dependencies: [.product(name: "HalyardSigning", package: "Halyard")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
