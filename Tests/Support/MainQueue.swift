import Dispatch

private let isMainKey = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

/// Whether this runs on the main queue, whose thread is not always the main one.
package func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: isMainKey) ?? false }
