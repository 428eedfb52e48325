import CHalyardCurl

// The C functions that libcurl calls for a transfer. Their context is the easy handle. They translate between C and
// `EasyHandleDelegate` and do nothing else.

let receiveHeader: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let delegate = delegate(context) else { return size * count }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return delegate.receive(headerLine: line).code(forCount: line.count)
}

let inspectRemark: halyard_debug_callback = { _, kind, bytes, count, context in
    guard kind == HALYARD_INFO_TEXT || kind == HALYARD_INFO_HEADER_IN, let bytes, let context else { return 0 }
    let easy = EasyHandle.fromContext(context)
    let text = UnsafeMutableRawBufferPointer(start: bytes, count: count)
    if kind == HALYARD_INFO_TEXT {
        easy.delegate?.inspect(remark: UnsafeRawBufferPointer(text))
    } else if easy.foldGuard != nil {
        easy.delegate?.inspect(headerLine: text)
    }
    return 0
}

let receiveBody: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let delegate = delegate(context) else { return size * count }
    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return delegate.receive(body: body).code(forCount: body.count)
}

let sendBody: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let delegate = delegate(context) else { return Int(HALYARD__READFUNC_ABORT) }
    let (filled, result) = delegate.supplyBody(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    return switch result {
    case .proceed: filled
    case .pause: Int(HALYARD__READFUNC_PAUSE)
    case .abort: Int(HALYARD__READFUNC_ABORT)
    }
}

let rewindBody: halyard_seek_callback = { context, offset, origin in
    guard let delegate = delegate(context), origin == 0, delegate.rewind(to: offset) else {
        return HALYARD__SEEKFUNC_FAIL
    }
    return HALYARD__SEEKFUNC_OK
}

let connectionReady: halyard_prereq_callback = { context, remoteAddress, _, remotePort, localPort in
    let mayBeSent = delegate(context)?.shouldSend(toAddress: remoteAddress, port: remotePort, localPort: localPort)
    return mayBeSent ?? true ? HALYARD__PREREQFUNC_OK : HALYARD__PREREQFUNC_ABORT
}

private func delegate(_ context: UnsafeMutableRawPointer?) -> (any EasyHandleDelegate)? {
    context.flatMap { EasyHandle.fromContext($0).delegate }
}

extension CallbackResult {
    /// The return value of a callback that received bytes. libcurl fails the transfer if it is another number than the
    /// count.
    fileprivate func code(forCount count: Int) -> Int {
        switch self {
        case .proceed: count
        case .pause: Int(HALYARD__WRITEFUNC_PAUSE)
        case .abort: count == 0 ? 1 : 0
        }
    }
}
