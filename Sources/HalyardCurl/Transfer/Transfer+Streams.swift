import CHalyardCurl
import HalyardHTTP

// The streams of a transfer: the body of the request, and that of the response.
extension Transfer {
    /// Informs the event loop when the user's end of a stream can continue, or was closed.
    func observe(_ pipe: BytePipe) {
        pipe.onChange { [post = loopContext.post, id] in post(.streamChanged(id)) }
        // A file that could not be opened has closed its pipe before.
        if pipe.isClosed { loopContext.post(.streamChanged(id)) }
    }

    /// Delivers a response whose body is still to come.
    func beginStream(_ pipe: BytePipe, _ response: HTTPResponse) {
        observe(pipe)
        deadline = nil  // The time limit does not include the time that the reader takes.
        outcome = .success(response)
        deliverOutcome()
    }

    /// Stops libcurl from reading while the stream's buffer is full. Otherwise libcurl reads, the callback refuses the
    /// bytes, and libcurl copies them.
    ///
    /// This is done only for HTTP/1.1 without TLS and without an upload of a stream or a file:
    /// - Over HTTP/2 libcurl reads for other streams of the connection too, and would keep what arrives for this one.
    /// - Over TLS, libcurl before 8.21 may ask to watch the socket again and again although it does not read
    ///   (https://github.com/curl/curl/issues/21671).
    /// - Resuming such an upload makes libcurl 8.16 read as if the download were not paused.
    func pauseReading() {
        guard !isPaused, isAttached, !head.isMultiplexed, !pending.mayPauseUpload, receiver?.pipe?.isFull() ?? false,
            settings.isCleartext(to: request.origin)
        else { return }
        isPaused = true
        _ = halyard_easy_pause(easy.pointer)
    }

    /// Lets libcurl continue in both directions. libcurl may call back at once.
    func resume() {
        isPaused = false
        recordActivity()
        _ = halyard_easy_resume(easy.pointer)
    }

    /// Whether the reader of the stream has closed it, so that the rest of the body is not needed.
    var isAbandoned: Bool { receiver?.pipe?.isClosed ?? false }

    /// Reports the progress since the last report.
    func reportProgress() {
        upload.catchUp()
        download.catchUp()
    }
}
