#if os(macOS) || os(Linux)
    package import Foundation

    /// A body in gzip that the program gzip cannot read.
    struct NotGzip: Error { let end: ChildProcess.End }

    extension Data {
        /// The bytes, decompressed by the program gzip.
        package func gunzipped() throws -> Data {
            let folder = try TemporaryFolder()
            let file = try folder.write(self, to: "body.gz")
            let gzip = try ChildProcess(URL(filePath: "/bin/gzip"), ["-dc", file.path(percentEncoded: false)])
            let (output, end) = try gzip.wait()
            guard end == .exited(0) else { throw NotGzip(end: end) }
            return output
        }
    }
#endif
