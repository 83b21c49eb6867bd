"""A page: the frame, the type and the tables of every report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import palette
from .words import escaped

_STYLE = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 FONT;
  font-variant-numeric:tabular-nums lining-nums}
main{max-width:960px;margin:0 auto;padding:3.5rem 2.5rem 4rem}
h1{font-size:1.05rem;font-weight:600;color:var(--faint);margin:0 0 1.1rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;font-weight:650;letter-spacing:-.01em;margin:3.6rem 0 .35rem}
h3{font-size:1rem;font-weight:600;margin:2rem 0 .4rem}
p{margin:.3rem 0 1rem;max-width:68ch;overflow-wrap:anywhere}
p.lede{font-size:1.6rem;line-height:1.36;letter-spacing:-.015em;font-weight:500;margin:0 0 .8rem;
  max-width:none;text-wrap:pretty}
p.lede b{font-weight:650;color:var(--s0)}
p.then,p.about,footer{color:var(--faint)}
p.then{font-size:1.05rem}
dl.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.4rem,1fr));
  gap:1.6rem 1.5rem;margin:2.2rem 0 0;padding:1.5rem 0 0;border-top:1px solid var(--grid)}
dl.figures div{display:flex;flex-direction:column-reverse;justify-content:flex-end;min-width:0}
dl.figures dt{font-size:.82rem;line-height:1.35;color:var(--faint);overflow-wrap:anywhere}
dl.figures dd{margin:0;font-size:1.5rem;font-weight:600;letter-spacing:-.02em;line-height:1.3}
figure{margin:1rem 0 0;overflow-x:auto}
figure svg{display:block;width:100%;height:auto}
.wide svg{min-width:620px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(320px,100%),1fr));gap:1rem}
.chart svg{font-family:inherit}
.chart .hit .shown{opacity:0}
.chart .hit:hover .shown{opacity:1}
.scroll{overflow:auto;max-height:34rem;margin:1rem 0 0}
table{border-collapse:collapse;font-size:.92rem}
th,td{padding:.42rem .8rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--grid)}
th{font-weight:500;color:var(--faint)}
thead th{position:sticky;top:0;background:var(--paper);vertical-align:bottom}
th.name,td.name{text-align:left;max-width:16rem;overflow:hidden;text-overflow:ellipsis}
td.name{color:var(--ink)}
td.long{text-align:left;white-space:normal;overflow-wrap:anywhere;max-width:44rem}
table.full{width:100%}
td.bar{background:linear-gradient(to right,rgb(var(--accent-rgb)/.17) calc(var(--a)*100%),
  transparent 0) no-repeat .4rem 50%/calc(100% - .8rem) 70%}
table.matrix{border-collapse:separate;border-spacing:2px}
table.matrix th,table.matrix td{border:0}
table.matrix th.name{max-width:9rem}
table.matrix thead th{max-width:7rem;overflow:hidden;text-overflow:ellipsis}
table.matrix td{border-radius:4px;min-width:4.6rem}
td.right{background:rgb(var(--accent-rgb)/calc(.04 + .5*var(--a)))}
td.wrong{background:rgb(var(--alarm-rgb)/calc(.5*var(--a)))}
td small{display:block;color:var(--faint);font-size:.78rem;line-height:1.2}
.matrix td small{color:inherit;opacity:.75}
.tree{border:1px solid var(--grid);border-radius:10px;background:#fff;max-height:40rem;
  overflow:auto}
.tree svg{margin:0 auto}
ol.splits{padding-left:1.6rem;margin:.6rem 0}
ol.splits li{margin:.5rem 0;overflow-wrap:anywhere}
ol.splits li::marker{color:var(--faint)}
ol.splits small{display:block;color:var(--faint);font-size:.86rem}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.88em}
pre{border:1px solid var(--grid);border-radius:8px;padding:1rem 1.1rem;overflow-x:auto;
  line-height:1.5;margin:1rem 0 0}
footer{margin-top:4rem;padding-top:1.2rem;border-top:1px solid var(--grid);font-size:.85rem}
@media (max-width:640px){main{padding:2rem 1.1rem 3rem}p.lede{font-size:1.3rem}}
@media (prefers-color-scheme:dark){.tree svg{filter:invert(.92) hue-rotate(180deg)}
  .tree{background:#141414}}
@media print{body{font-size:11pt}main{max-width:none;padding:0}h2{break-after:avoid;margin-top:2rem}
  figure,tr,li{break-inside:avoid}.scroll,.tree{max-height:none;overflow:visible}
  .tree{background:#fff}.tree svg{filter:none;width:100%!important;
  height:auto!important}
  td,.matrix td{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""


def page(title: str, body: Iterable[str]) -> str:
    """Return a whole page; ``title`` is plain text, ``body`` is HTML."""
    from .. import __version__  # now, as the package may import this file

    style = palette.css() + _STYLE.replace("FONT", palette.FONT)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escaped(title, 120)}</title>",
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            "<main>",
            *body,
            f"<footer>Made by sapwood {escaped(__version__)}.</footer>",
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def section(heading: str, *parts: str, about: str = "") -> str:
    """Return a section; ``about``, which is HTML, stands below its heading."""
    said = [f'<p class="about">{about}</p>'] if about else []
    lines = ["<section>", f"<h2>{escaped(heading)}</h2>", *said, *parts, "</section>"]
    return "\n".join(part for part in lines if part)


def figure(*charts: str) -> str:
    """Return charts in their box, side by side if there are several."""
    if len(charts) == 1:
        return f'<figure class="chart wide">{charts[0]}</figure>'
    boxes = "".join(f'<figure class="chart">{chart}</figure>' for chart in charts)
    return f'<div class="pair">{boxes}</div>'


def name_cell(name: object, tag: str = "td") -> str:
    """Return a cell with a name, which may be of any length: the tooltip holds all of it."""
    return f'<{tag} class="name" title="{escaped(name, 2000)}">{escaped(name, 80)}</{tag}>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """Return a table in a box that scrolls; heads and cells are HTML, with their tags."""
    top = f"<thead><tr>{''.join(head)}</tr></thead>" if head else ""
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    look = f' class="{kind}"' if kind else ""
    return f'<div class="scroll"><table{look}>{top}<tbody>\n{body}\n</tbody></table></div>'
