import { describe, expect, it } from 'vitest';
import { kindOf } from '../../src/import/market-kind.ts';
import { parseStreamLine } from '../../src/import/stream-line.ts';
import type { MarketDefinition } from '../../src/import/stream-line.ts';
import { defined, line, runner, T0 } from './made-stream.ts';

function definitionOf(fields: Readonly<Record<string, unknown>>): MarketDefinition {
  const message = parseStreamLine(defined(0, '1.1', fields));
  const found = typeof message === 'object' ? message.markets[0]?.definition : undefined;
  if (found === undefined) throw new Error(`no definition: ${JSON.stringify(message)}`);
  return found;
}

const ASIAN = { bettingType: 'ASIAN_HANDICAP_DOUBLE_LINE', marketType: 'ASIAN_HANDICAP' };
const lines = (names: readonly [string?, string?], pairs: readonly (readonly [number, number])[]) =>
  pairs.flatMap(([first, second]) => [runner(1, names[0], { hc: first }), runner(2, names[1], { hc: second })]);

describe('a Betfair market with two outcomes', () => {
  it('is a moneyline whose event names the home team', () => {
    const away = kindOf(definitionOf({ eventName: 'Ash Foxes @ Birch Owls' }));
    expect(away).toMatchObject({
      markets: [{ type: 'moneyline', runners: ['2/0', '1/0'] }],
      teams: { home: { id: 'bf-2', name: 'Birch Owls' }, away: { id: 'bf-1', name: 'Ash Foxes' } },
    });
    const home = kindOf(definitionOf({ eventName: 'Ash Foxes v Birch Owls' }));
    expect(home).toMatchObject({ markets: [{ runners: ['1/0', '2/0'] }] });
  });

  it('is a moneyline also when its runners are listed the other way round', () => {
    const kind = kindOf(definitionOf({ eventName: 'Birch Owls v Ash Foxes' }));
    expect(kind).toMatchObject({ markets: [{ runners: ['2/0', '1/0'] }] });
  });

  it.each([
    ['7522', ['2/0', '1/0']],
    ['1', ['1/0', '2/0']],
  ])('takes the order of its sport when the event has no name: %s', (eventTypeId, runners) => {
    expect(kindOf(definitionOf({ eventTypeId, eventName: undefined }))).toMatchObject({
      markets: [{ runners }],
    });
  });

  it('is a spread for each pair of handicaps, seen from home', () => {
    const runners = lines(
      ['Ash', 'Birch'],
      [
        [-0.5, 0.5],
        [0, 0],
        [0.25, -0.25],
        [3, -2],
      ],
    );
    expect(kindOf(definitionOf({ ...ASIAN, eventName: 'Ash v Birch', runners }))).toMatchObject({
      markets: [
        { type: 'spread', line: -0.5, runners: ['1/-0.5', '2/0.5'] },
        { type: 'spread', line: 0, runners: ['1/0', '2/0'] },
        { type: 'spread', line: 0.25, runners: ['1/0.25', '2/-0.25'] },
      ],
    });
  });

  it('is a total, with one line or with many', () => {
    const total = definitionOf({
      marketType: 'OVER_UNDER_25',
      runners: [runner(8, 'Under 2.5 Goals'), runner(9, 'Over 2.5 Goals')],
    });
    expect(kindOf(total)).toMatchObject({
      markets: [{ type: 'total', line: 2.5, runners: ['9/0', '8/0'] }],
      teams: undefined,
    });
    const runners = lines(
      ['Under', 'Over'],
      [
        [210.5, 210.5],
        [211, 211],
      ],
    );
    expect(kindOf(definitionOf({ ...ASIAN, marketType: 'COMBINED_TOTAL', runners }))).toMatchObject({
      markets: [
        { type: 'total', line: 210.5, runners: ['2/210.5', '1/210.5'] },
        { type: 'total', line: 211, runners: ['2/211', '1/211'] },
      ],
    });
  });
});

describe('a Betfair market that is left out', () => {
  const three = [runner(1, 'Ash'), runner(2, 'Birch'), runner(58805, 'The Draw')];
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['with a draw', { runners: three }, /3 runners/],
    ['of a half', { marketType: 'HALF_TIME' }, /part of the game/],
    ['of goals in a half', { marketType: 'FIRST_HALF_GOALS_05' }, /part of the game/],
    ['of corners', { marketType: 'OVER_UNDER_85_CORNR' }, /neither/],
    ['of yes and no', { marketType: 'BOTH_TEAMS_TO_SCORE' }, /neither/],
    ['of a field', { marketType: 'WIN', runners: [...three, runner(4)] }, /4 runners/],
    ['of one runner', { runners: [runner(1)] }, /1 runners/],
    ['of lines', { bettingType: 'LINE' }, /bets of type LINE/],
    ['of totals without names', { marketType: 'OVER_UNDER_25', runners: [runner(1), runner(2)] }, /named/],
    [
      'of many totals without names',
      { ...ASIAN, marketType: 'ALT_TOTAL_GOALS', runners: lines([], [[2, 2]]) },
      /named/,
    ],
    ['of three handicaps', { ...ASIAN, runners: three }, /3 runners/],
    ['of lines without an opposite', { ...ASIAN, runners: lines([], [[1, 1]]) }, /two sides/],
  ])('has the reason: one %s', (_what, fields, reason) => {
    expect(kindOf(definitionOf(fields))).toEqual({ leftOut: expect.stringMatching(reason) as string });
  });
});

describe('a line of the Betfair stream', () => {
  it.each<[string, string, RegExp]>([
    ['cut short', '{"op":"mcm","pt":1,"m', /not JSON/],
    ['of something else', '{"hello":1}', /no message/],
    ['that is a list', '[]', /no message/],
    ['without a time', '{"op":"mcm","mc":[]}', /"pt"/],
    ['of a time in microseconds', '{"op":"mcm","pt":1.7e15,"mc":[]}', /"pt".*microseconds\? divide by 1000$/],
    ['of a time in seconds', '{"op":"mcm","pt":1709402400,"mc":[]}', /"pt".*1970-01-20: seconds\? multiply by 1000$/],
    ['whose markets are none', `{"op":"mcm","pt":${T0},"mc":[3]}`, /market/],
    ['without an id', line(0, { rc: [] }), /without an id/],
    ['with a runner without an id', line(0, { id: '1', rc: [{ atb: [] }] }), /runner without an id/],
    ['with a price below 1', line(0, { id: '1', rc: [{ id: 1, atb: [[0.5, 2]] }] }), /"atb"/],
    ['with a size below 0', line(0, { id: '1', rc: [{ id: 1, atl: [[2, -1]] }] }), /"atl"/],
    ['with a size that is a word', line(0, { id: '1', rc: [{ id: 1, trd: [[2, 'x']] }] }), /"trd"/],
    ['with a place that is none', line(0, { id: '1', rc: [{ id: 1, batb: [[0.5, 2, 1]] }] }), /"batb"/],
    ['of an event without an id', line(0, { id: '1', marketDefinition: {} }), /eventId/],
    ['of an event without a time', line(0, { id: '1', marketDefinition: { eventId: '2' } }), /marketTime/],
  ])('is refused with what is wrong with it: one %s', (_what, text, problem) => {
    expect(parseStreamLine(text)).toMatch(problem);
  });

  it('brings no market when it is a heartbeat', () => {
    expect(parseStreamLine(`{"op":"mcm","pt":${T0},"ct":"HEARTBEAT"}`)).toBeUndefined();
    expect(parseStreamLine('{"op":"connection"}')).toBeUndefined();
  });
});
