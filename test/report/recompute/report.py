"""The sections of a report for one set of fills, as `report --json` names them, and the figures that are not recomputed."""
import re
from collections import defaultdict

import figures
import quoting
from figures import edge_price, known_share, ratio, total

# Every figure of a report that is not recomputed, with the reason. A figure that is in neither list fails the test.
ALWAYS = [
    (r"interval\.(edge|clv|pnl)(Low|High)$", "drawn at random: only the shape is checked (interval.checked)"),
    (r"interval\.note$|luck\.note$", "a sentence, not a number"),
    (r"fillRateFit\.", "the docs do not say how the exponential is fitted"),
    (r"permits\.shadowPrice$", "the docs do not say over which requests the mean is taken"),
    (r"^(fillModel|games|model)\b", "a model of offers or of scores, which no raw file defines"),
    (r"(^|\.)sharpe$", "needs 30 days with fills"),
]
BACKTEST = [
    (r"^inventory\.(worst|maxDrawdown)$", "sampled with the latency of the bot: only bounds are checked (inventory.checked)"),
]
LIVE = [
    (r"^inventory\.(worst|maxDrawdown)$", "sampled by the bot: no raw file has the moments"),
    (r"inventory\.(most|mean)$", "sampled every ten seconds: only a bound is checked (inventory.checked)"),
    (r"quoting\.(atBest|\w*[dD]istance)$|fillRate\[\d\]\.(quoteHours|rate)$", "summed by the bot: the moments are in no event"),
    (r"^phases\.\w+\.quoting\.(twoSided|quoteHours)|byLeague\[\d\]\.quoteHours$", "the bot splits them where it sums them"),
]
OWN = [
    (r"(^|\.)(quoting|permits)\.", "a table of bets has no orders and no requests"),
    (r"(^|\.)inventory\.(most|mean|worst|atLimits|heldBack)", "a table of bets has no time of settlement"),
    (r"^phases\.\w+\.inventory\.maxDrawdown$", "all bets are of one phase here"),
    (r"known\.permits", "a table of bets has no requests"),
]


def without(tree, reasons, path=""):
    """A tree of figures without those that are listed."""
    if isinstance(tree, dict):
        pairs = [(name, f"{path}.{name}" if path else name, value) for name, value in tree.items()]
        return {name: without(value, reasons, at) for name, at, value in pairs if not listed(at, value, reasons)}
    if isinstance(tree, list) and not any(isinstance(row, dict) and "key" in row for row in tree):
        return [without(row, reasons, f"{path}[{index}]") for index, row in enumerate(tree)]
    return tree


def listed(path, value, reasons):
    return not isinstance(value, (dict, list)) and any(re.search(pattern, path) for pattern, _ in reasons)


