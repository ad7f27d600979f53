"""A pricing model in Python's standard library alone: reads the books, prices them, sends the prices, receives the fills.
python3 examples/model.py http://127.0.0.1:9464 data/journal/demo.page-token   # docs/signals.md has the configuration"""
import json, signal, sys, time, urllib.request

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once: Python drops an exception raised in a destructor

def call(path, body=None):
    headers = {"Authorization": "Bearer " + open(sys.argv[2]).read().strip(), "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(sys.argv[1] + path, data, headers), timeout=30)

def implied(american):
    return 100 / (100 + american) if american > 0 else american / (american - 100)

def fair_price(book):
    """The middle between the others' best offers of both sides; None when a side has none. Put your model here."""
    best = [next((row["odds"] for row in side if row["size"] > 0), None) for side in book["sides"] or [[], []]]
    return None if None in best else (implied(best[0]) + 1 - implied(best[1])) / 2

while True:  # the list of markets changes during the day
    markets = [one["market"] for one in json.load(call("/api/commands", {"command": "markets"}))["markets"]]
    until = time.time() + 60
    for line in call("/api/events?format=ndjson&books=" + ",".join(markets)):
        event = json.loads(line) if line.strip() else {}
        if event.get("event") == "book":  # null withdraws the price
            call("/api/signals", {"values": {"fair:" + event["market"]: fair_price(event)}, "ttl": "90s"})
        elif event.get("event") == "fill":
            print(f"${event['risk']:.2f} on {event['side']} of {event['market']}, fair {event['fair']}", flush=True)
        if time.time() > until:
            break
