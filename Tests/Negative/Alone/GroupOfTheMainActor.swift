// options: -default-isolation MainActor
import HalyardEndpoints

struct Project: Sendable { var owner: String }

// error: type 'KeyPath<Project, String>' does not conform to the 'Sendable' protocol
let project = EndpointArgument.group(Project.self, .init(\.owner, .path("owner")))

nonisolated struct Task: Sendable { var owner: String }

let task = EndpointArgument.group(Task.self, .init(\.owner, .path("owner")))
