#!/usr/bin/env python3
"""Measures Halyard against libcurl from C, URLSession and wrk, in turns on this machine, and makes ratios of it.

    Tests/Benchmarks/run.py [--rounds N] [--quick] [--only CASE] [--check] [--share] [--out FOLDER]
                            [--against BENCH]

Everything goes over loopback to an nginx of one worker (downloads, small answers) and to a small server of C (uploads).
What is missing is installed: nginx, wrk, and libcurl's header for the peer. Each case runs all its clients in every
round, in changing order; medians are compared. It prints a table, and with --out writes the table and a plot. --check
ends with status 1 where a goal is missed by more than a tenth. --against also runs the `bench` of another version, which
shows what a request pays for what has been added since.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

here = Path(__file__).resolve().parent
arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("--rounds", type=int, default=7)
arguments.add_argument("--quick", action="store_true", help="a tenth of the work: to see that everything runs")
arguments.add_argument("--only", default="", help="cases whose name holds this")
arguments.add_argument("--check", action="store_true")
arguments.add_argument("--share", action="store_true", help="256 MB: clients may run on the servers' core as well")
arguments.add_argument("--out", type=Path)
arguments.add_argument("--against", type=Path, help="the program `bench` of another version")
arguments.add_argument("--scratch", type=Path, default=here / ".build")
options = arguments.parse_args()
scale = 10 if options.quick else 1
work = Path(tempfile.mkdtemp())
# The servers have one core. Over loopback, a client on that core does part of their sending, which counts as its own
# processor time: for the C program twice as much for the same 256 MB. In cases that measure processor time, clients
# therefore have the other cores.
cores = sorted(os.sched_getaffinity(0))
server_core, client_cores = cores[0], not options.share and cores[1:] or cores


def sh(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, **more)


def install(program, package):
    if not shutil.which(program):
        sh("apt-get", "update", "-qq")
        sh("apt-get", "install", "-y", "-qq", "--no-install-recommends", package, stdout=subprocess.DEVNULL)


def build():
    install("nginx", "nginx-light")
    install("wrk", "wrk")
    sh("swift", "build", "-c", "release", "--package-path", here, "--scratch-path", options.scratch, "--product", "bench")
    sh("swift", "build", "-c", "release", "--package-path", here, "--scratch-path", options.scratch, "--product", "hello")
    # The header is unpacked for this alone, and never installed.
    sh("apt-get", "download", "-qq", "libcurl4-openssl-dev", cwd=work)
    sh("dpkg", "-x", next(work.glob("libcurl4*.deb")), work)
    include = next(work.glob("usr/include/**/curl")).parent
    clang = Path(os.path.realpath(shutil.which("swift"))).parent / "clang"
    library = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    library = next(line.split("=>")[1].strip() for line in library.splitlines() if "libcurl.so.4 " in line)
    sh(clang, "-O2", "-I", include, "-o", work / "peer", here / "Peers/peer.c", library)
    sh(clang, "-O2", "-D_GNU_SOURCE", "-o", work / "sink", here / "Peers/sink.c")


ITEMS = [{"id": i, "name": f"Item {i}", "address": f"{i} Main Street, 10{i:03} Springfield", "tags": ["a", "b", "c"],
          "score": i * 1.25, "isActive": i % 2 == 0, "note": None if i % 3 else "x" * 40} for i in range(500)]
LIST_LENGTH = 400 * len(json.dumps(ITEMS))


def serve():
    """Starts the two servers; gives their ports."""
    sh("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
       "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", work / "key.pem",
       "-out", work / "root.pem", stderr=subprocess.DEVNULL)
    (work / "files").mkdir()
    with open(work / "files/large", "wb") as file:
        file.truncate(256 << 20)
    (work / "files/items").write_text(json.dumps(ITEMS))
    # A small process writes the large file: the peak memory of a client begins with that of this script.
    sh(sys.executable, "-c", "import json, sys; items = json.load(open(sys.argv[1])); "
       "json.dump(items * 400, open(sys.argv[2], 'w'))", work / "files/items", work / "files/list")
    os.chmod(work, 0o755)
    # nginx cannot be given port 0: two that the system has just given are free.
    import socket
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    plain, secure = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    (work / "nginx.conf").write_text(f"""
        worker_processes 1; worker_cpu_affinity {1 << server_core:b}; pid {work}/pid; error_log {work}/errors; daemon off;
        events {{ worker_connections 8192; }}
        http {{
            access_log off; keepalive_requests 100000000; keepalive_timeout 600s; sendfile on; client_max_body_size 0;
            server {{
                listen 127.0.0.1:{plain}; listen 127.0.0.1:{secure} ssl http2; root {work}/files;
                ssl_certificate {work}/root.pem; ssl_certificate_key {work}/key.pem; http2_max_requests 100000000;
                location /status {{ stub_status; }}
                location /small {{ default_type application/json; return 200 '{{"id":"1","name":"Anna"}}'; }}
            }}
        }}""".replace('"Anna"', '"Ann"'))
    nginx = subprocess.Popen(["nginx", "-c", work / "nginx.conf"], stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", secure)).close()
            break
        except OSError:
            time.sleep(0.05)
    sink = subprocess.Popen([work / "sink"], stdout=subprocess.PIPE, text=True)
    os.sched_setaffinity(sink.pid, [server_core])
    return nginx, sink, plain, secure, int(sink.stdout.readline())


def run(command, on=cores):
    """One client's figures, on these cores: what it prints of itself."""
    if command[0] == "program":
        return run_program([str(word) for word in command[1:]])
    (work / "down").unlink(missing_ok=True)  # replacing a file makes its system write the new one out at once
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600,
                          preexec_fn=lambda: os.sched_setaffinity(0, on))
    if done.returncode != 0:
        return {"error": (done.stderr or done.stdout).strip().splitlines()[-1:] or done.returncode}
    if command[0] == "wrk":
        rate = next(line.split()[1] for line in done.stdout.splitlines() if line.startswith("Requests/sec"))
        return {"count": 1, "seconds": 1 / float(rate), "cpu": 0, "peak": 0, "p50": 0}
    return json.loads(done.stdout)


