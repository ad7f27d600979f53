// The script that writes docs/prices: what it refuses, and what its figures are made of.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelFor, normalQuantile } from 'oddsmaker/pricing';
import { runsGrid } from '../../src/pricing/runs-game.ts';
import { leftAfter, pathAt } from '../../site/fit-prices/basketball-minutes.ts';
import { SolvedGames } from '../../site/fit-prices/goals.ts';
import { prose } from '../../site/fit-prices/markdown.ts';
import { svgOf } from '../../site/fit-prices/picture.ts';
import { Margins, weightsFor } from '../../site/fit-prices/shape.ts';
import { binOf, gainOf, heldOut, lowest, lowestBetween, mean, reliability } from '../../site/fit-prices/statistics.ts';
import { ROOT } from '../support/children.ts';

const SCRIPT = join(ROOT, 'site/fit-prices/fit-prices.ts');

const run = (args: readonly string[]): Promise<{ readonly code: unknown; readonly stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=oddsmaker-source', SCRIPT, ...args], (error, _stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stderr });
    });
  });

describe('npm run fit:prices', () => {
  it('names the files that are not there, and writes nothing', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'odds-'));
    try {
      const { code, stderr } = await run([empty, join(empty, 'out')]);
      expect(code).toBe(2);
      expect(stderr).toContain(`${empty} lacks nfl-2011-2021-sbr.csv.gz, `);
      expect(stderr).toContain('usage: npm run fit:prices -- [DATA_DIR');
    } finally {
      rmSync(empty, { recursive: true });
    }
  });
});

describe('cross-validation by season', () => {
  it('never fits a season on its own games', () => {
    const games = [1, 1, 2, 2, 3].map((season, index) => ({ season, value: index }));
    const losses = heldOut(
      games,
      (others) => others,
      ({ season }, others) => others.filter((other) => other.season === season).length * 100 + others.length,
    );
    expect(losses).toEqual([3, 3, 3, 3, 4]);
  });

  it('gives a gain with the standard error of paired games', () => {
    const { by, error } = gainOf([1, 2, 3, 4], [2, 2, 5, 5]);
    expect(by).toBeCloseTo(1, 12);
    expect(error).toBeCloseTo(Math.sqrt(0.5 / 4), 12);
  });
});

describe('reliability', () => {
  it('has the interval of Wilson', () => {
    const events = Array.from({ length: 50 }, (_none, index) => ({ p: 0.3, occurred: index < 10 }));
    const { said, share, low, high } = binOf(events);
    expect([said, share, low, high].map((value) => Number(value.toFixed(4)))).toEqual([0.3, 0.2, 0.1124, 0.3304]);
  });

  it('leaves out bins with few events, and has 1 in the last one', () => {
    const events = [0.05, 1].flatMap((p) => Array.from({ length: 25 }, () => ({ p, occurred: p === 1 })));
    const bins = reliability([...events, { p: 0.5, occurred: true }]);
    expect(bins.map(({ said, count }) => [Number(said.toFixed(2)), count])).toEqual([
      [0.05, 25],
      [1, 25],
    ]);
  });
});

describe('the search for the lowest point', () => {
  it('finds that of a valley, and that of a parabola between points', () => {
    expect(lowest((x) => (x - 2.3) ** 4, 0, 10, 1e-3)).toBeCloseTo(2.3, 1);
    expect(lowestBetween([0, 1, 2, 3].map((x) => ({ x, y: (x - 1.3) ** 2 })))).toBeCloseTo(1.3, 9);
    expect(lowestBetween([3, 1, 2].map((y, x) => ({ x: -x, y })))).toBeCloseTo(-7 / 6, 9);
  });
});

