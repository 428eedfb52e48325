import Testing

/// What every engine promises: the same tests over each. Where one falls short today, that is a known issue by name.
///
/// One at a time: some of them keep both cores busy, and others watch the clock.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum Contract {}
