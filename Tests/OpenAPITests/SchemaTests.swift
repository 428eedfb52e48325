import OpenAPIGenerator
import Testing

/// What schemas of every kind become.
struct SchemaTests {
    private func models(_ schemas: String) throws -> [String: Plan.Model] {
        let plan = try DocumentTests.plan("{}", schemas)
        return Dictionary(plan.models.map { ($0.name, $0) }) { first, _ in first }
    }

    private func properties(_ model: Plan.Model?) -> [String: Plan.TypeName] {
        guard case .object(let properties, _) = model?.shape else { return [:] }
        func unwrapped(_ type: Plan.TypeName) -> Plan.TypeName {
            if case .optional(let type) = type { type } else { type }
        }
        return Dictionary(properties.map { ($0.name, unwrapped($0.type)) }) { first, _ in first }
    }

    private func variants(_ model: Plan.Model?) -> [Plan.Variant]? {
        if case .union(let variants, _) = model?.shape { variants } else { nil }
    }

    @Test("what includes or refers to more than it may is an error, and not the end of the process")
    func limits() {
        let included = (1...250).map {
            ##""A\##($0)":{"allOf":[{"$ref":"#/components/schemas/A\##($0 - 1)"}],"properties":{"p":{}}}"##
        }
        let referring = (1...250).map { ##""A\##($0)":{"$ref":"#/components/schemas/A\##($0 - 1)"}"## }
        for links in [included, referring] {
            let schemas = "{\(([#""A0":{"type":"string"}"#] + links).joined(separator: ","))}"
            let error = #expect(throws: DocumentError.self) { try DocumentTests.plan("{}", schemas) }
            #expect(error?.reason.hasPrefix("more than 200") == true, "\(error?.description ?? "")")
        }
    }

    @Test("a member that any part of allOf requires is required, in whatever order")
    func requiredByAPart() throws {
        let models = try models(
            ##"""
            {"A":{"allOf":[{"required":["x"]},{"$ref":"#/components/schemas/B"},{"properties":{"y":{"type":"string"}}}]},
             "B":{"type":"object","properties":{"x":{"type":"string"}}}}
            """##)
        guard case .object(let properties, _) = models["A"]?.shape else { return #expect(Bool(false)) }
        #expect(properties.filter(\.isRequired).map(\.name) == ["x"])
    }

    @Test("a chain of two thousand references is planned, and its models have boxes")
    func chain() throws {
        let links = (1...2000).map {
            ##""A\##($0)":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/A\##($0 - 1)"}}}"##
        }
        let first = #""A0":{"type":"object","properties":{"p":{"type":"string"}}}"#
        let models = try models("{\(([first] + links.reversed()).joined(separator: ","))}")
        #expect(models.count == 2001)
        let boxes = models.values.count { model in
            if case .object(let properties, _) = model.shape { properties.contains(where: \.isBoxed) } else { false }
        }
        #expect(boxes > 10)
    }

    @Test("a union that is itself one of its types loses that type, with a remark")
    func selfUnion() throws {
        let plan = try DocumentTests.plan(
            "{}",
            ##"""
            {"A":{"oneOf":[{"type":"string"},{"$ref":"#/components/schemas/B"},{"type":"integer"}]},
             "B":{"oneOf":[{"type":"boolean"},{"$ref":"#/components/schemas/A"}]}}
            """##)
        #expect(plan.models.map { variants($0)?.map(\.name) } == [["string", "int"], ["bool"]])
        #expect(
            plan.remarks.map(\.description) == [
                "/components/schemas/A: a type that is the union itself is left out",
                "/components/schemas/B: a type that is the union itself is left out",
            ])
    }

    @Test("a member with one text in each type is the discriminator, though the document names none")
    func constantDiscriminator() throws {
        let models = try models(
            ##"""
            {"A":{"anyOf":[{"$ref":"#/components/schemas/B"},
               {"type":"object","title":"Second","required":["kind"],"properties":{"kind":{"const":"c"}}}]},
             "B":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string","enum":["b"]}}}}
            """##)
        guard case .union(let variants, let member) = models["A"]?.shape else { return #expect(Bool(false)) }
        #expect(member == "kind")
        #expect(variants.map(\.tags) == [["b"], ["c"]] && variants.map(\.name) == ["b", "second"])
    }

    @Test("a discriminator without a mapping takes the names of the schemas, and with one its values")
    func discriminators() throws {
        let models = try models(
            ##"""
            {"A":{"oneOf":[{"$ref":"#/components/schemas/B"},{"$ref":"#/components/schemas/C"}],
               "discriminator":{"propertyName":"k","mapping":{"x":"#/components/schemas/B","y":"B"}}},
             "B":{"type":"object","properties":{"k":{"type":"string"}}},
             "C":{"type":"object","properties":{"k":{"type":"string"}}}}
            """##)
        #expect(variants(models["A"])?.map(\.tags) == [["x", "y"], ["C"]])
    }

    @Test("a list of itself is any JSON where it begins again, with a remark")
    func recursiveAlias() throws {
        let plan = try DocumentTests.plan(
            "{}",
            ##"""
            {"A":{"type":"array","items":{"$ref":"#/components/schemas/A"}},
             "B":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A"}}}}
            """##)
        #expect(properties(plan.models.first)["a"] == .array(.plain("JSON")))
        #expect(plan.remarks.map(\.pointer) == ["/components/schemas/A"])
    }

    @Test("values of an enumeration become names, whatever they are")
    func enumerations() throws {
        let models = try models(
            """
            {"Span":{"type":"string","enum":["24h","none","NONE","","é","self"]},
             "Level":{"type":"integer","enum":[-1,0,1]},
             "Rate":{"type":"number","enum":[0.5,1]}}
            """)
        func cases(_ name: String) -> [Plan.Case] {
            if case .enumeration(_, let cases) = models[name]?.shape { cases } else { [] }
        }
        #expect(cases("Span").map(\.name) == ["_24h", "noneValue", "noneValue2", "value", "value2", "self2"])
        #expect(cases("Level").map(\.name) == ["minus1", "n0", "n1"])
        #expect(cases("Level").map(\.literal) == ["-1", "0", "1"])
        #expect(models["Rate"] == nil)
    }

    @Test("a member with the name of the rest of the members gets another one")
    func additionalProperties() throws {
        let models = try models(
            """
            {"A":{"type":"object","properties":{"additionalProperties":{"type":"string"}},"additionalProperties":true}}
            """)
        #expect(properties(models["A"]) == ["additionalProperties2": .plain("String")])
    }

    @Test("a nested type does not hide one of the document")
    func nestedNames() throws {
        let models = try models(
            ##"""
            {"A":{"type":"object","properties":{
               "status":{"type":"object","properties":{"b":{"$ref":"#/components/schemas/Status"}}}}},
             "Status":{"type":"object","properties":{"x":{"type":"string"}}}}
            """##)
        #expect(properties(models["A"])["status"] == .model("A.AStatus"))
        #expect(properties(models["A"]?.nested.first)["b"] == .model("Status"))
    }

    @Test("a reference leads into an array, and through escaped names")
    func references() throws {
        let models = try models(
            ##"""
            {"A":{"type":"object","properties":{
               "x":{"$ref":"#/components/schemas/B~1C/oneOf/1"},"y":{"$ref":"#/components/schemas/B~1C/oneOf/0"}}},
             "B/C":{"oneOf":[{"type":"integer"},{"type":"boolean"}]}}
            """##)
        #expect(properties(models["A"]) == ["x": .plain("Bool"), "y": .plain("Int")])
    }

    @Test("formats become types, several types a union, and text beside known texts is text")
    func formats() throws {
        let models = try models(
            """
            {"A":{"type":"object","properties":{
              "a":{"type":"string","format":"date-time"},"b":{"type":"string","format":"byte"},
              "c":{"type":["string","null"],"format":"uuid"},"d":{"type":"number"},
              "e":{"type":"integer","format":"int64"},"f":{"type":"string","format":"decimal"},
              "g":{"anyOf":[{"type":"string"},{"enum":["x"],"type":"string"}]},"h":{},
              "i":{"type":"object","additionalProperties":{"type":"integer"}},"j":{"type":"array"}}},
             "B":{"type":["string","integer"]}}
            """)
        #expect(
            properties(models["A"]) == [
                "a": .plain("Date"), "b": .plain("Data"), "c": .plain("UUID"), "d": .plain("Double"),
                "e": .plain("Int64"), "f": .plain("String"), "g": .plain("String"), "h": .plain("JSON"),
                "i": .dictionary(.plain("Int")), "j": .array(.plain("JSON")),
            ])
        #expect(variants(models["B"])?.map(\.type) == [.plain("String"), .plain("Int")])
    }

    @Test("alternatives beside members of an object are types with both, unless they add none")
    func alternatives() throws {
        let a = #"{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}"#
        let b = #"{"type":"object","required":["b"],"properties":{"b":{"type":"string"}}}"#
        let models = try models(
            ##"""
            {"A":\##(a),"B":\##(b),
             "Beside":{"type":"object","properties":{"c":{"type":"integer"}},"oneOf":[
               {"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/B"}]},
             "Within":{"allOf":[{"properties":{"c":{"type":"integer"}}},{"oneOf":[
               {"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/B"}]}]},
             "Limits":{"type":"object","properties":{"c":{"type":"integer"}},"anyOf":[
               {"required":["c"]},{"properties":{"c":{"minimum":1}}}]},
             "Pet":{"type":"object","properties":{"kind":{"type":"string"}},"discriminator":{"propertyName":"kind"},
               "oneOf":[{"$ref":"#/components/schemas/Cat"}]},
             "Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"properties":{"lives":{"type":"integer"}}}]}}
            """##)
        for name in ["Beside", "Within"] {
            let names = variants(models[name])?.map(\.type) ?? []
            #expect(names == [.model("\(name).\(name)A"), .model("\(name).\(name)B")])
            #expect(models[name]?.nested.map { properties($0).keys.sorted() } == [["a", "c"], ["b", "c"]])
        }
        #expect(properties(models["Limits"]) == ["c": .plain("Int")])
        #expect(variants(models["Pet"])?.map(\.type) == [.model("Cat")])
        #expect(properties(models["Cat"]).keys.sorted() == ["kind", "lives"])
    }

    @Test("members with other names are kept, whichever part of allOf allows them")
    func others() throws {
        let models = try models(
            #"{"A":{"allOf":[{"properties":{"a":{}}},{"additionalProperties":{"type":"integer"}}]}}"#)
        guard case .object(_, let others) = models["A"]?.shape else { return #expect(Bool(false)) }
        #expect(others == .plain("Int"))
    }

    @Test("what is only written is never required, because responses do not have it")
    func writeOnly() throws {
        let models = try models(
            #"{"A":{"type":"object","required":["a","b"],"properties":{"a":{"type":"string","writeOnly":true},"b":{"type":"string"}}}}"#
        )
        guard case .object(let properties, _) = models["A"]?.shape else { return #expect(Bool(false)) }
        #expect(properties.map(\.isRequired) == [false, true])
    }

    @Test("readOnly and writeOnly hold beside a reference, and in any part of allOf")
    func accessBesideReferences() throws {
        let models = try models(
            ##"""
            {"T":{"type":"string","enum":["x"]},
             "A":{"required":["a","b","c"],"allOf":[
               {"properties":{"a":{"$ref":"#/components/schemas/T","writeOnly":true},"b":{"type":"string"},
                "c":{"$ref":"#/components/schemas/T"}}},
               {"properties":{"b":{"writeOnly":true},"c":{"readOnly":true}}}]}}
            """##)
        guard case .object(let properties, _) = models["A"]?.shape else { return #expect(Bool(false)) }
        #expect(properties.map(\.isRequired) == [false, false, true])
        #expect(properties.map(\.isReadOnly) == [false, false, true])
    }

    @Test("no properties beside alternatives are none")
    func emptyProperties() throws {
        let models = try models(
            #"{"A":{"properties":{},"oneOf":[{"type":"string"},{"type":"integer"}]}}"#)
        #expect(variants(models["A"])?.map(\.type) == [.plain("String"), .plain("Int")])
    }

    @Test("an enumeration takes only its own values where another text is possible")
    func enumerationsInUnions() throws {
        let models = try models(
            """
            {"A":{"oneOf":[{"type":"string","enum":["x","y"]},{"type":"string","enum":["z"]},{"type":"integer"}]},
             "B":{"oneOf":[{"type":"string","enum":["x"]},{"type":"integer"}]}}
            """)
        #expect(variants(models["A"])?.map(\.known) == [["x", "y"], ["z"], []])
        #expect(variants(models["B"])?.map(\.known) == [[], []])
    }

    @Test("a number or a Boolean tells types apart as well")
    func tags() throws {
        let models = try models(
            """
            {"A":{"oneOf":[
              {"type":"object","properties":{"v":{"type":"integer","enum":[1]}}},
              {"type":"object","properties":{"v":{"const":true}}}]}}
            """)
        #expect(variants(models["A"])?.map(\.tags) == [["1"], ["true"]])
    }

    @Test("thousands of equal names and of unions in a chain take no long time", .timeLimit(.minutes(1)))
    func many() throws {
        let same = (0..<4000).map { #""a\#(String(repeating: "_", count: $0))":{"enum":["x"]}"# }
        #expect(try models("{\(same.joined(separator: ","))}").count == 4000)
        let unions = (1...2000).map {
            ##""U\##($0)":{"oneOf":[{"$ref":"#/components/schemas/U\##($0 - 1)"},{"type":"integer"}]}"##
        }
        let schemas = [#""U0":{"oneOf":[{"type":"boolean"},{"type":"integer"}]}"#] + unions
        #expect(try models("{\(schemas.joined(separator: ","))}").count == 2001)
    }

    @Test("a member with several values of its own in each type tells them apart as well")
    func sharedTags() throws {
        let models = try models(
            """
            {"A":{"oneOf":[
              {"type":"object","properties":{"type":{"type":"string","enum":["redirect"]}}},
              {"type":"object","required":["type"],"properties":{"type":{"type":"string","enum":["sdk","wallet"]}}}]},
             "B":{"oneOf":[
              {"type":"object","properties":{"type":{"type":"string","enum":["a","b"]}}},
              {"type":"object","properties":{"type":{"type":"string","enum":["b","c"]},"d":{"type":"string"}}}]}}
            """)
        #expect(variants(models["A"])?.map(\.tags) == [["redirect"], ["sdk", "wallet"]])
        // The values of both overlap, so that the type with more members is tried first.
        #expect(variants(models["B"])?.map(\.name) == ["variant2", "variant1"])
        guard case .union(_, let discriminator) = models["B"]?.shape else { return #expect(Bool(false)) }
        #expect(discriminator == nil)
    }

    @Test("an object whose discriminator names others is one of them, and each has its members")
    func subtypes() throws {
        let models = try models(
            ##"""
            {"App":{"type":"object","required":["mode"],"properties":{"mode":{"type":"string"}},
               "discriminator":{"propertyName":"mode","mapping":{"A":"#/components/schemas/One","B":"Two"}}},
             "One":{"allOf":[{"$ref":"#/components/schemas/App"},{"properties":{"a":{"type":"string"}}}]},
             "Two":{"type":"object","properties":{"b":{"type":"string"}}}}
            """##)
        #expect(variants(models["App"])?.map(\.tags) == [["A"], ["B"]])
        #expect(properties(models["One"]).keys.sorted() == ["a", "mode"])
        #expect(models["App"]?.nested.map { properties($0).keys.sorted() } == [["b", "mode"]])
    }

    @Test("a union within another is tried last, because it takes any value")
    func unionWithin() throws {
        let models = try models(
            ##"""
            {"A":{"oneOf":[{"$ref":"#/components/schemas/B"},{"type":"object","properties":{"c":{"type":"string"}}}]},
             "B":{"oneOf":[{"type":"integer"},{"type":"boolean"}]}}
            """##)
        #expect(variants(models["A"])?.map(\.name) == ["variant2", "b"])
    }

    @Test("an alternative that adds no member is one of them")
    func emptyAlternative() throws {
        let models = try models(
            """
            {"A":{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"oneOf":[
              {"not":{"required":["b"]}},{"type":"object","properties":{"b":{"type":"string"}}}]}]}}
            """)
        #expect(models["A"]?.nested.map { properties($0).keys.sorted() } == [["a", "b"], ["a"]])
    }

    @Test("no model hides a type of Swift, Foundation or Halyard")
    func otherTypes() throws {
        let object = #"{"type":"object","properties":{"a":{"type":"string"}}}"#
        let models = try models(#"{"Error":\#(object),"task":\#(object),"ErrorModel":\#(object)}"#)
        #expect(models.keys.sorted() == ["ErrorModel", "ErrorModel2", "TaskModel"])
    }

    @Test("a member that is deprecated says so")
    func deprecated() throws {
        let models = try models(
            #"{"A":{"type":"object","properties":{"a":{"type":"string","description":"b","deprecated":true}}}}"#)
        guard case .object(let properties, _) = models["A"]?.shape else { return #expect(Bool(false)) }
        #expect(properties.first?.summary == "b\n\nDeprecated.")
    }

    @Test("an object that its own discriminator maps to, and a name for it, are types with its members")
    func mappedToItself() throws {
        let models = try models(
            ##"""
            {"A":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}},"discriminator":{
               "propertyName":"k","mapping":{"a":"A","b":"B","c":"C","d":"Gone"}}},
             "B":{"allOf":[{"$ref":"#/components/schemas/A"}],"description":"B"},
             "C":{"allOf":[{"$ref":"#/components/schemas/A"},{"properties":{"c":{"type":"string"}}}]}}
            """##)
        #expect(variants(models["A"])?.map(\.tags) == [["a"], ["b"], ["c"]])
        #expect(models["A"]?.nested.map { properties($0).keys.sorted() } == [["k"], ["k"]])
    }

    @Test("alternatives beside allOf, and those that only require a member, are types with all members")
    func moreAlternatives() throws {
        let models = try models(
            ##"""
            {"A":{"allOf":[{"$ref":"#/components/schemas/Base"}],"oneOf":[
               {"properties":{"b":{"type":"string"}}},{"properties":{"c":{"type":"string"}}}]},
             "B":{"type":"object","properties":{"a":{"type":"string"}},"discriminator":{"propertyName":"a"},"oneOf":[
               {"required":["a"]},{"required":["c"],"properties":{"c":{"type":"string"}}}]},
             "Base":{"type":"object","properties":{"a":{"type":"string"}}}}
            """##)
        #expect(models["A"]?.nested.map { properties($0).keys.sorted() } == [["a", "b"], ["a", "c"]])
        #expect(models["B"]?.nested.map { properties($0).keys.sorted() } == [["a"], ["a", "c"]])
    }

    @Test("what is not read of alternatives is said")
    func unread() throws {
        let plan = try DocumentTests.plan(
            "{}",
            ##"""
            {"A":{"type":"object","properties":{"a":{"type":"string"}},"oneOf":[
               {"$ref":"#/components/schemas/B"},{"properties":{"c":{"type":"string"}}}]},
             "B":{"oneOf":[{"type":"object","properties":{"b":{"type":"string"}}},{"type":"object"}]},
             "C":{"type":"object","properties":{"a":{"type":"string"}},"discriminator":{"propertyName":"a","mapping":{
               "x":"https://example.com/other.json"}}}}
            """##)
        #expect(
            plan.remarks.map(\.description) == [
                "/components/schemas/A: a type of it is one of several itself, which are left out (/components/schemas/B)",
                "/components/schemas/C: its discriminator maps to https://example.com/other.json, which is not there",
                "/components/schemas/C: its discriminator names no other schemas. It is read as this type alone",
            ])
    }

    @Test("a list of values of a member that may be missing tells no types apart")
    func openMember() throws {
        let models = try models(
            """
            {"A":{"oneOf":[
              {"type":"object","required":["id"],"properties":{"id":{"type":"string"},"s":{"type":"string","enum":["a","b"]}}},
              {"type":"object","properties":{"s":{"type":"string","enum":["c","d"]}}}]}}
            """)
        guard case .union(_, let discriminator) = models["A"]?.shape else { return #expect(Bool(false)) }
        #expect(discriminator == nil)
    }

    @Test("types that are exponentially many are an error")
    func exponential() {
        var schema = #"{"type":"string"}"#
        for _ in 0..<20 {
            schema =
                #"{"type":"object","properties":{"a":\#(schema)},"oneOf":[{"properties":{"b":{}}},{"properties":{"c":{}}}]}"#
        }
        let error = #expect(throws: DocumentError.self) { try models(#"{"A":\#(schema)}"#) }
        #expect(error?.reason == "the document has more than 50000 types")
    }

    @Test("a union without a type is any JSON")
    func emptyUnion() throws {
        let plan = try DocumentTests.plan(
            "{}",
            ##"""
            {"U":{"oneOf":[{"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/B"}]},
             "A":{"allOf":[{"$ref":"#/components/schemas/U"}]},"B":{"allOf":[{"$ref":"#/components/schemas/U"}]}}
            """##)
        let text = plan.files(Plan.Style(isPublic: false, command: "test")).map(\.text).joined()
        #expect(text.contains("self = .other(try container.decode(JSON.self))") && !text.contains("else"))
    }
}
