// Writes `own-fills.csv`, generated bets of one month, and `own-odds.ndjson.zst`, the odds of three bookmakers in that
// month, into this folder: `node examples/make-own-history.ts`, in the checkout. The bytes are the same every time with
// the Node that `npm ci` installs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { createRandom } from '../src/domain/index.ts';
import { modelFor } from '../src/pricing/index.ts';

const TEAMS = ['Otters', 'Ravens', 'Comets', 'Pines', 'Harbors', 'Kites', 'Badgers', 'Foxes'] as const;
const BOOKS = { northbook: 0.045, easybet: 0.055, tallybet: 0.035 } as const;
const FIRST_DAY = Date.parse('2030-11-02T00:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Minutes before the start at which the odds were fetched. */
const FETCHED = [360, 240, 180, 120, 90, 60, 45, 30, 20, 10, 5, 1];
const GAMES = 44;

type Line = { readonly margin: number; readonly total: number };

export function makeOwnHistory(): { readonly fills: string; readonly odds: string } {
  const random = createRandom(7, 'own history');
  const { between } = random;
  const documents = new Map<number, object[]>();
  const rows: string[] = [];
  for (let index = 0; index < GAMES; index++) {
    const [home, away] = [TEAMS[index % 8] ?? '', TEAMS[(index * 3 + 1 + Math.floor(index / 8)) % 8] ?? ''];
    if (home === away) continue;
    const start = FIRST_DAY + Math.floor(index / 2) * DAY + (19 + (index % 2) * 2) * 60 * MINUTE;
    let line: Line = { margin: between(-8, 10), total: between(208, 236) };
    const path = FETCHED.map((before) => {
      line = { margin: line.margin + between(-0.5, 0.5), total: line.total + between(-0.8, 0.8) };
      return { time: start - before * MINUTE, line };
    });
    for (const { time, line: now } of path)
      documents.set(time, [
        ...(documents.get(time) ?? []),
        eventOf(`game-${index}`, home, away, start, now, random.next()),
      ]);
    const close = path.at(-1)?.line ?? line;
    const score = { margin: Math.round(close.margin + between(-14, 14)) || 1, total: close.total + between(-20, 20) };
    for (let bet = 0; bet < 3; bet++) {
      const before = between(3, 300);
      const seen = path.findLast(({ time }) => time < start - before * MINUTE)?.line;
      if (seen === undefined) continue;
      rows.push(betRow(start - before * MINUTE, { home, away }, seen, score, random.next(), Math.floor(between(0, 3))));
    }
  }
  const odds = [...documents].sort(([a], [b]) => a - b).map(([ts, data]) => `${JSON.stringify({ ts, data })}\n`);
  return { fills: `Placed,Event,Bet,Line,Price,Stake,Result,Tag\n${rows.join('\n')}\n`, odds: odds.join('') };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
const halves = (value: number): number => Math.round(value - 0.5) + 0.5;

function eventOf(id: string, home: string, away: string, start: number, { margin, total }: Line, lean: number): object {
  const model = modelFor('basketball', { margin, total });
  const [spread, over] = [0 - halves(margin), halves(total)];
  const bookmakers = Object.entries(BOOKS).map(([key, hold], index) => {
    const pair = (p: number): readonly [number, number] => {
      const own = p + (lean - 0.5) * 0.01 * (index - 1);
      return [rounded(1 / (own * (1 + hold))), rounded(1 / ((1 - own) * (1 + hold)))];
    };
    const market = (
      name: string,
      [first, second]: readonly [number, number],
      names: readonly [string, string],
      line?: number,
    ) => ({
      key: name,
      outcomes: [
        { name: names[0], price: first, ...(line !== undefined && { point: line }) },
        { name: names[1], price: second, ...(line !== undefined && { point: name === 'spreads' ? 0 - line : line }) },
      ],
    });
    return {
      key,
      markets: [
        market('h2h', pair(model.moneyline().fair), [home, away]),
        market('spreads', pair(model.spread(spread).fair), [home, away], spread),
        market('totals', pair(model.total(over).fair), ['Over', 'Under'], over),
      ],
    };
  });
  const commence_time = new Date(start).toISOString();
  return { id, sport_key: 'basketball_nba', commence_time, home_team: home, away_team: away, bookmakers };
}

/** A bet a little better than the fair price, on what the bettor likes: home teams, and points. */
function betRow(
  t: number,
  { home, away }: { readonly home: string; readonly away: string },
  { margin, total }: Line,
  score: Line,
  luck: number,
  type: number,
): string {
  const model = modelFor('basketball', { margin, total });
  const [line, over] = [0 - halves(margin), halves(total)];
  const bets = [
    { name: home, line: '', p: model.moneyline().fair, won: score.margin > 0 },
    { name: home, line: String(line), p: model.spread(line).fair, won: score.margin + line > 0 },
    { name: 'Over', line: String(over), p: model.total(over).fair, won: score.total > over },
  ] as const;
  const bet = bets[type] ?? bets[0];
  const price = rounded(1 / (bet.p - 0.012 + 0.02 * luck));
  const stake = 20 + 10 * Math.floor(luck * 9);
  const time = new Date(t).toISOString().slice(0, 19).replace('T', ' ');
  const tag = bet.name === 'Over' ? 'totals' : 'sides';
  return [`${time}Z`, `${away} @ ${home}`, bet.name, bet.line, price, `$${stake}.00`, bet.won ? 'W' : 'L', tag].join(
    ',',
  );
}

export const packed = (text: string): Buffer =>
  zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });

if (import.meta.main) {
  const { fills, odds } = makeOwnHistory();
  for (const [name, content] of Object.entries({ 'own-fills.csv': fills, 'own-odds.ndjson.zst': packed(odds) })) {
    writeFileSync(join(import.meta.dirname, name), content);
    console.log(`${name}: ${content.length.toLocaleString('en')} bytes`);
  }
}
