#!/usr/bin/env python3
"""Draws what each policy of HalyardLimits does to latency under load, as SVG in light and dark.

    swift run -c release --package-path Tests/Benchmarks limits > limits.json    measures, in about a minute
    Tests/Benchmarks/limits-plots.py limits.json                                 draws, and prints the main figures

The measurement uses real connections on this machine. The time that a server takes for a request is made up. The figures of
two runs differ a little, and more on a busy machine; the shapes do not.
"""
import json
import sys
from html import escape
from math import log10
from pathlib import Path

resources = Path(__file__).resolve().parents[2] / "Sources/Halyard/Halyard.docc/Resources"
LIGHT = dict(back="#ffffff", grid="#e3e3e6", text="#1d1d1f", soft="#55555a", colors=["#b3261e", "#0060c0", "#1f7a33"])
DARK = dict(back="#1c1c1e", grid="#3a3a3c", text="#f5f5f7", soft="#aeaeb2", colors=["#ff8a80", "#64a8ff", "#6fd083"])
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 320, 62, 34, 54, 48


class Plot:
    """Lines and dots over a horizontal axis. The vertical axis is the latency in milliseconds, logarithmic."""

    def __init__(self, name, title, bottom, ticks, low, high):
        self.name, self.title, self.bottom, self.ticks, self.low, self.high = name, title, bottom, ticks, low, high
        self.series = []

    def line(self, label, points, dots=False, color=None):
        self.series.append((label, points, dots, len(self.series) if color is None else color))

    def x(self, value):
        first, last = self.ticks[0][0], self.ticks[-1][0]
        return LEFT + (value - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        share = (log10(max(value, self.low)) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return HEIGHT - BOTTOM - min(share, 1) * (HEIGHT - TOP - BOTTOM)

    def svg(self, theme):
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
               f'''font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="12">''',
               f"<title>{escape(self.title)}</title>",
               f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{theme["back"]}"/>']

        def text(x, y, words, anchor="middle", color=theme["soft"]):
            out.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="{anchor}">{escape(words)}</text>')

        power = self.low
        while power <= self.high:
            y = self.y(power)
            out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{theme["grid"]}"/>')
            text(LEFT - 8, y + 4, f"{power:g} ms" if power < 1000 else f"{power / 1000:g} s", "end")
            power *= 10
        for value, label in self.ticks:
            text(self.x(value), HEIGHT - BOTTOM + 18, label)
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, self.bottom)
        text(LEFT, 20, self.title, "start", theme["text"])
        at = LEFT
        for label, points, dots, index in self.series:
            color = theme["colors"][index]
            out.append(f'<rect x="{at}" y="31" width="10" height="10" fill="{color}"/>')
            text(at + 15, 40, label, "start")
            at += 28 + 6.4 * len(label)
            places = [(self.x(x), self.y(y)) for x, y in points]
            if dots:
                # At most 400 dots, as one path of lines without length.
                path = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in places[::max(1, len(places) // 400)])
                out.append(f'<path d="{path}" stroke="{color}" stroke-width="3" stroke-linecap="round"/>')
            else:
                path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
                out.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        return "\n".join(out + ["</svg>", ""])

    def write(self):
        (resources / f"limits-{self.name}.svg").write_text(self.svg(LIGHT))
        (resources / f"limits-{self.name}~dark.svg").write_text(self.svg(DARK))


PERCENTILES = [(0, "50 %"), (1, "90 %"), (2, "99 %"), (3, "99.9 %")]


def latencies(samples):
    return sorted(sample[1] for sample in samples if sample[2])


def percentile(samples, share):
    values = latencies(samples)
    return values[min(len(values) - 1, int(len(values) * share))]


def curve(samples):
    """The percentiles from 50 % on. Each step of the axis is a tenth of the rest."""
    steps = [step / 20 for step in range(61)]
    shares = [0.5 + step * 0.4 if step < 1 else 1 - 0.1 ** step for step in steps]
    return [(step, percentile(samples, share)) for step, share in zip(steps, shares)]


def over_time(samples, good=True):
    return [(sample[0] / 1000, sample[1]) for sample in samples if bool(sample[2]) == good]


def show(name, samples):
    shares = "  ".join(f"{share * 100:g} %: {percentile(samples, share):.0f} ms" for share in (0.5, 0.9, 0.95, 0.99, 0.999))
    failed = [sample for sample in samples if not sample[2]]
    print(f"{name:24} {len(samples)} requests, {len(failed)} failed  {shares}")


figures = json.loads(Path(sys.argv[1]).read_text())
for policy, runs in figures.items():
    for run, samples in runs.items():
        if run.endswith(" sends"):
            print(f"{policy + ' ' + run:24} {samples[0][0]:.0f}")
        else:
            show(f"{policy} {run}", samples)

plot = Plot("hedging", "Latency when 3 % of the responses are slow", "share of requests that are faster", PERCENTILES, 1, 1000)
plot.line("without", curve(figures["hedging"]["none"]))
plot.line("hedging after 15 ms, 5 %", curve(figures["hedging"]["hedging"]))
plot.write()

plot = Plot("concurrency", "Latency of 64 callers of a server that slows down under load", "share of requests that are faster",
            PERCENTILES, 1, 1000)
plot.line("without", curve(figures["concurrency"]["none"]))
plot.line("8 at once", curve(figures["concurrency"]["concurrency"]))
plot.write()

seconds = [(0, "0 s"), (0.5, "0.5 s"), (1, "1 s"), (1.5, "1.5 s"), (2, "2 s"), (2.5, "2.5 s")]
plot = Plot("bulkhead", "Latency when 600 requests come in a second and 400 are possible", "when the request was made", seconds,
            1, 10_000)
plot.line("8 at once, all wait", over_time(figures["bulkhead"]["queue"]), dots=True)
plot.line("bulkhead, 16 wait", over_time(figures["bulkhead"]["bulkhead"]), dots=True)
plot.write()

plot = Plot("priority", "The same load, with one of five requests of high priority", "when the request was made", seconds, 1, 10_000)
plot.line("normal", over_time(figures["priority"]["normal"]), dots=True)
plot.line("high", over_time(figures["priority"]["high"]), dots=True)
plot.write()

plot = Plot("rate", "Latency when 80 requests come at once and 50 in a second are allowed", "share of requests that are faster",
            [(0, "0 %"), (0.25, "25 %"), (0.5, "50 %"), (0.75, "75 %"), (1, "100 %")], 1, 10_000)
for run, label in (("retries", "retries after a 429"), ("rate", "rate limit")):
    values = latencies(figures["rate"][run])
    plot.line(label, [((index + 1) / len(figures["rate"][run]), value) for index, value in enumerate(values)])
plot.write()

plot = Plot("circuit", "Latency of a server that hangs from 1 s to 4 s, time limit 0.5 s", "when the request was made",
            [(second, f"{second} s") for second in range(7)], 0.01, 1000)
plot.line("without", over_time(figures["circuit"]["none"]) + over_time(figures["circuit"]["none"], False), dots=True)
plot.line("circuit breaker", over_time(figures["circuit"]["circuit"]) + over_time(figures["circuit"]["circuit"], False), dots=True)
plot.write()

plot = Plot("coalescing", "Latency of a page that takes 40 ms, for 400 readers in a second", "when the request was made",
            [(0, "0 s"), (0.25, "0.25 s"), (0.5, "0.5 s"), (0.75, "0.75 s"), (1, "1 s")], 1, 10_000)
plot.line("without", over_time(figures["coalescing"]["none"]), dots=True)
plot.line("coalescing", over_time(figures["coalescing"]["coalescing"]), dots=True)
plot.write()
