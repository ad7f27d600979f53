// The help of `oddsmaker sweep`.

export const HELP = `
--param is <strategy>.<parameter>, or a key of the file such as risk.maxGameLoss:
  main.edge=0.01,0.015,0.02      these values
  main.edge=0.01:0.03:0.005      from, to, step
  main.edge=0.01:0.03            any value between; a grid uses five
  main.edge=0.001:0.1:log        the same on a log scale: equal ratios are equal steps
  risk.maxOpenOrders=10:200:int  whole numbers; :int:log for both
  main.edge                      as the strategy's schema says: z.number().meta({ sweep: [0.01, 0.03] })
Without --param, every parameter whose schema has a range. A list of numbers that rises or falls has an order; other
lists are choices.

--search grid plays every combination; random spreads --points evenly (Sobol); halving plays the points on a ninth of the
games, the best third on a third, and the best third of these on all. tpe (tree-structured Parzen estimator) plays ten
points of random, then asks for --batch points at once where the good ones so far lie. Its points do not depend on the
number of threads or workers, only on --seed and --batch. --stop-early, with grid, random and tpe: from the second batch
on, points that are clearly worse than the best after a quarter of the games (three standard errors, game by game) are not
played on the rest; needs 16 games.

--such-that "inventory.maxDrawdown <= 200" (repeat for several): a point that does not meet it is not ranked. A point
whose figure is not known does not meet it, and is compared with none. --objective is a figure of the report of the run;
the default, edge.perPlace, is dollars of edge per place permit: at the close for fills before the start, 300 s later for
fills in play. It is maximized, except figures for which less is better (inventory.maxDrawdown, quoting.cancelsPerFill);
override that with quoting.meanDistance:least, or :most. --strategy-latency takes times, and not measured: the points must
give the same results in each thread and on each machine. Several --objective give a front: the points that no other point
beats in all of them (front.svg). The statistics judge by the first.

A setting that did best on the days that chose it does worse on others. --holdout 0.3 keeps the last 30 % of the days to
judge by; --walk-forward 5 chooses on all days before, and judges five days at a time. A game belongs to the day on
which it starts (days begin at risk.dayStartsAt), and its fills with it. A figure that is no sum over games
(quoting.atBest, inventory.worst) comes from runs over those games alone: with --holdout the best ten play once more,
with --walk-forward all points for each part; so do sweeps with --such-that or several objectives. The verdict at the end
may be no. It says how many games are needed to show a difference of the best point from the present setting and from the
second best.

--like DIR repeats a sweep: its folder or sweep.json. Flags that are given replace those of the sweep. A file that has
changed is refused unless it is named on the command line.

Writes into --out: sweep.json (settings, statistics, front, importance of each parameter, verdict), points.csv (one row
per point), points.ndjson (each point by game), heatmap.svg, front.svg, best-1.html … (the report of the best three), and
timing.json, the only file that depends on the machine. The same inputs give the same bytes for any number of threads.
After a kill, repeat the command with --resume.

With --redis the points are played by \`oddsmaker worker\` wherever it runs (docs/sweep.md): the results are the same
bytes. Redis carries strategy sources, the configuration without account and secrets, and results, all signed with
--key. Workers get missing tapes from this process; for other machines say where it listens: --serve 10.0.0.5:7070.

Exit:  0 done; 1 a point that ran twice had two results, or --strict a result that settles nothing; 2 a wrong
       command line, or --resume or --like with other inputs; 65 a bad tape or results file, or something else writes into the
       keys of oddsmaker in Redis; 75 Redis is away or full for longer than --wait; 77 it refuses the password, or its
       certificate (rediss://) is not trusted; 78 a bad configuration or a folder that cannot be used, or no point could
       be played; 130 after Ctrl-C. A point that fails is a row with its problem, and the others continue.

Examples:
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/edge --param main.edge=0.005:0.03:0.005
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/two --search random --points 200 \\
    --param main.edge=0.005:0.03 --param main.skew=0:1 --holdout 0.3 --results scores.json
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/two --search halving --points 500 --resume
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/tpe --search tpe --points 120 --stop-early \\
    --param main.edge=0.002:0.05:log --param main.skew=0:1 --such-that "inventory.maxDrawdown <= 200"
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/front --search tpe --param main.edge=0.002:0.05:log \\
    --objective edge.dollars --objective inventory.maxDrawdown
  oddsmaker sweep --like data/tpe --out data/again --seed 2
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/far --param main.edge --redis redis://10.0.0.5:6379 \\
    --key sweep.key --serve 10.0.0.7:7070
  oddsmaker sweep --status --redis redis://10.0.0.5:6379
`;
