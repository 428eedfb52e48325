// swift-tools-version: 6.2
import PackageDescription

let halyard: [Target.Dependency] = [
    .product(name: "HalyardAsync", package: "Halyard"), .product(name: "HalyardTesting", package: "Halyard"),
    "Footprint",
]

// This is a separate package, so that packages that depend on Halyard do not load it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halyard", path: "../..")],
    targets: [
        .target(name: "Heap"),
        .target(name: "Footprint", dependencies: ["Heap"]),
        .executableTarget(
            name: "bench",
            dependencies: halyard + [
                .product(name: "HalyardCache", package: "Halyard"),
                .product(name: "HalyardFutures", package: "Halyard"),
                .product(name: "HalyardCurl", package: "Halyard"),
            ],
            path: "Sources/Bench"),
        .executableTarget(name: "soak", dependencies: halyard, path: "Sources/Soak"),
        .executableTarget(name: "memory", dependencies: halyard, path: "Sources/Memory"),
        .executableTarget(name: "streams", dependencies: halyard, path: "Sources/Streams"),
        .executableTarget(
            name: "limits", dependencies: halyard + [.product(name: "HalyardLimits", package: "Halyard")],
            path: "Sources/Limits"),
        .executableTarget(name: "objects", dependencies: halyard, path: "Sources/Objects"),
        .executableTarget(
            name: "hello", dependencies: [.product(name: "HalyardAsync", package: "Halyard")], path: "Sources/Hello"),
    ],
    swiftLanguageModes: [.v6]
)
