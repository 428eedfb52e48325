import CHalyardCurl

// The C functions that libcurl calls, by whoever has the loop, while the transfer is on the loop. They translate.

let receiveHeader: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let transfer = transfer(context) else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer.received(headerLine: line).result(of: line.count)
}

let showLine: halyard_debug_callback = { _, kind, bytes, count, context in
    guard kind == HALYARD_INFO_HEADER_IN, let bytes, let transfer = transfer(context) else { return 0 }
    transfer.shown(headerLine: UnsafeMutableRawBufferPointer(start: bytes, count: count))
    return 0
}

let receiveBody: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let transfer = transfer(context) else { return 0 }
    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer.received(body: body).result(of: body.count)
}

let sendBody: halyard_data_callback = { bytes, size, count, context in
    guard let bytes, let transfer = transfer(context) else { return Int(HALYARD__READFUNC_ABORT) }
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    let (filled, answer) = transfer.send(into: room)
    return switch answer {
    case .goOn: filled
    case .pause: Int(HALYARD__READFUNC_PAUSE)
    case .stop: Int(HALYARD__READFUNC_ABORT)
    }
}

let rewindBody: halyard_seek_callback = { context, offset, origin in
    guard let transfer = transfer(context), origin == 0, transfer.rewind(to: offset) else {
        return HALYARD__SEEKFUNC_FAIL
    }
    return HALYARD__SEEKFUNC_OK
}

let aboutToSend: halyard_prereq_callback = { context, remoteAddress, _, remotePort, localPort in
    guard let transfer = transfer(context) else { return HALYARD__PREREQFUNC_ABORT }
    let isEnded = transfer.turn.hasEnded {
        guard let remoteAddress else { return nil }
        return ConnectionEnds(
            remoteAddress: String(cString: remoteAddress), remotePort: remotePort, localPort: localPort)
    }
    guard transfer.maySend(overEnded: isEnded) else { return HALYARD__PREREQFUNC_ABORT }
    return HALYARD__PREREQFUNC_OK
}

let socketChanged: halyard_socket_callback = { easy, socket, what, context, _ in
    guard let context else { return 0 }
    let transfer = what == HALYARD__POLL_REMOVE ? easy.flatMap { EasyHandle.of(easy: $0)?.transfer } : nil
    loop(context).watch(socket, for: what, isMultiplexed: transfer?.mayBeMultiplexed ?? false)
    return 0
}

let openSocket: halyard_open_callback = { context, _, address in
    guard let context, let address else { return -1 }
    let socket = halyard_open_socket(address)
    if socket >= 0 { loop(context).opened(socket) }
    return socket
}

let closeSocket: halyard_close_callback = { context, socket in
    if let context { loop(context).close(socket) }
    return 0
}

let timerChanged: halyard_timer_callback = { _, milliseconds, context in
    if let context { loop(context).setTimer(milliseconds) }
    return 0
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.flatMap { EasyHandle.of($0).transfer }
}

private func loop(_ context: UnsafeMutableRawPointer) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
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
