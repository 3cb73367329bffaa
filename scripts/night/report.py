"""What a night was: a table in the terminal and a page, report.html, that needs nothing but itself."""

import html
import os

from .files import read_json, sha256, write_json, write_whole
from .stages import FINISHED, kinds, line_openings, missing, strength, verdicts, work

VERDICTS = {"passed": "better", "failed": "not better", "undecided": "undecided", "unchanged": "nothing changed"}

def elo_text(elo):
    if not elo or elo.get("value") is None:
        return "-"
    error = elo.get("error")
    return f"{elo['value']:+.0f} ± {error:.0f}" if error is not None else f"{elo['value']:+.0f}"

def rows_of(night):
    """One line for each generation that is judged."""
    rows = []
    for generation in night.generations():
        if not os.path.isdir(night.generation(generation, "promote")):
            continue
        stats = {kind: read_json(night.generation(generation, "merge", f"{kind}.json")) for kind in kinds(night)}
        book = read_json(night.generation(generation, "learn", "book.json")) if night.teaches_a_book else {}
        choice = read_json(night.generation(generation, "promote", "choice.json"))
        ratings = night.generation(generation, "rate", "ratings.json")
        rows.append({
            "generation": generation, "stats": stats, "book": book, "choice": choice,
            "verdicts": verdicts(night, generation),
            "ratings": read_json(ratings) if os.path.exists(ratings) else {},
        })
    return rows