def sections(fills, activity, theirs, day_of):
    """The sections of one phase, or of both together."""
    money, weighted, plain, known_marks = figures.markouts(fills)
    clv = figures.clv(fills)
    identity = figures.identity(fills)
    edge_known = [f for f in fills if edge_price(f) is not None]
    edge = total(map(figures.edge_of, edge_known)) if edge_known or not fills else None
    before = [f for f in fills if f["phase"] == "prematch"]
    clv_known = [f for f in before if f["fc"] is not None]
    settled = [f for f in fills if f["profit"] is not None]
    priced = [f for f in settled if f["f0"] is not None and f["fc"] is not None]
    captured = [f for f in fills if f["f0"] is not None]
    deviation, markets, unpriced = activity["luck"]
    answer = {
        "identity": identity,
        "clv": clv,
        "byWeight": figures.by_weight(fills),
        "markouts": money,
        "markoutsPerPayout": weighted,
        "plainMarkouts": plain,
        "pickedOff": figures.picked_off(fills),
        "attribution": {name: list(rows.values()) for name, rows in figures.attribution(fills, theirs["attribution"], day_of).items()},
        "interval": {"games": len(figures.games_of(fills)), "gamesNeeded": figures.games_needed(fills)},
        "luck": {"deviation": deviation if markets else None, "markets": markets, "unpriced": unpriced},
        "scores": figures.scores(fills),
    }

    def known(part, whole):
        return known_share(part, whole)

    places = activity.get("place")

    def per_place(value, part, whole, count):
        """A figure per place permit is divided by its own share of the permits."""
        if not whole:
            return 0.0 if count else None
        share = known(part, whole)["payoutShare"]
        return None if value is None or not count or not share else value / (count * share)

    answer["edge"] = {"dollars": edge, "perPlace": per_place(edge, edge_known, fills, places)}
    answer["permits"] = {
        "place": places,
        "cancel": activity.get("cancel"),
        "pnlPerPlace": per_place(identity["pnl"], priced, fills, places),
        "spreadPerPlace": per_place(identity["captured"], captured, fills, places),
        "clvPerPlace": per_place(clv["dollars"], clv_known, before, activity.get("placeBefore")),
        "meanWaitMs": activity.get("meanWaitMs"),
        "staleness": activity.get("staleness"),
    }
    answer["quoting"] = activity["quoting"]
    answer["inventory"] = activity["inventory"]
    parts = {name: known(priced, fills) for name in ("spread", "drift", "luck", "commission", "pnl")}
    answer["known"] = {
        "identity": {**parts, "captured": known(captured, fills)},
        "clv": {name: known(clv_known, before) for name in ("dollars", "points", "share", "plainPoints", "plainShare")},
        "edge": {name: known(edge_known, fills) for name in ("dollars", "perPlace")},
        "markouts": known_marks,
        "markoutsPerPayout": known_marks,
        "plainMarkouts": known_marks,
        "permits": {
            "pnlPerPlace": known(priced, fills),
            "spreadPerPlace": known(captured, fills),
            "clvPerPlace": known(clv_known, before),
        },
    }
    answer["outside"] = outside(fills)
    return answer


def outside(fills):
    """The same parts by each other source that priced the market."""
    answer = {}
    seen = set()
    for source in ("fair", "odds", "model", "own"):
        rows = []
        for f in fills:
            prices = f["sources"].get(source)
            if prices is not None and prices["f0"] is not None:
                rows.append({**f, "f0": prices["f0"], "fc": prices["fc"]})
                if source != "own":
                    seen.add(f["tx"])
        answer[source] = {"fills": len(rows), "identity": figures.identity(rows), "clv": figures.clv(rows)}
    answer["fills"] = len(seen)
    return answer


def whole(fills, activity, theirs, day_of):
    """The scenario of `report --json`: each phase, and both."""
    phases = {}
    for phase in ("prematch", "inplay"):
        rows = [f for f in fills if f["phase"] == phase]
        activity[phase]["luck"] = figures.luck_deviation(rows)
        phases[phase] = sections(rows, activity[phase], theirs["phases"][phase], day_of)
    activity["all"]["luck"] = both_phases(fills, [activity[phase]["luck"] for phase in ("prematch", "inplay")])
    answer = {"phases": phases, **sections(fills, activity["all"], theirs, day_of)}
    if activity.get("only"):
        # what belongs to the account belongs to the only phase with activity; worst and maxDrawdown are listed for the account
        shared = {name: theirs["inventory"][name] for name in ("worst", "maxDrawdown")}
        shared |= {name: answer["inventory"].get(name) for name in ("atLimits", "heldBack")}
        phases[activity["only"]]["inventory"].update(shared)
    return answer


def both_phases(fills, lucks):
    """In a game the deviations before the start and in play are added up; games are independent."""
    variance = 0.0
    for rows in figures.games_of(fills).values():
        parts = [figures.luck_deviation([f for f in rows if f["phase"] == phase])[0] for phase in ("prematch", "inplay")]
        variance += sum(parts) ** 2
    return variance**0.5, sum(luck[1] for luck in lucks), sum(luck[2] for luck in lucks)


def activity_of(orders, fills, books, events, span):
    """What does not stand on fills alone: quoting, permits, inventory, by phase and for both."""
    answer = {name: {} for name in ("prematch", "inplay", "all")}
    permits(answer, events)
    sums = quoting.quoting(orders, fills, books, span[1])
    # activity: something rested or filled in the phase
    active = {(order["phase"], books.games[order["game"]].league) for order in orders} | {(f["phase"], f["league"]) for f in fills}
    for name in answer:
        rows = {key: row for key, row in sums.items() if name in ("all", key[0])}
        chosen = [f for f in fills if name in ("all", f["phase"])]
        answer[name]["quoting"] = quoting.section(rows, orders, chosen, name, active)
    inventory(answer, fills, books, events, span)
    phases = {phase for phase, _ in active}
    answer["only"] = phases.pop() if len(phases) == 1 else None
    return answer