describe('the shape of margins', () => {
  it('finds the weights that made them', () => {
    const weights = [1, 1, 1, 2];
    const made = new Margins({ deviation: 11.5, weights, draw: 'push' });
    const price = { line: -2.5, p: 0.5 };
    const { from, probabilities } = made.gridOf(price).margin;
    const games = Array.from(probabilities).flatMap((p, index) =>
      Array.from({ length: Math.round(p * 20_000) }, () => ({ ...price, margin: from + index })),
    );
    const found = weightsFor(games, { deviation: 11.5, draw: 'push' }, 3).weights;
    // weights up to the largest are relative to those beyond it
    expect((found[3] ?? 0) / (found[2] ?? 0)).toBeCloseTo(2, 1);
    expect(found[2]).toBeCloseTo(1, 1);
  });
});

describe('the means of a game', () => {
  it('give its moneyline and its total back', () => {
    const models = new SolvedGames((means) =>
      runsGrid(
        { ...means, scored: { home: 0, away: 0 }, draw: 'impossible', hasTotal: true, r: 4 },
        { notBatted: 0.2, longer: { home: 0.1, away: 0.6 } },
      ),
    );
    const game = modelFor('baseball', { home: 4.9, away: 3.9 });
    const [p, over] = [game.moneyline().fair, game.total(8.5).fair];
    const grid = models.gridOf({ p, totalLine: 8.5, over });
    // prices are taken in hundredths
    expect(Math.abs(grid.moneyline('home').fair - p)).toBeLessThan(0.0051);
    expect(Math.abs(grid.over(8.5).fair - over)).toBeLessThan(0.0051);
  });
});

describe('win probabilities by minute', () => {
  const STRENGTHS = { all: 0.44, ofTeam: 0.29 };

  it('come to the record of the team at the end', () => {
    for (const gain of [
      { rate: 0, power: 1 },
      { rate: 0.24, power: 1.3 },
    ]) {
      expect(pathAt(gain, 1, STRENGTHS)).toBeCloseTo(1, 9);
      expect(leftAfter(gain, 1)).toEqual({ mean: 0, variance: 0, lead: 1 });
      expect(leftAfter(gain, 0)).toMatchObject({ mean: 1, variance: 1 });
    }
  });

  it('are those of simulated games, where a lead shrinks', () => {
    const gain = { rate: 0.4, power: 1.5 };
    const { lead, mean: share, variance } = leftAfter(gain, 0.5);
    const gained = 0.5 ** gain.power;
    const before = (1 - Math.exp(-gain.rate)) / (1 - Math.exp(-2 * gain.rate));
    // all normal: quantiles in place of chance
    const steps = Array.from({ length: 101 }, (_none, index) => normalQuantile((index + 0.5) / 101));
    const leads = steps.flatMap((m) => steps.map((e) => gained * m * Math.sqrt(0.44) + e * Math.sqrt(before)));
    const finals = steps.flatMap((m, row) =>
      steps.map((_e, column) => lead * (leads[row * 101 + column] ?? 0) + share * m * Math.sqrt(0.44)),
    );
    const slope = mean(leads.map((x, index) => x * (finals[index] ?? 0))) / mean(leads.map((x) => x * x));
    const rest = mean(finals.map((y, index) => (y - slope * (leads[index] ?? 0)) ** 2)) + variance;
    const part = (slope * gained) / Math.sqrt(rest + slope * slope * before);
    expect(pathAt(gain, 0.5, { all: 0.44, ofTeam: 0 })).toBeCloseTo(part, 2);
  });
});

it('prose keeps a number and its sign on one line, of a width that fits', () => {
  const text = prose(`${'word '.repeat(19)}37.5 % of all games`);
  expect(text).not.toContain('\n%');
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});

it('a picture has its axes, its legend and a panel of its own', () => {
  const axis = { label: 'a < b', ticks: [0, 1] };
  const series = ['first', 'second'].map((name) => ({ name, drawn: 'line' as const, points: [{ x: 0, y: 2 }] }));
  const svg = svgOf('a "picture"', [{ title: 'title', x: axis, y: axis, series }]);
  for (const text of ['a &lt; b', 'first', 'second', 'title', 'aria-label="a &quot;picture&quot;"', 'fill="#fff"'])
    expect(svg).toContain(text);
  expect(svg).not.toContain('NaN');
});
