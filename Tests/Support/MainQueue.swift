import Dispatch

private let isMainKey = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

/// Whether this code runs on the main queue, whose thread is not always the main thread.
package func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: isMainKey) ?? false }
