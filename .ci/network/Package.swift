// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Patient",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "HALYARD")],
    targets: [
        .executableTarget(
            name: "Patient", dependencies: [.product(name: "HalyardAsync", package: "Halyard")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