def permits(answer, events):
    waits = defaultdict(list)
    requests = defaultdict(list)
    for event in events:
        if event["type"] == "OrderSubmitted":
            requests[event["request"]].append(("place", "inplay" if event.get("isInPlay") else "prematch"))
            waits["inplay" if event.get("isInPlay") else "prematch"].append(event["why"])
        elif event["type"] == "CancelSubmitted":
            if "scope" in event:
                # cancels of a game, a league or the account take no permit: the exchange does not limit them
                continue
            for order in event["orders"]:
                phase = "inplay" if order.get("isInPlay") else "prematch"
                requests[event["request"]].append(("cancel", phase))
                if "why" in order:
                    waits[phase].append(order["why"])
    counts = defaultdict(float)
    for rows in requests.values():
        # the permit of a request with orders of both phases is divided between them
        for bucket, phase in rows:
            counts[(bucket, phase)] += 1 / len(rows)
    for name, row in answer.items():
        phases = ("prematch", "inplay") if name == "all" else (name,)
        row["place"] = total(counts[("place", phase)] for phase in phases)
        row["cancel"] = total(counts[("cancel", phase)] for phase in phases)
        row["placeBefore"] = counts[("place", "prematch")] if name != "inplay" else 0
        whys = [why for phase in phases for why in waits[phase]]
        row["meanWaitMs"] = ratio(total(why["waitedMs"] for why in whys), len(whys))
        row["staleness"] = total(why["value"] * why["waitedMs"] for why in whys) / 1e9


def inventory(answer, fills, books, events, span):
    """How much more the held markets pay on one side than on the other: the most, and the mean over time."""
    settled = {event["txId"]: event["t"] for event in events if event["type"] == "Settled"}
    moments = [(f["t"], 0, f) for f in fills]
    moments += [(settled[f["tx"]], 1, f) for f in fills if f["tx"] in settled]
    for name, game in books.games.items():
        if game.start is not None:
            moments.append((began_of(game), 2, name))
    moments.sort(key=lambda moment: moment[:2])
    held, live = defaultdict(lambda: [0.0, 0.0]), set()
    most, area, last = defaultdict(float), defaultdict(float), span[0]

    def now():
        sums = defaultdict(float)
        for market, (first, second) in held.items():
            sums["inplay" if market.split("/")[0] in live else "prematch"] += abs(first - second)
            sums["all"] += abs(first - second)
        return sums

    current = now()
    for index, (t, kind, what) in enumerate(moments):
        t = min(max(t, span[0]), span[1])
        for name in answer:
            area[name] += current[name] * (t - last)
        last = t
        if kind == 2:
            live.add(what)
        else:
            sign = 1 if kind == 0 else -1
            gain = (what["win"], -what["risk"]) if what["first"] else (-what["risk"], what["win"])
            place = held[what["market"]]
            held[what["market"]] = [place[0] + sign * gain[0], place[1] + sign * gain[1]]
        current = now()
        if index + 1 == len(moments) or moments[index + 1][0] != t or kind == 0:
            for name in answer:
                most[name] = max(most[name], current[name])
    for name in answer:
        area[name] += current[name] * (span[1] - last)
        answer[name]["inventory"] = {"most": most[name], "mean": area[name] / (span[1] - span[0])}
    shares = {}
    for event in events:
        if event["type"] == "Sample" and "shares" in event:
            shares = event["shares"]
    if shares:
        # sums from the beginning of the run: the share of the wanted time that each control kept empty
        wanted = shares["wantedMs"]
        answer["all"]["inventory"]["atLimits"] = ratio(shares["limitedMs"], shares["wantingMs"])
        answer["all"]["inventory"]["heldBack"] = {name: ratio(ms, wanted) for name, ms in shares["held"].items()}
    for name in ("prematch", "inplay"):
        answer[name]["inventory"].update({"worst": None, "maxDrawdown": None, "atLimits": None, "heldBack": None})


def began_of(game):
    return min(game.start, game.live_at if game.live_at is not None else game.start)
