import Testing

/// The tests that every engine must pass. The current shortfalls of an engine are known issues with a description.
///
/// The tests run in sequence, because some of them keep both cores busy, and others measure time.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum Contract {}
