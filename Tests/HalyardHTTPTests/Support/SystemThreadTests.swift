import HalyardHTTP
import HalyardSystem
import TestSupport
import Testing

#if !canImport(Darwin)
    struct SystemThreadTests {
        @Test func `a write to a closed connection on a borrowed thread leaves no SIGPIPE behind`() async {
            await onThreads(1) { _ in
                // The signal is blocked here, so that a leftover signal is pending and does not end the process.
                let before = mask(SIG_BLOCK, SIGPIPE)
                SystemThread.borrow {
                    #expect(writeToNobody() == EPIPE)
                    #expect(isPending(SIGPIPE))
                }
                #expect(!isPending(SIGPIPE))
                mask(before)
            }
        }

        @Test func `a SIGPIPE that was already pending stays pending`() async {
            await onThreads(1) { _ in
                let before = mask(SIG_BLOCK, SIGPIPE)
                #expect(writeToNobody() == EPIPE)
                SystemThread.borrow { #expect(writeToNobody() == EPIPE) }
                #expect(isPending(SIGPIPE))
                var (one, now) = (set(of: SIGPIPE), timespec())
                #expect(sigtimedwait(&one, nil, &now) == SIGPIPE)
                mask(before)
            }
        }

        @Test func `signals are blocked on a borrowed thread and restored afterwards`() async {
            await onThreads(1) { _ in
                let before = mask(SIG_UNBLOCK, SIGUSR1)
                // An error in the thread's own code is reported as usual.
                SystemThread.borrow { #expect(isBlocked(SIGUSR1) && !isBlocked(SIGSEGV)) }
                #expect(!isBlocked(SIGUSR1))
                mask(SIG_BLOCK, SIGUSR1)
                SystemThread.borrow { #expect(isBlocked(SIGUSR1)) }
                #expect(isBlocked(SIGUSR1))
                mask(before)
            }
        }
    }

    /// Writes to a connection that the peer has closed, and returns the error number.
    private func writeToNobody() -> CInt {
        guard let (one, other) = openSocketPair() else { return errno }
        defer { close(one) }
        close(other)
        return write(one, "x", 1) < 0 ? errno : 0
    }

    private func set(of signal: CInt) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        return set
    }

    /// Changes the signal mask of this thread, and returns the previous mask.
    @discardableResult
    private func mask(_ how: CInt, _ signal: CInt) -> sigset_t {
        var (change, before) = (set(of: signal), sigset_t())
        pthread_sigmask(how, &change, &before)
        return before
    }

    private func mask(_ mask: sigset_t) {
        var mask = mask
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    private func isBlocked(_ signal: CInt) -> Bool {
        var now = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &now)
        return sigismember(&now, signal) == 1
    }

    private func isPending(_ signal: CInt) -> Bool {
        var pending = sigset_t()
        return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1
    }
#endif
