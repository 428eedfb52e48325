// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Downloads",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "HALYARD")],
    targets: [
        .executableTarget(
            name: "Downloads", dependencies: [.product(name: "HalyardAsync", package: "Halyard")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
