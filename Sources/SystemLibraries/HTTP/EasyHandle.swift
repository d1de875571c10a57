import CCurl
import Glibc

/// One request in libcurl's hands. Used by the transfer thread alone.
final class EasyHandle {
    /// Bytes that the kernel keeps for a connection before it sends them.
    private static let mostUnsent: Int32 = 256 << 10
    let pointer: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// Where libcurl writes what went wrong.
    private let reason = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init(_ request: HTTPRequest, _ settings: HTTPSettings) throws(HTTPFailure) {
        guard let pointer = curl_easy_init() else { throw .disconnected("libcurl has no memory") }
        self.pointer = pointer
        reason.initialize(repeating: 0)
        try prepareConnection(settings)
        try prepare(request)
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(headers)
        reason.deallocate()
    }

    private func prepareConnection(_ settings: HTTPSettings) throws(HTTPFailure) {
        // Without it libcurl uses SIGALRM while it looks up a name.
        try set(CURLOPT_NOSIGNAL, 1)
        // A name that is looked up for long must not hold up the thread when the request is given up.
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(settings.connecting / .milliseconds(1)))
        // Servers close idle connections after 20 s or more.
        try set(CURLOPT_MAXAGE_CONN, 15)
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // No proxy but the one that is given: libcurl would look into the environment by itself, and passes over HTTP_PROXY there.
        try set(CURLOPT_PROXY, settings.proxy?.address ?? "")
        try set(CURLOPT_NOPROXY, settings.proxy?.exceptions ?? "")
        // The proxy's answer to CONNECT must not count as the server's.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // No other address than the one asked for.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        if let certificates = settings.certificates {
            try set(CURLOPT_CAINFO, certificates)
            // These, and not the system's beside them.
            try check(docfs_curl_set_text(pointer, CURLOPT_CAPATH, nil))
        }
    }

    private func prepare(_ request: HTTPRequest) throws(HTTPFailure) {
        try set(CURLOPT_URL, request.url)
        // Else `a/../b` would be sent as `b`.
        try set(CURLOPT_PATH_AS_IS, 1)
        if let length = request.bodyLength {
            try set(CURLOPT_UPLOAD, 1)
            try check(docfs_curl_set_size(pointer, CURLOPT_INFILESIZE_LARGE, Int(length)))
            if length > 64 << 10 { try set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10) }
        } else {
            try set(CURLOPT_BUFFERSIZE, 256 << 10)
        }
        if request.method == "HEAD" { try set(CURLOPT_NOBODY, 1) }
        try set(CURLOPT_CUSTOMREQUEST, request.method)
        // Two that libcurl adds unless they are named without a value: one would wait a second for "100 Continue".
        for line in ["Expect:", "Accept:"] + request.headerLines {
            guard let extended = curl_slist_append(headers, line) else { throw .disconnected("libcurl has no memory") }
            headers = extended
        }
        try check(docfs_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, headers))
        try check(docfs_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, reason.baseAddress))
    }

    /// - Parameter transfer: not retained, since it owns this handle: libcurl calls back only while the transfer thread
    ///   is in a call to libcurl, and that thread holds each transfer until its handle is removed.
    func callBack(_ transfer: Transfer) throws(HTTPFailure) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA] {
            try check(docfs_curl_set_pointer(pointer, option, context))
        }
        try check(
            docfs_curl_set_data_function(pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return EasyHandle.transfer(context).receive(bytes) ? bytes.count : Int(CURL_WRITEFUNC_PAUSE)
            })
        try check(
            docfs_curl_set_data_function(pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                EasyHandle.transfer(context).receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
                return size * count
            })
        try check(
            docfs_curl_set_data_function(pointer, CURLOPT_READFUNCTION) { bytes, size, count, context in
                let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                return EasyHandle.transfer(context).send(buffer) ?? Int(CURL_READFUNC_PAUSE)
            })
        try check(
            docfs_curl_set_socket_function(pointer) { _, socket, _ in
                // The kernel takes no more than this ahead of what it has sent, else megabytes: they would count as sent, and an answer that
                // ends the request early would come behind them. What is on its way is not limited by it. A kernel without it is only less exact.
                var unsent = EasyHandle.mostUnsent
                setsockopt(
                    socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsent,
                    socklen_t(MemoryLayout.size(ofValue: unsent)))
                // libcurl 7.88 lets children inherit its connections.
                return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR
            })
    }

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context else { fatalError("libcurl calls back without a context") }
        return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
        try check(docfs_curl_set_long(pointer, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(HTTPFailure) {
        try check(docfs_curl_set_text(pointer, option, value))
    }

    private func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else { throw .disconnected("libcurl: \(String(cString: curl_easy_strerror(code)))") }
    }

    /// Waits with what is named, and goes on with the rest: within this call, with what libcurl has kept meanwhile.
    func pause(receiving: Bool, sending: Bool) {
        curl_easy_pause(pointer, (receiving ? CURLPAUSE_RECV : 0) | (sending ? CURLPAUSE_SEND : 0))
    }

    /// Of the answer, as soon as its head has arrived.
    var status: Int { number(CURLINFO_RESPONSE_CODE) }

    /// The result that the end of the transfer means.
    func end(_ code: CURLcode, of request: HTTPRequest) -> Result<Void, HTTPFailure> {
        if code == CURLE_OK { return .success(()) }
        return .failure(
            HTTPFailure(
                code, server: request.authority, errno: Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)),
                reason: reason.baseAddress.map { String(cString: $0) } ?? ""))
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        docfs_curl_get_long(pointer, info, &value)
        return value
    }
}
