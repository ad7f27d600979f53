#!/usr/bin/env python3
"""A model outside the bot: fair prices of moneylines from ratings of the teams, sent to a running bot as signals.

    python3 examples/rating_model.py config/own.yaml --ratings ratings.json

The bot runs strategies/own-price.ts, which quotes around the signal `fair:<market>`: the probability of the home team.
Ratings are points as in chess: 400 more are odds of 10 to 1. `--ratings` names a JSON object of team names; a team that is
not in it has 1500. Needs only Python 3.9 or newer, and `oddsmaker` as --command says.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time

AVERAGE = 1500.0


def probability_of_home(ratings, game, home_advantage):
    """`game` reads "Away @ Home", as the exchange names it."""
    away, _, home = game.partition(" @ ")
    ahead = ratings.get(home, AVERAGE) + home_advantage - ratings.get(away, AVERAGE)
    return 1.0 / (1.0 + 10.0 ** (-ahead / 400.0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", help="the YAML file that the bot was started with")
    parser.add_argument("--ratings", help="JSON file: {team: points}")
    parser.add_argument("--home-advantage", type=float, default=60.0, help="points, default 60")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two rounds")
    parser.add_argument("--rounds", type=int, default=0, help="number of rounds; 0: until it is stopped")
    parser.add_argument("--command", default="npx oddsmaker", help="how oddsmaker is called")
    args = parser.parse_args()
    ratings = {}
    if args.ratings:
        with open(args.ratings, encoding="utf-8") as file:
            ratings = json.load(file)
    ctl = [*shlex.split(args.command), "ctl", args.config]
    # a price expires when it is not sent again within three rounds
    ttl = f"{max(1, round(3 * args.every))}s"
    # one stream for all rounds: each line reaches the bot as one message
    with subprocess.Popen([*ctl, "signal", "-", "--ttl", ttl], stdin=subprocess.PIPE, text=True) as stream:
        done = 0
        while args.rounds == 0 or done < args.rounds:
            listed = subprocess.run([*ctl, "markets", "--json"], capture_output=True, text=True, check=False)
            if listed.returncode == 0:
                prices = [
                    f"fair:{one['market']}={probability_of_home(ratings, one['game'], args.home_advantage):.4f}"
                    for one in json.loads(listed.stdout)
                    if one["market"].endswith("/moneyline") and one.get("game")
                ]
                if prices:
                    stream.stdin.write(" ".join(prices) + "\n")
                    stream.stdin.flush()
                    print(f"{len(prices)} prices, good for {ttl}", flush=True)
            else:
                print(listed.stderr.strip(), file=sys.stderr, flush=True)
            done += 1
            if args.rounds == 0 or done < args.rounds:
                time.sleep(args.every)
        stream.stdin.close()
    return stream.returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        pass
