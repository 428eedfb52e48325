#!/usr/bin/env python3
"""Measures the generator of clients: its time and memory, and what it costs to compile what it writes.

    Tests/Benchmarks/generator.py [--document FILE] [--operations N] [--check] [--out FOLDER] [--scratch FOLDER]

Without a document it makes one of N operations and N models, 1,000 by default, with texts as long as real ones. All
figures are of one run. The models are compiled twice: as they are, and as the same structures without conformances.
--check exits with status 1 if a goal is missed.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def made_document(count):
    """A document of as many operations as models, each with twelve members, one of which is another model."""
    text = "It says what the member means, in a sentence or two as real documents have them. " * 8
    scalars = [
        {"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": "string", "format": "date-time"},
        {"type": "number"}, {"type": "array", "items": {"type": "string"}}, {"type": "string", "format": "uri"},
        {"type": "string", "enum": ["open", "closed", "merged"]}, {"type": "integer", "format": "int64"},
        {"type": "string", "nullable": True}, {"type": "object", "properties": {"a": {"type": "string"}}},
    ]
    schemas, paths = {}, {}
    for index in range(count):
        members = {f"member_{number}": {**schema, "description": text} for number, schema in enumerate(scalars)}
        members["other"] = {"$ref": f"#/components/schemas/model-{index // 10 * 10 + (index + 3) % min(10, count)}"}
        schemas[f"model-{index}"] = {"type": "object", "required": list(members)[:6], "properties": members}
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/model-{index}"}}}
        paths[f"/group{index % 40}/items{index}/{{id}}"] = {
            "put": {
                "tags": [f"group{index % 40}"], "operationId": f"group{index % 40}/change-{index}",
                "description": text * 4,
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                    {"name": "page", "in": "query", "description": text, "schema": {"type": "integer"}},
                ],
                "requestBody": {"required": True, "content": content},
                "responses": {"200": {"description": "", "content": content}},
            }
        }
    info = {"title": "Made", "version": "1"}
    return {"openapi": "3.0.3", "info": info, "paths": paths, "components": {"schemas": schemas}}


def measured(command, folder):
    """Runs a command. Returns the seconds, the seconds of processor time, and the peak megabytes of a process."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed:\n{errors[-3000:]}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def compiled(folder, modules, files):
    """Compiles files of Swift as one module in debug. swiftc waits for its own processes, so their time counts."""
    objects = folder / "objects"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir(parents=True)
    command = [
        "swiftc", "-swift-version", "6", "-Onone", "-g", "-enable-batch-mode", f"-j{os.cpu_count()}", "-c",
        "-parse-as-library", "-module-name", "Made", "-package-name", "made", "-I", str(modules / "Modules"),
    ]
    for map in modules.glob("CHalyard*.build/module.modulemap"):
        command += ["-Xcc", f"-fmodule-map-file={map}"]
    return measured(command + [str(file) for file in files], objects)


def without_conformances(text):
    """The structures of a file of models, with their members alone."""
    lines, kept, skipped = text.split("\n"), [], None
    for line in lines:
        if skipped is not None:
            skipped = None if line == skipped else skipped
            continue
        if re.match(r" *(init\(reading|func write\(to|init\(from decoder|func encode\(to)", line):
            skipped = re.match(" *", line)[0] + "}"
            continue
        line = re.sub(r"(struct \S+): (APIModel|OpenEnum) \{", r"\1 {", line)
        kept.append(re.sub(r"(enum \S+): APIValue \{", r"\1 {", line))
    # A box wants to be able to compare its value.
    text = "\n".join(kept).replace("@Boxed ", "@Bare ")
    return re.sub(r"private static let memberNames[^\]]*\]", "", text)


BARE = """
final class Holder<Value> { let value: Value; init(_ value: Value) { self.value = value } }
@propertyWrapper struct Bare<Value> {
    private var holder: Holder<Value>
    init(wrappedValue: Value) { holder = Holder(wrappedValue) }
    var wrappedValue: Value { get { holder.value } set { holder = Holder(newValue) } }
}
"""


CALLS = """
import Foundation
import HalyardOpenAPI
import HalyardTesting

struct Item: Codable, Hashable, Sendable {
    var id: Int, name: String, note: String?, isNew: Bool, madeAt: Date, tags: [String], price: Double, home: URL
}

extension CallsAPI {
    static func change(id: Int, page: Int? = nil, body: Item) -> Endpoint<Void, Item> {
        Route(path: "/things/\\(id)", method: .put, params: ["page": page], body: .json(body)).returning(Item.self)
    }
}

let text = #"{"id":1,"name":"a name","isNew":true,"madeAt":"2024-01-31T12:00:00Z","tags":["a","b"],"price":1.5,"home":"https://example.com/a"}"#
let stub = StubTransport().on(.put, "/things/{id}", .json(text: text))
let api = CallsAPI(client: HTTPClient(transport: stub))
let decoder = JSONDecoder()
decoder.dateDecodingStrategy = .iso8601
let item = try decoder.decode(Item.self, from: Data(text.utf8))
let thing = try decoder.decode(Thing.self, from: Data(text.utf8))
let clock = ContinuousClock()
var (written, generated) = (Duration.seconds(1000), Duration.seconds(1000))
for _ in 0..<31 {
    written = min(written, try await clock.measure {
        for id in 0..<300 { _ = try await api.send(CallsAPI.change(id: id, page: 2, body: item)) }
    })
    generated = min(generated, try await clock.measure {
        for id in 0..<300 { _ = try await api.send(CallsAPI.Things.change(id: id, body: thing, page: 2)) }
    })
}
print(generated / written)
"""

