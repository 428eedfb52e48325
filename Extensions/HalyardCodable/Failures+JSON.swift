public import Halyard

extension Failures {
    /// Returns an error type that is read from JSON with the mapper of the route or the provider.
    ///
    /// ```swift
    /// let failures = Failures.json(OutOfStock.self, for: 409...409).followed(by: .json(ShopFailure.self))
    /// ```
    ///
    /// It applies to a response whose content type is JSON and whose status is in a range.
    ///
    /// - Parameters:
    ///   - type: The type of the error.
    ///   - keyPath: The path of the value in the JSON, with dots. Defaults to the whole body.
    ///   - statuses: The statuses. Defaults to 400...599.
    /// - Returns: The error type.
    public static func json<Failure: Error & Decodable>(
        _ type: Failure.Type, at keyPath: String = "", for statuses: ClosedRange<Int> = 400...599
    ) -> Failures {
        Failures([
            { response, codec in
                guard statuses.contains(response.status), response.isJSON else { return nil }
                return try response.object(type, at: keyPath, by: codec)
            }
        ])
    }
}
