func jsonWithAVariable(_ page: Int) {
    // error: cannot convert value of type 'Int' to expected dictionary value type 'JSON'
    let json: JSON = ["page": page, "tags": []]
    print(json)
}