# Starts a program, and prints its status, its time from start to end, its processor time and its peak memory. A child's
# peak begins with that of the process that starts it, so a small process starts it, and not this script.
LAUNCHER = """
import os, sys, time
out = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
start = time.perf_counter()
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
seconds = time.perf_counter() - start
os.write(out, str([status, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]).encode())
"""


def run_program(command):
    """The figures of a program that reports none: from its start to its end."""
    done = subprocess.run([sys.executable, "-S", "-E", "-c", LAUNCHER, *command], capture_output=True, text=True, check=True)
    status, seconds, cpu, peak = json.loads(done.stdout)
    if status != 0:
        return {"error": f"{command[0]} ended with {status}"}
    return {"count": 1, "seconds": seconds, "cpu": cpu, "peak": peak, "p50": seconds, "size": os.path.getsize(command[0])}


def cases(plain, secure, sink):
    bench, peer = options.scratch / "release/bench", work / "peer"
    small, tls = f"http://127.0.0.1:{plain}/small", f"https://localhost:{secure}/small"
    many, few, h2 = 200_000 // scale, 20_000 // scale, 50_000 // scale
    clients = ["engine", "await", "future", "callback"]
    yield "64 in flight", {
        "libcurl": [peer, "get", small, many, 64],
        **{name: [bench, name, "get", small, many, 64] for name in clients},
        "urlsession": [bench, "urlsession", "get", small, many // 10, 64],
        "wrk": ["wrk", "-t1", "-c64", "-d2", small],
    }
    yield "10,000 in flight", {"await": [bench, "await", "get", small, many, 10_000]}
    yield "one after another", {
        "libcurl": [peer, "get", small, few, 1],
        **{name: [bench, name, "get", small, few, 1] for name in clients},
        "urlsession": [bench, "urlsession", "get", small, few // 10, 1],
    }
    yield "HTTP/2 over TLS, 64 in flight", {
        "libcurl": [peer, "get", tls, h2, 64],
        **{name: [bench, name, "get", tls, h2, 64, work / "root.pem"] for name in clients},
    }
    yield "100 KB of JSON decoded, 8 in flight", {
        name: [bench, name, "json", f"http://127.0.0.1:{plain}/items", 2_000 // scale, 8] for name in ["await", "foundation", "urlsession"]
    }
    yield "a long list decoded", {
        name: [bench, name, "json", f"http://127.0.0.1:{plain}/list", 1, 1] for name in ["await", "foundation", "urlsession"]
    }
    up, down, file = f"http://127.0.0.1:{sink}/", f"http://127.0.0.1:{plain}/large", work / "down"
    yield "256 MB up", {
        "libcurl": [peer, "up", up, work / "files/large"],
        "file": [bench, "await", "up-file", up, work / "files/large"],
        "multipart": [bench, "await", "up-multipart", up, work / "files/large"],
    }
    yield "256 MB down, dropped", {
        "libcurl": [peer, "down", down],
        "stream": [bench, "await", "down-stream", down, file],
    }
    yield "256 MB down, collected", {
        "libcurl": [peer, "collect", down],
        "memory": [bench, "await", "down-memory", down, file],
    }
    yield "256 MB down, to a file", {
        "libcurl": [peer, "down", down, file],
        "file": [bench, "await", "down-file", down, file],
    }
    yield "a program with one GET", {
        "libcurl": ["program", peer, "get", small, 1, 1],
        "hello": ["program", options.scratch / "release/hello", small],
    }
    yield "building requests", {"build": [bench, "build", 100_000 // scale]}


# Ends the name of a client of another version.
BEFORE = " before"


def measure(case, clients):
    rounds = {name: [] for name in clients}
    # In a random order, which is the same in every run. A client that always followed the same one would be measured
    # with its effects, such as the system's memory of the speed of a connection.
    order, chance = list(clients.items()), random.Random(case)
    is_large = case.startswith("256 MB")
    is_short = case.startswith("a ")
    # One large body takes a tenth of a second, and a program a hundredth: a few of them say little.
    for _ in range(options.rounds * (3 if is_large or is_short else 1)):
        chance.shuffle(order)
        for name, command in order:
            rounds[name].append(run(command, client_cores if is_large else cores))
    result = {}
    for name, figures in rounds.items():
        errors = [each["error"] for each in figures if "error" in each]
        if errors:
            result[name] = {"error": errors[0]}
        else:
            result[name] = {key: statistics.median(each[key] for each in figures) for key in figures[0]}
    return result


def connections(plain, command):
    """How many connections nginx was asked for by one client's run."""
    def accepted():
        with urllib.request.urlopen(f"http://127.0.0.1:{plain}/status") as answer:
            return int(answer.read().split()[7])
    before = accepted()
    run(command)
    return accepted() - before - 1


def goals(results):
    """What is asked of the library: name, the figure, the bound, whether more is better."""
    def ratio(case, client, key, other="libcurl"):
        both = results.get(case, {})
        mine, base = both.get(client, {}), both.get(other, {})
        if not mine or not base or "error" in mine or "error" in base:
            return None
        value = lambda figures: figures["count"] / figures["seconds"] if key == "rate" else figures[key] / figures["count"]
        return value(mine) / value(base)

    many, one, h2 = "64 in flight", "one after another", "HTTP/2 over TLS, 64 in flight"
    yield "engine's rate, 64 in flight", ratio(many, "engine", "rate"), 0.80, True
    yield "engine's CPU, 64 in flight", ratio(many, "engine", "cpu"), 1.4, False
    yield "pipeline's rate, 64 in flight", ratio(many, "await", "rate"), 0.65, True
    yield "pipeline's CPU, 64 in flight", ratio(many, "await", "cpu"), 1.4, False
    yield "pipeline's rate against URLSession", ratio(many, "await", "rate", "urlsession"), 9, True
    p50 = lambda name: results.get(one, {}).get(name, {}).get("p50")
    yield "p50, one after another", p50("await") / p50("libcurl") if p50("await") and p50("libcurl") else None, 2.0, False
    yield "pipeline's rate, HTTP/2", ratio(h2, "await", "rate"), 0.9, True
    yield "pipeline's CPU, HTTP/2", ratio(h2, "await", "cpu"), 1.4, False
    for case, client in [(case, client) for case in [many, h2] for client in ["future", "callback"]]:
        yield f"{client}'s CPU against await, {case}", ratio(case, client, "cpu", "await"), 1.3, False
    for case, clients in results.items():
        for client in [name.removesuffix(BEFORE) for name in clients if name.endswith(BEFORE)]:
            yield f"{client}'s CPU against before, {case}", ratio(case, client, "cpu", client + BEFORE), 1.02, False
    yield "connections, HTTP/2", results.get(h2, {}).get("await", {}).get("connections"), 1, False
    for case, client in [("256 MB up", "file"), ("256 MB up", "multipart"), ("256 MB down, dropped", "stream"),
                         ("256 MB down, to a file", "file")]:
        yield f"CPU, {case}, {client}", ratio(case, client, "cpu"), 1.3, False
        peak = results.get(case, {}).get(client, {}).get("peak")
        yield f"peak MB, {case}, {client}", peak / 1024 if peak else None, 40, False
    pair = results.get(many, {})
    if all("cpu" in pair.get(name, {}) for name in ["await", "engine"]):
        each = {name: pair[name]["cpu"] / pair[name]["count"] * 1e6 for name in ["await", "engine"]}
        yield "us of CPU above the engine", each["await"] - each["engine"], 6, False
    both = [results.get(case, {}).get("await") for case in ["10,000 in flight", many]]
    if all(each and "cpu" in each for each in both):
        yield "CPU, 10,000 in flight against 64", both[0]["cpu"] / both[1]["cpu"], 1.3, False
    peaks = [results.get(case, {}).get("await", {}).get("peak") for case in ["a long list decoded", one]]
    if all(peaks):
        yield "memory for a long list, in times of its body", (peaks[0] - peaks[1]) * 1024 / LIST_LENGTH, 3, False
    objects = "100 KB of JSON decoded, 8 in flight"
    for other in ["foundation", "urlsession"]:
        yield f"typed GET's rate against {other}", ratio(objects, "await", "rate", other), 3.5, True
    yield "CPU, 256 MB down, collected", ratio("256 MB down, collected", "memory", "cpu"), 1.5, False
    built = results.get("building requests", {}).get("build", {})
    if "copy" in built:
        yield "ns for a query of ten", built["query"] - built["bare"], 1000, False
        yield "ns for a form of ten", built["form"] - built["bare"], 1000, False
        yield "multipart against its copy", built["multipart"] / built["copy"], 1.4, False


def table(results):
    lines = []
    for case, clients in results.items():
        lines += [f"### {case}", ""]
        if "build" in clients:
            lines += ["| what | ns |", "|---|---|"]
            lines += [f"| {name} | {value:,.0f} |" for name, value in clients["build"].items()]
        else:
            has_size = any("size" in each for each in clients.values())
            lines += ["| client | requests/s | CPU us | p50 us | peak MB | rate | CPU |" + " size kB |" * has_size,
                      "|---|---|---|---|---|---|---|" + "---|" * has_size]
            base = clients.get("libcurl")
            for name, each in clients.items():
                if "error" in each:
                    lines.append(f"| {name} | failed: {each['error']} | | | | | |")
                    continue
                rate, cpu = each["count"] / each["seconds"], each["cpu"] / each["count"]
                compared = "| | |"
                if base and "error" not in base:
                    compared = (f"| {rate / (base['count'] / base['seconds']):.2f} "
                                f"| {cpu / (base['cpu'] / base['count']):.2f} |")
                lines.append(f"| {name} | {rate:,.1f} | {cpu * 1e6:,.1f} | {each['p50'] * 1e6:,.0f} "
                             f"| {each['peak'] / 1024:.0f} {compared}"
                             + (f" {each['size'] / 1000:,.0f} |" if has_size else ""))
        lines.append("")
    return "\n".join(lines)


def plot(results, path):
    """The first case as bars: requests a second of each client."""
    clients = {name: each["count"] / each["seconds"] for name, each in results["64 in flight"].items()
               if "error" not in each and name != "wrk"}
    most = max(clients.values())
    bars = []
    for index, (name, rate) in enumerate(sorted(clients.items(), key=lambda each: -each[1])):
        y, width = 40 + index * 30, 360 * rate / most
        color = "#8a8f98" if name in ("libcurl", "urlsession") else "#2f6fde"
        bars.append(f'<text x="110" y="{y + 15}" text-anchor="end">{name}</text>'
                    f'<rect x="120" y="{y}" width="{width:.1f}" height="20" fill="{color}"/>'
                    f'<text x="{126 + width:.1f}" y="{y + 15}">{rate:,.0f}</text>')
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="580" height="{50 + 30 * len(clients)}" '
                    'font-family="sans-serif" font-size="13"><text x="120" y="22">requests a second, 64 in flight</text>'
                    + "".join(bars) + "</svg>\n")


def main():
    build()
    nginx, sink, plain, secure, port = serve()
    results = {}
    try:
        for name, clients in cases(plain, secure, port):
            if options.against:
                now = options.scratch / "release/bench"
                clients |= {client + BEFORE: [options.against, *command[1:]] for client, command in clients.items()
                            if command[0] == now and command[1] != "build"}
            if options.only in name:
                results[name] = measure(name, clients)
                if name.startswith("HTTP/2"):
                    results[name]["await"]["connections"] = connections(plain, clients["await"])
                print(table({name: results[name]}), flush=True)
    finally:
        for server in (nginx, sink):
            server.terminate()
            server.wait()
        shutil.rmtree(work)
    missed = 0
    for name, figure, bound, more in goals(results):
        if figure is None:
            continue
        # What is missing, as a part of the bound.
        lack = (bound - figure if more else figure - bound) / bound
        missed += lack > 0.1
        verdict = "met" if lack <= 0 else "nearly" if lack <= 0.1 else "MISSED"
        print(f"{verdict:6} {name}: {figure:.2f} ({'at least' if more else 'at most'} {bound})")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "results.md").write_text(table(results))
        if "64 in flight" in results:
            plot(results, options.out / "small-gets.svg")
    failed = [name for name, clients in results.items() for each in clients.values() if "error" in each]
    sys.exit(1 if failed or (options.check and missed) else 0)


main()