def table(headings, rows):
    """Plain text in columns."""
    cells = [headings, *rows]
    widths = [max(len(str(row[column])) for row in cells) for column in range(len(headings))]
    lines = ["  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
    return "\n".join(lines)

def summary(night):
    headings = ["generation", "games", "positions", "book rows", *night.arms, "outsider", "champion"]
    rows = []
    for row in rows_of(night):
        judged = [f"{elo_text(strength(row['verdicts'][arm]).get('elo'))} {VERDICTS[row['verdicts'][arm]['verdict']]}"
                  for arm in night.arms]
        rows.append([row["generation"], *(sum(stats[of] for stats in row["stats"].values())
                                          for of in ("games", "positions")),
                     row["book"].get("rows", "-"), *judged, outsider_text(row["choice"]["outsider"]),
                     f"new ({row['choice']['arm']})" if row["choice"]["arm"] else "stays"])
    return headings, rows

def why(night, row):
    """Why a generation did or did not make a champion, in a sentence."""
    if row["choice"]["arm"]:
        arm = row["choice"]["arm"]
        if row["choice"].get("refused"):
            return (f"not promoted ({arm}), because {row['choice']['refused']} became champion while this night ran, and "
                    "the candidate never played it.")
        return f"a new champion ({arm}), {row['verdicts'][arm]['reason']}."
    if row["choice"]["outsider"] and row["choice"]["outsider"].get("objects"):
        return "the champion stays, because the outsider objects."
    reasons = "; ".join(f"{arm} {row['verdicts'][arm]['reason']}" for arm in night.arms)
    return f"the champion stays: {reasons}."

def outsider_text(said):
    if not said:
        return "not asked"
    if "skipped" in said:
        return said["skipped"].split(" (")[0]
    verdict = "objects" if said["objects"] else "agrees"
    return f"{said['name']} {verdict}: {100 * said['candidate']['score']:.0f}% (champion " \
           f"{100 * said['champion']['score']:.0f}%)"

def hashes(night):
    """What must be the same however a night was interrupted, and wherever it ran."""
    found = {}
    if night.teaches_a_book:
        found["openings/lines.epd"] = sha256(line_openings(night))
    for generation in night.generations():
        for name in ("merge/games.tgr", "merge/lines.tgr", "learn/experience.exp",
                     "extract/positions.tps", "tune/weights.toml",
                     "promote/weights.toml", "promote/experience.exp", "promote/choice.json"):
            path = night.generation(generation, *name.split("/"))
            if os.path.exists(path):
                found[f"generation-{generation}/{name}"] = sha256(path)
    return found

def print_table(night):
    print()
    print(table(*summary(night)))
    for row in rows_of(night):
        print()
        print(f"generation {row['generation']}: {why(night, row)}")
    shipped = night.path("ship")
    archive = [name for name in (os.listdir(shipped) if os.path.isdir(shipped) else []) if name.endswith(".tar.gz")]
    print()
    for name in archive:
        print(f"shipped: {night.path('ship', name)}")
    print(f"report:  {night.path('report.html')}")

def status_table(night):
    counts = {}
    for stage, generation, task in work(night):
        key = (generation if not stage.final else "", stage.name)
        done, total = counts.get(key, (0, 0))
        counts[key] = (done + bool(stage.is_done(night, generation, task)), total + 1)
    rows = [[generation, name, f"{done} of {total}", "done" if done == total else ""]
            for (generation, name), (done, total) in counts.items()]
    return f"night {night.folder}\n" + table(["generation", "stage", "published", ""], rows)

# --- the page ---------------------------------------------------------------------------------------------------

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; }
h1, h2 { font-weight: 600; } table { border-collapse: collapse; margin: 1em 0; }
td, th { padding: .25em .8em; border-bottom: 1px solid #ddd; text-align: left; } th { color: #666; }
td.number { text-align: right; font-variant-numeric: tabular-nums; } figure { margin: 1em 0; }
figcaption { color: #666; } img, svg { max-width: 100%; } .note { color: #666; }
"""

def html_table(headings, rows):
    head = "".join(f"<th>{html.escape(str(cell))}</th>" for cell in headings)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"

def curve(series, title):
    """Ratings with their error bars by generation, as a picture. `series`: name → [(generation, elo, error)]."""
    points = [point for line in series.values() for point in line]
    if not points:
        return ""
    width, height, left, bottom = 640, 320, 60, 40
    low = min(0, min(elo - error for _, elo, error in points))
    high = max(0, max(elo + error for _, elo, error in points))
    last = max(generation for generation, _, _ in points)
    span = (high - low) or 1
    x = lambda generation: left + (width - left - 170) * generation / max(1, last)
    y = lambda elo: 20 + (height - 20 - bottom) * (high - elo) / span
    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(title)}" '
             'font-family="system-ui, sans-serif" font-size="12">']
    step = next(size for size in (10, 25, 50, 100, 200, 250, 500, 1000, 5000) if span / size <= 8)
    mark = int(low // step) * step
    while mark <= high:
        if mark >= low:
            parts.append(f'<line x1="{left}" x2="{width - 170}" y1="{y(mark):.1f}" y2="{y(mark):.1f}" '
                         f'stroke="{"#888" if mark == 0 else "#e5e5e5"}"/>'
                         f'<text x="{left - 8}" y="{y(mark) + 4:.1f}" text-anchor="end" fill="#666">{mark:+d}</text>')
        mark += step
    for generation in range(last + 1):
        parts.append(f'<text x="{x(generation):.1f}" y="{height - 15}" text-anchor="middle" '
                     f'fill="#666">{generation}</text>')
    for (name, line), color in zip(series.items(), ("#2a6f97", "#c2571a", "#5a8f29")):
        path = " ".join(f"{x(generation):.1f},{y(elo):.1f}" for generation, elo, _ in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        for generation, elo, error in line:
            parts.append(f'<line x1="{x(generation):.1f}" x2="{x(generation):.1f}" y1="{y(elo - error):.1f}" '
                         f'y2="{y(elo + error):.1f}" stroke="{color}"/>'
                         f'<circle cx="{x(generation):.1f}" cy="{y(elo):.1f}" r="3.5" fill="{color}"/>')
        generation, elo, _ = line[-1]
        parts.append(f'<text x="{x(generation) + 10:.1f}" y="{y(elo) + 4:.1f}" fill="{color}">{html.escape(name)}</text>')
    parts.append("</svg>")
    return f"<figure>{''.join(parts)}<figcaption>{html.escape(title)}</figcaption></figure>"

def rating_series(rows):
    series = {}
    for row in rows:
        for name, rating in row["ratings"].items():
            elo = rating.get("elo") or {}
            if elo.get("value") is not None and elo.get("error") is not None:
                label = {"start": "against the start", "shipped": "against what is shipped"}.get(name, f"against {name}")
                series.setdefault(label, []).append((row["generation"], elo["value"], elo["error"]))
    if "against the start" in series:
        series["against the start"].insert(0, (0, 0.0, 0.0))
    return series

def tuning_pictures(night, generation):
    folder = night.generation(generation, "tune", "report")
    wanted = [name for name in ("loss.svg", "moved.svg", "calibration.svg") if
              os.path.exists(os.path.join(folder, name))]
    pictures = []
    for name in wanted:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            pictures.append(f"<figure>{file.read()}</figure>")
    return "".join(pictures)

def page(night):
    rows, settings = rows_of(night), night.settings
    name = os.path.basename(night.folder)
    parts = ["<!doctype html><html lang=en><meta charset=utf-8>", f"<title>Tabula: night {html.escape(name)}</title>",
             f"<style>{STYLE}</style>", f"<h1>Night {html.escape(name)}</h1>"]
    promoted = [row["generation"] for row in rows if row["choice"]["arm"] and not row["choice"].get("refused")]
    left = missing(night)
    if left:
        parts.append(f"<p><b>This night is not finished.</b> Missing: {html.escape(', '.join(left))}. The same command "
                     "goes on from here.</p>")
    parts.append("<p>" + (f"A new champion in generation {', '.join(map(str, promoted))}." if promoted else
                          "The champion stays: nothing passed its test, which is a normal night.") + "</p>")
    parts.append("<h2>The gate</h2>" + html_table(*summary(night)))
    parts.append(html_table(["generation", "arm", "verdict"], [
        [row["generation"], arm, row["verdicts"][arm]["reason"]] for row in rows for arm in night.arms]))
    parts.append(f"<p class=note>Each arm plays the champion, {settings['gate_nodes']} nodes a move, until the test "
                 f"({html.escape(settings['sprt'])}) is decided, {settings['gate_games']} games at most. Elo with 95% error "
                 "bars from pairs of games.</p>")
    parts.append(curve(rating_series(rows), "Rating of each generation's champion, with 95% error bars"))
    games = []
    for row in rows:
        for kind, stats in row["stats"].items():
            games.append([row["generation"], kind, *(stats[of] for of in ("games", "positions", "white_wins", "draws",
                                                                          "black_wins")),
                          f"{stats['bytes_a_position']:.2f}" if "bytes_a_position" in stats else "-",
                          ", ".join(f"{at['distinct']} of {at['games']}" for at in stats["diversity"])])
    parts.append("<h2>The games</h2>" + html_table(
        ["generation", "kind", "games", "positions", "white wins", "draws", "black wins", "bytes a position",
         "distinct positions at ply 8, 16, 24"], games))
    book = [[row["generation"], *(row["book"].get(key, "-") for key in ("rows", "positions", "games"))] for row in rows]
    parts.append("<h2>The book</h2>" + html_table(["generation", "rows", "positions", "games"], book))
    for row in rows:
        pictures = tuning_pictures(night, row["generation"])
        if pictures:
            parts.append(f"<h2>Tuning, generation {row['generation']}</h2>{pictures}")
    facts = [["commit", night.manifest["commit"] or "unknown"]]
    facts += [["games of earlier nights", night.manifest["library"]["games"]]]
    facts += [[key, value] for key, value in settings.items()]
    facts += [[key, value[:16]] for key, value in {**night.manifest["programs"], **night.manifest["start"]}.items()]
    parts.append("<h2>What decided all this</h2>" + html_table(["", ""], facts))
    parts.append("<h2>What came out</h2>" + html_table(
        ["file", "sha256"], [[key, value[:16]] for key, value in hashes(night).items()]))
    return "".join(parts) + "</html>\n"

def write_report(night):
    """The page in any case; the mark of a finished night only if nothing is missing."""
    write_json(night.path("hashes.json"), hashes(night))
    write_whole(night.path("report.html"), page(night))
    if not missing(night):
        write_json(night.path(FINISHED), {"generations": [
            {"generation": row["generation"], "arm": row["choice"]["arm"], "why": why(night, row)} for row in rows_of(night)]})
