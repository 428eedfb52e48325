import HalyardHTTP

/// The last report of each direction. A dictionary would cost an allocation for each request.
struct LatestProgress: Sendable {
    private var upload: TransferProgress?
    private var download: TransferProgress?

    subscript(direction: TransferProgress.Direction) -> TransferProgress? {
        get { direction == .upload ? upload : download }
        set { if direction == .upload { upload = newValue } else { download = newValue } }
    }
}
