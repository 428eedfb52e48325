import CHalyardCurl

// The C functions that libcurl calls, on the loop thread, while the transfer is on the loop. They translate.

let receiveHeader: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Transfer.of(context).received(headerLine: line).result(of: line.count)
}

let receiveBody: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Transfer.of(context).received(body: body).result(of: body.count)
}

let sendBody: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return Int(HALYARD__READFUNC_ABORT) }
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    let (filled, answer) = Transfer.of(context).send(into: room)
    return switch answer {
    case .goOn: filled
    case .pause: Int(HALYARD__READFUNC_PAUSE)
    case .stop: Int(HALYARD__READFUNC_ABORT)
    }
}

let rewindBody: halyard_seek_callback = { context, offset, origin in
    guard let context, origin == 0, Transfer.of(context).rewind(to: offset) else { return HALYARD__SEEKFUNC_FAIL }
    return HALYARD__SEEKFUNC_OK
}

extension Transfer.Answer {
    /// For bytes that came: libcurl goes on when all were taken, and stops at any other number.
    fileprivate func result(of count: Int) -> Int {
        switch self {
        case .goOn: count
        case .pause: Int(HALYARD__WRITEFUNC_PAUSE)
        case .stop: count == 0 ? 1 : 0
        }
    }
}
