func optionalInAPath(_ id: String?) -> Route {
    // error: 'appendInterpolation' is unavailable: only a PathConvertible can be interpolated in a path (String, Int, UUID, ...); unwrap an optional first
    Route(path: "/users/\(id)")
}
