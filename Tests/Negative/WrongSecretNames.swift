// error: type 'WrongSecretNames' does not conform to protocol 'HTTPProvider'
struct WrongSecretNames: HTTPProvider {
    let baseURL = URL(string: "https://api.example.com/v1")!
    let secretNames = "iban"
}
