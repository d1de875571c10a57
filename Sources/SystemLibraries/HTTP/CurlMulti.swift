import CCrypto
import CCurl

/// libcurl's "multi": transfers, and the connections that they share.
final class CurlMulti: Sendable {
    /// Unsafe because libcurl allows one thread at a time: the transfer thread. Any thread may call `wake`, and the thread
    /// that releases the last reference has no other beside it.
    private nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// Once in a process, before anything else of libcurl: a static property is made by one thread, and others wait.
    private static let isReady = docfs_start_crypto() == 1 && curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    /// No more than so many connections are kept when they are not used.
    private static let mostKept = 256

    init() {
        guard Self.isReady, let pointer = curl_multi_init() else { fatalError("libcurl has no memory") }
        self.pointer = pointer
        // Without this libcurl keeps four times as many as there are transfers, and closes the others.
        docfs_curl_set_multi_long(pointer, CURLMOPT_MAXCONNECTS, Self.mostKept)
        docfs_curl_set_multi_long(pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    deinit { curl_multi_cleanup(pointer) }

    /// Ends the wait of the transfer thread, or its next one.
    func wake() { curl_multi_wakeup(pointer) }

    // MARK: The transfer thread

    func add(_ handle: EasyHandle) throws(HTTPFailure) {
        let result = curl_multi_add_handle(pointer, handle.pointer)
        if result != CURLM_OK { throw .disconnected("libcurl: \(String(cString: curl_multi_strerror(result)))") }
    }

    func remove(_ handle: EasyHandle) { curl_multi_remove_handle(pointer, handle.pointer) }

    /// Carries all transfers on as far as they get without waiting.
    ///
    /// - Parameter finished: called for those that end; may remove them.
    func proceed(_ finished: (_ handle: UnsafeMutableRawPointer?, _ result: CURLcode) -> Void) {
        var running: Int32 = 0, left: Int32 = 0
        curl_multi_perform(pointer, &running)
        while let message = curl_multi_info_read(pointer, &left) {
            // A copy: the message is gone when its handle is removed.
            let message = message.pointee
            if message.msg == CURLMSG_DONE { finished(message.easy_handle, message.data.result) }
        }
    }

    /// Waits until a transfer can go on, or somebody wakes this thread, but no longer than so many milliseconds.
    func wait(_ milliseconds: Int32) { curl_multi_poll(pointer, nil, 0, milliseconds, nil) }
}
