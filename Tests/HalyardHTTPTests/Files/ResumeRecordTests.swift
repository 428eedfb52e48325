import Foundation
import Testing

@testable import HalyardHTTP

/// The range that is requested for a partial body, and the use of the response, without a network or a disk.
struct ResumeRecordTests {
    private func known(_ validator: String = "\"a\"", total: Int64? = 100) throws -> ResumeRecord {
        let validator = try #require(StrongValidator(stored: validator))
        return ResumeRecord(requestHash: "x", source: "y", validator: validator, total: total)
    }

    private func step(
        _ status: Int, _ headers: HTTPHeaders, after length: Int64? = 40, _ validator: String = "\"a\"",
        total: Int64? = 100
    ) throws -> ResumeDecision {
        let rest = try length.flatMap { try known(validator, total: total).rest(after: $0) }
        return try ResumeDecision(after: status, headers, to: rest, requestHash: "x", source: "y")
    }

    @Test("requests the rest, the last byte of a complete file, and no range for an empty or longer one")
    func rest() throws {
        for (length, total, first): (Int64, Int64?, Int64?) in [
            (0, 100, nil), (1, 100, 1), (99, 100, 99), (100, 100, 99), (101, 100, nil), (7, nil, 7), (0, nil, nil),
            (0, 0, nil), (1, 1, nil),
        ] { #expect(try known(total: total).rest(after: length)?.first == first, "\(length) of \(total ?? -1)") }
    }

    @Test("a validator is a strong entity tag, or else a modification date older than the response")
    func validators() {
        let (date, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT")
        let cases: [(HTTPHeaders, String?)] = [
            (["ETag": "\"a\""], "\"a\""), (["ETag": "\"\""], "\"\""), (["ETag": "W/\"a\""], nil), (["ETag": "a"], nil),
            (["ETag": "\"a"], nil), (["ETag": "\""], nil), (["ETag": "\"a\"b\""], nil), (["ETag": "\"é\""], nil),
            (["ETag": "\"a b\""], nil), (["ETag": "\"a\"", "etag": "\"b\""], nil), ([:], nil),
            (["Last-Modified": date, "Date": later], date), (["Last-Modified": date, "Date": date], nil),
            (["Last-Modified": later, "Date": date], nil), (["Last-Modified": date], nil),
            (["Last-Modified": "yesterday", "Date": later], nil),
            (["Last-Modified": date, "Date": later, "ETag": "W/\"a\""], nil),
            (["Last-Modified": date, "Date": later, "ETag": "\"a\""], "\"a\""),
        ]
        for (headers, text) in cases { #expect(StrongValidator(of: headers)?.text == text, "\(text ?? "none")") }
        for text in ["", "W/\"a\"", "\"a\"\r\nX: y", "Sun, 06 Nov\n 1994 08:49:37 GMT"] {
            #expect(StrongValidator(stored: text) == nil)
        }
    }

    @Test("a note says why a body starts over or cannot be resumed; a resumed body has none")
    func notes() throws {
        let (date, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT")
        let rest = try #require(try known().rest(after: 40))
        let cases: [(HTTPHeaders, ResumeRecord.Cause?, ResumeRecord.Cause)] = [
            (["ETag": "\"a\""], nil, .noRanges), (["ETag": "\"b\""], nil, .changed),
            (["ETag": "W/\"a\""], .weakTag, .weakTag), (["ETag": "a"], .unquotedTag, .unquotedTag),
            (["ETag": "\"a\"", "etag": "\"b\""], .severalTags, .severalTags), ([:], .noValidator, .noValidator),
            (["Last-Modified": date, "Date": date], .noValidator, .noValidator),
            (["Last-Modified": date, "Date": later], nil, .changed),
        ]
        for (headers, first, again) in cases {
            #expect(ResumeRecord.note(after: 200, headers, to: nil) == first.map { .cannotBeResumed($0) })
            #expect(ResumeRecord.note(after: 200, headers, to: rest) == .startsOver(again))
            let note = ResumeRecord.note(after: 200, headers, to: nil, noResumeReason: .anotherSource)
            #expect(note == .startsOver(first ?? .anotherSource))
        }
        #expect(ResumeRecord.note(after: 206, [:], to: rest) == nil)
        #expect(ResumeRecord.note(after: 203, ["ETag": "\"a\""], to: nil) == .cannotBeResumed(.anotherStatus))
        #expect("\(ResumeRecord.Note.startsOver(.changed))" == "starts over: the body has changed on the server")
    }

    @Test(
        "a length that does not match the range or is not a number is refused",
        arguments: [
            "59", "61", "9223372036854775807", "9223372036854775808", "-60", "6e1", "",
        ])
    func impossibleLength(length: String) throws {
        let headers: HTTPHeaders = ["Content-Range": "bytes 40-99/100", "ETag": "\"a\"", "Content-Length": length]
        #expect(throws: HTTPError.self) { try step(206, headers) }
        #expect(try step(206, headers.with(length: "60")) == .append(from: 40, to: 100, of: 100))
    }

    @Test("progress has no total if the declared length is impossible")
    func progress() {
        let seen = Lock<[TransferProgress]>([])
        var meter = ProgressMeter(.download, total: .max, step: 1) { _, progress in
            seen.withLock { $0.append(progress) }
        }
        meter.offset = 5
        meter.advance(to: 3)
        meter.total = .max - 5
        meter.advance(to: 4)
        #expect(seen.withLock { $0 } == [.init(completed: 8, total: nil), .init(completed: 9, total: .max)])
    }

    @Test("a Content-Range needs the unit bytes, a first and last position, and a length")
    func ranges() throws {
        let range = try #require(ContentRange("Bytes 100-199/200"))
        #expect(range.first == 100 && range.last == 199 && range.total == 200)
        #expect(ContentRange("bytes 0-0/*")?.last == 0)
        for text in [
            "", "bytes", "bytes 0-1", "bytes 2-1/5", "bytes 0-5/5", "bytes */5", "items 0-1/5", "bytes=0-1/5",
            "bytes  0-1/5", "bytes 0 -1/5", "bytes +0-1/5", "bytes 0-1/5, bytes 2-3/5", "bytes -1/5", "bytes 0-/5",
            "bytes 0-1/", "bytes 0-1/5/6", "bytes 0-99999999999999999999/*", "bytes 0-1/٥",
        ] { #expect(ContentRange(text) == nil, "\(text)") }
    }

    @Test("a matching 206 is appended to the existing bytes")
    func continuation() throws {
        let range = "bytes 40-99/100"
        #expect(try step(206, ["Content-Range": range]) == .append(from: 40, to: 100, of: 100))
        let all: HTTPHeaders = ["Content-Range": range, "ETag": "\"a\"", "Content-Length": "60"]
        #expect(try step(206, all) == .append(from: 40, to: 100, of: 100))
        #expect(try step(206, ["Content-Range": "bytes 40-59/100"]) == .append(from: 40, to: 60, of: 100))
        #expect(try step(206, ["Content-Range": "bytes 40-99/*"]) == .append(from: 40, to: 100, of: 100))
        #expect(try step(206, ["Content-Range": range], total: nil) == .append(from: 40, to: 100, of: 100))
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let dated: HTTPHeaders = ["Content-Range": range, "Last-Modified": date, "ETag": "\"new\""]
        #expect(try step(206, dated, date) == .append(from: 40, to: 100, of: 100))
    }

    @Test("a 206 that does not match fails with the reason and a suggestion")
    func mismatches() throws {
        let range = "bytes 40-99/100"
        let cases: [(HTTPHeaders, String)] = [
            ([:], "no valid Content-Range"), (["Content-Range": "bytes 0-99/100"], "begins at byte 0, but byte 40"),
            (["Content-Range": "bytes 41-99/100"], "begins at byte 41"),
            (["Content-Range": "items 40-99/100"], "no valid Content-Range"),
            (["Content-Range": range, "content-range": range], "no valid Content-Range"),
            (["Content-Range": range, "ETag": "\"b\""], "has changed"),
            (["Content-Range": range, "ETag": "W/\"a\""], "has changed"),
            (["Content-Range": "bytes 40-100/101"], "length of the whole body has changed"),
            (["Content-Range": "bytes 40-100/*"], "length of the whole body has changed"),
            (["Content-Range": range, "Content-Length": "59"], "contradict"),
            (["Content-Range": range, "Content-Encoding": "gzip"], "compressed"),
            (["Content-Type": "Multipart/Byteranges; boundary=x"], "several parts"),
        ]
        for (headers, words) in cases {
            let error = #expect(throws: HTTPError.self) { try step(206, headers) }
            #expect(error?.kind == .invalidResponse)
            #expect(error?.reason?.contains(words) == true, "\(error?.reason ?? "")")
            #expect(error?.suggestion != nil)
        }
        #expect(throws: HTTPError.self) { try step(206, ["Content-Range": "bytes 40-99/*"], total: nil) }
        #expect(throws: HTTPError.self) { try step(206, ["Content-Range": "bytes 0-99/100"], after: nil) }
    }

    @Test("a 200 starts over; without a validator it goes to a separate file, like any other 2xx")
    func beginnings() throws {
        for length in [nil, 40] as [Int64?] {
            let headers: HTTPHeaders = ["ETag": "\"b\"", "Content-Length": "7"]
            #expect(try step(200, headers, after: length) == .startOver(known("\"b\"", total: 7)))
            #expect(try step(200, ["ETag": "\"b\""], after: length) == .startOver(known("\"b\"", total: nil)))
            #expect(try step(200, ["Content-Length": "7"], after: length) == .separateFile)
            #expect(try step(200, ["ETag": "W/\"b\""], after: length) == .separateFile)
            for status in [201, 202, 203, 204, 226] {
                #expect(try step(status, headers, after: length) == .separateFile)
            }
            #expect(throws: HTTPError.self) { try step(200, ["Content-Encoding": "br"], after: length) }
        }
    }

    @Test("a record survives a round trip and contains no URL")
    func record() throws {
        let url = try #require(URL(string: "https://h/secret-path?token=secret-word#part"))
        let request = try HTTPRequest(.get, url)
        let validator = try #require(StrongValidator(stored: "\"a\""))
        let (requestHash, source) = (ResumeRecord.requestHash(request), ResumeRecord.source(request))
        let known = ResumeRecord(requestHash: requestHash, source: source, validator: validator, total: 9)
        #expect(ResumeRecord(record: known.record) == known)
        #expect(!String(decoding: known.record, as: UTF8.self).contains("secret"))
        let text = String(decoding: known.record, as: UTF8.self)
        for broken in [
            "", "{}", text.replacing("halyard-download", with: "x"),
            text.replacing("\"version\" : 1", with: "\"version\" : 2"),
            text.replacing("\\\"a\\\"", with: "W/\\\"a\\\""), text.replacing(": 9", with: ": -9"),
        ] { #expect(ResumeRecord(record: Data(broken.utf8)) == nil, "\(broken)") }
    }

    @Test("a request's hash covers the query and the accepted types; its source's hash covers no query")
    func hashes() throws {
        func request(_ text: String, _ headers: HTTPHeaders = [:]) throws -> HTTPRequest {
            try HTTPRequest(.get, #require(URL(string: text)), headers: headers)
        }
        let first = try request("https://h/a?b=1")
        let cases: [(String, HTTPHeaders, Bool, Bool)] = [
            ("https://h/a?b=1#x", [:], true, true), ("https://h/a?b=2", [:], false, true),
            ("https://h/b?b=1", [:], false, false), ("https://i/a?b=1", [:], false, false),
            ("https://h/a?b=1", ["Accept-Language": "de"], false, true),
            ("https://h/a?b=1", ["Authorization": "Bearer x"], true, true),
        ]
        for (text, headers, isAsked, isSource) in cases {
            let other = try request(text, headers)
            #expect((ResumeRecord.requestHash(other) == ResumeRecord.requestHash(first)) == isAsked, "\(text)")
            #expect((ResumeRecord.source(other) == ResumeRecord.source(first)) == isSource, "\(text)")
        }
    }
}

extension HTTPHeaders {
    fileprivate func with(length: String) -> HTTPHeaders {
        var headers = self
        headers[.contentLength] = length
        return headers
    }
}
