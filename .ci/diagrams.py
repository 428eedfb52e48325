#!/usr/bin/env python3
"""Draws the small diagrams of the articles, each in light and dark: .ci/diagrams.py"""
from html import escape
from pathlib import Path

resources = Path(__file__).resolve().parent.parent / "Sources/Halyard/Halyard.docc/Resources"
LIGHT = dict(back="#ffffff", box="#f5f5f7", line="#6e6e73", text="#1d1d1f", soft="#55555a", mark="#0060c0", ok="#1f7a33", bad="#b3261e")
DARK = dict(back="#1c1c1e", box="#2c2c2e", line="#8e8e93", text="#f5f5f7", soft="#aeaeb2", mark="#64a8ff", ok="#6fd083", bad="#ff8a80")


class Drawing:
    def __init__(self, width, height, title, colors):
        self.c, self.lines = colors, []
        self.head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                     f'''font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">''')
        self.add(f"<title>{escape(title)}</title>")
        marker = ('<marker id="{0}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
                  '<path d="M0 0L10 5L0 10z" fill="{1}"/></marker>')
        self.add("<defs>" + marker.format("tip", self.c["line"]) + marker.format("again", self.c["mark"]) + "</defs>")
        self.add(f'<rect width="{width}" height="{height}" fill="{self.c["back"]}"/>')

    def add(self, line):
        self.lines.append("  " + line)

    def text(self, x, y, text, size=13, color="soft", anchor="middle", bold=False):
        weight = ' font-weight="600"' if bold else ""
        self.add(f'<text x="{x}" y="{y}" font-size="{size}" fill="{self.c[color]}" text-anchor="{anchor}"{weight}>{escape(text)}</text>')

    def box(self, x, y, width, height, name, note="", color="line"):
        self.add(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{self.c["box"]}" stroke="{self.c[color]}"/>')
        middle = y + height / 2
        self.text(x + width / 2, middle + (-3 if note else 5), name, 15, "text", bold=True)
        if note:
            self.text(x + width / 2, middle + 16, note)

    def arrow(self, path, mark=False):
        color, tip = ("mark", "again") if mark else ("line", "tip")
        self.add(f'<path d="{path}" fill="none" stroke="{self.c[color]}" stroke-width="1.5" marker-end="url(#{tip})"/>')

    def write(self, name):
        suffix = "~dark" if self.c is DARK else ""
        (resources / f"{name}{suffix}.svg").write_text("\n".join([self.head, *self.lines, "</svg>"]) + "\n")


def five_types(colors):
    d = Drawing(760, 300, "The five central types: a provider and a route make a request, which a client sends with a transport", colors)
    d.box(30, 30, 220, 64, "HTTPProvider", "describes the API")
    d.box(30, 200, 220, 64, "Route", "describes a request")
    d.box(330, 115, 170, 64, "Request", "one exchange")
    d.box(570, 30, 160, 64, "HTTPClient", "policies, interceptors")
    d.box(570, 200, 160, 64, "Transport", "the engine")
    d.arrow("M250 62C300 62 290 140 328 140")
    d.arrow("M250 232C300 232 290 155 328 155")
    d.arrow("M500 140C540 140 530 62 568 62")
    d.arrow("M650 94V198")
    d.text(642, 152, "sends", anchor="end")
    d.text(312, 112, "of", anchor="start")
    d.text(522, 100, "by", anchor="end")
    d.write("five-types")


def states(colors):
    d = Drawing(760, 330, "The states of a request: not started, running and done", colors)
    d.box(30, 120, 170, 64, "not started", "api.request(.me)")
    d.box(300, 120, 170, 64, "running", "also redirects, retries")
    d.box(570, 30, 160, 64, "done", "a value", "ok")
    d.box(570, 210, 160, 64, "done", "an error", "bad")
    d.arrow("M200 152H298")
    d.text(249, 140, "first observer")
    d.text(249, 172, "or start()")
    d.arrow("M470 140C520 140 520 62 568 62")
    d.arrow("M470 164C520 164 520 242 568 242")
    d.arrow("M115 184C115 290 400 300 568 262")
    d.text(300, 306, "cancel(): nothing is sent")
    d.text(508, 96, "validated", anchor="end")
    d.text(508, 214, "failed, cancelled,", anchor="end")
    d.text(508, 231, "last observer left", anchor="end")
    d.text(650, 118, "later observers get")
    d.text(650, 135, "the same outcome")
    d.write("states-of-a-request")


def retries(colors):
    d = Drawing(760, 250, "A request with three attempts over time, inside its deadline", colors)
    d.add(f'<path d="M40 150H726" stroke="{d.c["line"]}" stroke-width="1.5" marker-end="url(#tip)"/>')
    d.text(722, 172, "time")
    for x, width, label, color in [(40, 90, "503", "bad"), (200, 110, "lost", "bad"), (470, 100, "200", "ok")]:
        d.add(f'<rect x="{x}" y="100" width="{width}" height="50" fill="{d.c["box"]}" stroke="{d.c[color]}" stroke-width="1.5"/>')
        d.text(x + width / 2, 130, label, 15, color, bold=True)
    for x, label in [(85, "attempt 1"), (255, "attempt 2"), (520, "attempt 3")]:
        d.text(x, 90, label)
    for start, end, first, second in [(130, 200, "Retry-After", "of the server"), (310, 470, "backoff: up to twice", "the delay, at random")]:
        d.arrow(f"M{start + 4} 196H{end - 4}", mark=True)
        d.text((start + end) / 2, 214, first, color="mark")
        d.text((start + end) / 2, 231, second, color="mark")
    d.add(f'<path d="M690 40V150" stroke="{d.c["bad"]}" stroke-width="1.5" stroke-dasharray="5 4"/>')
    d.text(684, 36, "deadline", color="bad", anchor="end")
    d.add(f'<path d="M40 50H686" stroke="{d.c["line"]}" stroke-width="1" stroke-dasharray="2 4"/>')
    d.text(50, 44, ".timeout(.seconds(30)): the whole request", anchor="start")
    d.write("retries-over-time")


for colors in (LIGHT, DARK):
    for draw in (five_types, states, retries):
        draw(colors)
