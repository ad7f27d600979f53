// What a report keeps of many markets and series: those with most fills, in few points, and the number of the others.
import { describe, expect, it } from 'vitest';
import type { GameId, StrategyId } from '../../src/domain/index.ts';
import { createRandom, market } from '../../src/domain/index.ts';
import type { MarketPath, SeriesPath } from '../../src/run/index.ts';
import { drawnSeries, MarketPaths, SeriesBook, seriesRows } from '../../src/run/index.ts';
import { fill, facts, START } from './facts.ts';
import { NO_EVENTS, reportHtml, reportScenario } from '../../src/report/index.ts';

const random = createRandom(1, 'paths of markets');
const noise = (): number => 0.3 * random.next();
const path = (number: number, fills: number, points = 2): MarketPath => ({
  market: market(`g${number}` as GameId, 'moneyline', undefined),
  eventName: `Away @ Home ${number}`,
  fills,
  points: Array.from({ length: points }, (_, index) => ({
    t: START + 1000 * index,
    // moves at each point, as in play
    fair: 0.5 + noise(),
    others: [0.45 + noise(), 0.55 + noise()],
    own: [0.44 + noise(), 0.56 + noise()],
  })),
});
const series = (number: number, points = 2): SeriesPath => ({
  strategy: 'main' as StrategyId,
  game: `g${number}` as GameId,
  market: market(`g${number}` as GameId, 'moneyline', undefined).id,
  name: 'fair',
  times: Array.from({ length: points }, (_, index) => START + 1000 * index),
  values: Array.from({ length: points }, noise),
});

describe('the paths of many markets', () => {
  it('are those with most fills, and the others are counted', () => {
    const paths = new MarketPaths();
    for (let number = 0; number < 400; number++) paths.add(path(number, number));
    paths.add(path(1000, 1000, 0));
    const { paths: kept, leftOut } = paths.set;
    expect([kept.length, leftOut]).toEqual([150, 250]);
    expect([kept[0]?.fills, kept.at(-1)?.fills]).toEqual([399, 250]);
  });

  it('have at most 300 points each and the last', () => {
    const paths = new MarketPaths();
    paths.add(path(1, 1, 1500));
    const points = paths.set.paths[0]?.points ?? [];
    expect(points.length).toBeLessThanOrEqual(301);
    expect([points[0]?.t, points.at(-1)?.t]).toEqual([START, START + 1_499_000]);
  });

  it('of several runs are put together', () => {
    const all = new MarketPaths();
    for (const fills of [3, 5]) {
      const paths = new MarketPaths();
      paths.add(path(fills, fills));
      all.addAll({ ...paths.set, leftOut: fills });
    }
    expect(all.set).toMatchObject({ leftOut: 8, paths: [{ fills: 5 }, { fills: 3 }] });
  });
});

describe('series', () => {
  it('are folded by strategy, market and name, and make rows by time', () => {
    const book = new SeriesBook();
    const { strategy, game, market: id } = series(1);
    const place = { strategy, game, ...(id === undefined ? {} : { market: id }) };
    book.applyEvent(
      {
        type: 'SeriesLogged',
        ...place,
        points: [
          { name: 'b', value: 1 },
          { name: 'a', value: 2 },
        ],
      },
      1000.4,
    );
    book.applyEvent({ type: 'SeriesLogged', ...place, points: [{ name: 'b', value: 3 }] }, 2000);
    expect(book.paths.map(({ name, times, values }) => [name, times, values])).toEqual([
      ['b', [1000, 2000], [1, 3]],
      ['a', [1000], [2]],
    ]);
    expect(seriesRows('live', 'run', book.paths)).toEqual([
      ['live', 1000, 'main', 'g1', id, 'b', 1, 'run'],
      ['live', 1000, 'main', 'g1', id, 'a', 2, 'run'],
      ['live', 2000, 'main', 'g1', id, 'b', 3, 'run'],
    ]);
  });

  it('of a report are at most 300, of the markets with most fills', () => {
    const paths = Array.from({ length: 400 }, (_, number) => path(number, number));
    const { series: drawn, leftOut } = drawnSeries(
      paths.map((_, number) => series(number, 1000)),
      { paths, leftOut: 0 },
    );
    expect([drawn.length, leftOut]).toEqual([300, 100]);
    expect([drawn[0]?.game, drawn.at(-1)?.game]).toEqual(['g399', 'g100']);
    expect(drawn[0]?.times.length).toBeLessThanOrEqual(301);
    expect(drawn[0]?.times.at(-1)).toBe(START + 999_000);
  });
});

it('a page of 150 busy markets in three scenarios, with 300 series, is under 2 MB', () => {
  const paths = Array.from({ length: 150 }, (_, number) => path(number, 60, 300));
  const fills = paths.flatMap(({ market: quoted, eventName }) =>
    Array.from({ length: 60 }, (_, index) =>
      fill({ game: quoted.gameId, market: quoted, eventName, t: START + 5000 * index }),
    ),
  );
  const scenario = reportScenario(facts({ fills }), paths[0], NO_EVENTS, 1, {
    paths: { paths, leftOut: 12 },
    series: { series: Array.from({ length: 300 }, (_, number) => series(number, 300)), leftOut: 0 },
  });
  const html = reportHtml({
    ...{ report: 2, title: 'x', from: null, to: null, inputs: [], limitations: [] },
    scenarios: { calibrated: scenario, pessimistic: scenario, optimistic: scenario },
  });
  expect(html.length).toBeGreaterThan(500_000);
  expect(html.length).toBeLessThan(2_000_000);
  expect(html).toContain('12 more quoted markets, with fewer fills, are not in this page');
});
