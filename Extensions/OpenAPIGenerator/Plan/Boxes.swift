/// Decides which properties are stored on the heap: those through which a model contains itself, which Swift cannot lay
/// out, and those of large models, because the layouts of models within models multiply.
struct Boxes {
    /// The number of words above which a property is boxed.
    private static let limit = 48

    private var models: [String: Plan.Model]
    private var sizes: [String: Int] = [:]
    private var open: Set<String> = []

    init(_ models: [Plan.Model]) {
        self.models = Dictionary(models.flatMap(\.all).map { ($0.path, $0.model) }) { first, _ in first }
    }

    /// Returns the models with their boxes.
    mutating func place(in list: [Plan.Model]) -> [Plan.Model] {
        for path in list.flatMap(\.all).map(\.path) { _ = size(of: path) }
        return list.map { $0.mapped { path, model in model.shape = models[path]?.shape ?? model.shape } }
    }

    /// The words of a model, whose own boxes are placed on the way.
    private mutating func size(of path: String) -> Int {
        if let size = sizes[path] { return size }
        guard let model = models[path], case .object(var properties, let others) = model.shape else {
            return 2
        }
        open.insert(path)
        var total = others == nil ? 0 : 1
        for index in properties.indices {
            guard case .model(let inner) = properties[index].type.unwrapped else {
                total += 2
                continue
            }
            // A long way from model to model ends in a box as well.
            let size = open.contains(inner) || open.count > 64 ? nil : size(of: inner)
            properties[index].isBoxed = size.map { $0 > Self.limit } ?? true
            total += properties[index].isBoxed ? 1 : size ?? 1
        }
        open.remove(path)
        models[path]?.shape = .object(properties, others: others)
        sizes[path] = total
        return total
    }
}