CALLS_PACKAGE = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Calls", platforms: [.macOS(.v13)], dependencies: [.package(name: "Halyard", path: "ROOT")],
    targets: [
        .executableTarget(
            name: "Calls", dependencies: [
                .product(name: "HalyardOpenAPI", package: "Halyard"), .product(name: "HalyardTesting", package: "Halyard"),
            ])
    ])
"""


def call_ratio(scratch, generator):
    """The time of a call through generated code, beside one by hand with the same members: the best of 31 rounds."""
    members = {
        "id": {"type": "integer"}, "name": {"type": "string"}, "note": {"type": "string"}, "isNew": {"type": "boolean"},
        "madeAt": {"type": "string", "format": "date-time"}, "tags": {"type": "array", "items": {"type": "string"}},
        "price": {"type": "number"}, "home": {"type": "string", "format": "uri"},
    }
    required = [name for name in members if name != "note"]
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/thing"}}}
    operation = {
        "operationId": "change", "tags": ["things"], "requestBody": {"required": True, "content": content},
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
            {"name": "page", "in": "query", "schema": {"type": "integer"}},
        ],
        "responses": {"200": {"description": "", "content": content}},
    }
    document = {
        "openapi": "3.0.3", "info": {"title": "Calls", "version": "1"}, "servers": [{"url": "https://example.com"}],
        "paths": {"/things/{id}": {"put": operation}},
        "components": {"schemas": {"thing": {"type": "object", "required": required, "properties": members}}},
    }
    folder = scratch / "calls"
    sources = folder / "Sources/Calls"
    shutil.rmtree(sources, ignore_errors=True)
    sources.mkdir(parents=True)
    (folder / "calls.json").write_text(json.dumps(document))
    (folder / "Package.swift").write_text(CALLS_PACKAGE.replace("ROOT", str(ROOT)))
    (sources / "main.swift").write_text(CALLS)
    subprocess.run([generator, folder / "calls.json", "--output", sources / "API"], check=True, stdout=subprocess.DEVNULL)
    build = ["swift", "build", "-c", "release", "--package-path", folder, "--scratch-path", scratch / "build"]
    subprocess.run(build, check=True)
    return float(subprocess.run([scratch / "build/release/Calls"], check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--document", type=Path)
    parser.add_argument("--operations", type=int, default=1000)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--scratch", type=Path, default=ROOT / "Tests/Benchmarks/.build/generator")
    arguments = parser.parse_args()
    scratch = arguments.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)

    document = arguments.document and arguments.document.resolve()
    if not document:
        document = scratch / "made.json"
        document.write_text(json.dumps(made_document(arguments.operations)))
    for extra in (["-c", "release", "--product", "halyard-openapi"], ["--target", "HalyardOpenAPI"]):
        subprocess.run(["swift", "build", "--scratch-path", scratch / "build", *extra], cwd=ROOT, check=True)
    generator, modules = scratch / "build/release/halyard-openapi", scratch / "build/debug"

    def generated(name, *options):
        output = scratch / name
        shutil.rmtree(output, ignore_errors=True)
        result = measured([generator, document, "--output", output, "--name", "MadeAPI", *options], scratch)
        return result, sorted(output.glob("*.swift"))

    (seconds, _, peak), files = generated("all")
    lines = sum(len(file.read_text().split("\n")) for file in files)
    rows = [
        (f"generate {document.stat().st_size / 1e6:.1f} MB, {lines:,} lines", f"{seconds:.2f} s", seconds <= 3, "3 s"),
        ("its peak memory", f"{peak:.0f} MB", peak <= 500, "500 MB"),
    ]

    models = [file for file in files if "+Models" in file.name and "import HalyardOpenAPI" in file.read_text()]
    bare = scratch / "bare"
    shutil.rmtree(bare, ignore_errors=True)
    bare.mkdir()
    for file in models:
        (bare / file.name).write_text(without_conformances(file.read_text()))
    (bare / "Bare.swift").write_text(BARE)
    _, plain, _ = compiled(bare, modules, sorted(bare.glob("*.swift")))
    _, whole, _ = compiled(scratch / "models", modules, models)
    ratio = whole / plain
    rows.append(("compile the models, beside bare structures", f"{ratio:.2f}", ratio <= 2.5, "2.5"))
    wall, _, peak = compiled(scratch / "client", modules, files)
    rows.append(("compile the whole client, debug", f"{wall:.0f} s, {peak:.0f} MB", peak <= 3000, "3000 MB"))

    paths = json.loads(document.read_text())["paths"]
    chosen, count = [], 0
    for path, item in paths.items():
        if count < 20 and "," not in path:
            chosen.append(path)
            count += sum(method in METHODS for method in item)
    _, few = generated("few", "--paths", ",".join(chosen))
    (scratch / "empty").mkdir(exist_ok=True)
    (scratch / "empty/Empty.swift").write_text("import Foundation\nimport HalyardOpenAPI\nlet empty: URL? = nil\n")
    empty, _, _ = compiled(scratch / "empty", modules, [scratch / "empty/Empty.swift"])
    some, _, _ = compiled(scratch / "few", modules, few)
    rows.append((f"compile {count} operations, beyond an empty file", f"{some - empty:.1f} s", some - empty <= 10, "10 s"))

    ratio = call_ratio(scratch, generator)
    rows.append(("a generated call, beside a hand-written one", f"{ratio:.2f}", ratio <= 1.1, "1.1"))

    table = "| | figure | goal |\n|---|---|---|\n"
    table += "".join(f"| {name} | {figure} | {goal}{'' if holds else ', missed'} |\n" for name, figure, holds, goal in rows)
    print(table)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "generator.md").write_text(table)
    if arguments.check and not all(row[2] for row in rows):
        sys.exit(1)


METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

if __name__ == "__main__":
    main()
