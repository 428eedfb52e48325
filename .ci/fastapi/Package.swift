// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Everything",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "HALYARD")],
    targets: [
        .executableTarget(
            name: "Everything", dependencies: [.product(name: "HalyardOpenAPI", package: "Halyard")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
