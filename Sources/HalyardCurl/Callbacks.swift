import CHalyardCurl

// The C functions that libcurl calls, on the loop thread, while the transfer is on the loop. They translate.

let receiveHeader: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Transfer.of(context).received(headerLine: line) ? line.count : refusal(of: line.count)
}

let receiveBody: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Transfer.of(context).received(body: body) ? body.count : refusal(of: body.count)
}

let sendBody: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return Int(HALYARD__READFUNC_ABORT) }
    return Transfer.of(context).send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

let rewindBody: halyard_seek_callback = { context, offset, origin in
    guard let context, origin == 0 else { return HALYARD__SEEKFUNC_FAIL }
    Transfer.of(context).rewind(to: Int(offset))
    return HALYARD__SEEKFUNC_OK
}

/// Any number but the one that was offered ends the transfer.
private func refusal(of count: Int) -> Int { count == 0 ? 1 : 0 }
