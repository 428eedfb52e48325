// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Uploads",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "HALYARD")],
    targets: [
        .executableTarget(
            name: "Uploads", dependencies: [.product(name: "HalyardAsync", package: "Halyard")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
