// error: type 'WrongSerializers' does not conform to protocol 'HTTPProvider'
struct WrongSerializers: HTTPProvider {
    let baseURL = URL(string: "https://api.example.com/v1")!
    let serializers = ["csv"]
}
