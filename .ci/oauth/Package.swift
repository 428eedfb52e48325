// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "OAuth",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "HALYARD")],
    targets: [
        .executableTarget(
            name: "OAuth",
            dependencies: [
                .product(name: "HalyardAsync", package: "Halyard"), .product(name: "HalyardOAuth", package: "Halyard"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
