import Foundation
import HalyardAsync

// The examples of the article on certificates, word for word: they compile, and none is run.

private func roots(_ issuer: URL) {
    struct MusicAPI: HTTPProvider {
        var baseURL = URL(filePath: "/")
        var client: HTTPClient
    }
    // These alone are trusted. From memory: .pem(text)
    let staging = EngineConfiguration(tls: .init(roots: .file(issuer)))
    let api = MusicAPI(client: HTTPClient(engine: staging))
    _ = api
}

private func pins(certificate: URL, key: URL, word: String) throws -> EngineConfiguration {
    var engine = EngineConfiguration()
    engine.tls.pins["api.example.com"] = [
        "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=",  // the current key
        // the next key, kept offline
        "YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=",
    ]
    engine.tls.clientCertificate = .init(
        certificate: certificate, key: key, password: word)
    engine.tls.minimumVersion = .tls13
    return engine
}

private func refused(_ api: some HTTPProvider) async throws {
    do {
        try await api.request(.me).void()
    } catch HTTPError(.tls(.expired)) {
        print("its certificate has expired, or this machine's clock is wrong")
    } catch HTTPError(.tls(.wrongPin)) {
        print("somebody is in between, or the server has a new key")
    } catch let error as HTTPError {
        print(error)  // the host, the reason, and what can be done
    }
}
