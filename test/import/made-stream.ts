// Generated lines of Betfair's stream. They have the form of real ones, and nothing else of them.
export const START = '2026-03-01T18:00:00.000Z';
export const T0 = Date.parse('2026-03-01T17:00:00.000Z');

type Fields = Readonly<Record<string, unknown>>;

export const runner = (id: number, name?: string, fields: Fields = {}): Fields => ({
  id,
  status: 'ACTIVE',
  ...(name === undefined ? {} : { name }),
  ...fields,
});

/** A moneyline of two teams, by default. */
export const definition = (fields: Fields = {}): Fields => ({
  eventId: '30000001',
  eventName: 'Ash Foxes @ Birch Owls',
  eventTypeId: '7522',
  marketType: 'MATCH_ODDS',
  bettingType: 'ODDS',
  name: 'Moneyline',
  marketTime: START,
  inPlay: false,
  status: 'OPEN',
  countryCode: 'US',
  runners: [runner(1, 'Ash Foxes', { sortPriority: 1 }), runner(2, 'Birch Owls', { sortPriority: 2 })],
  ...fields,
});

export const line = (ms: number, ...mc: readonly Fields[]): string =>
  JSON.stringify({ op: 'mcm', clk: '1', pt: T0 + ms, mc });

export const defined = (ms: number, id = '1.100', fields: Fields = {}): string =>
  line(ms, { id, marketDefinition: definition(fields) });

export const sizes = (ms: number, rc: readonly Fields[], id = '1.100', fields: Fields = {}): string =>
  line(ms, { id, rc, ...fields });

/** A whole market: it opens, offers arrive and are taken, it goes live and ends. */
export const MARKET: readonly string[] = [
  defined(0),
  sizes(1000, [
    { id: 1, atb: [[2.5, 40]], atl: [[2.6, 30]] },
    { id: 2, atb: [[1.6, 100]], atl: [[1.65, 80]] },
  ]),
  // a backer takes 10 of what is offered on the first runner: both stakes count as traded
  sizes(2000, [{ id: 1, atb: [[2.5, 30]], trd: [[2.5, 20]], ltp: 2.5, tv: 20 }]),
  defined(3000, '1.100', { inPlay: true }),
  sizes(4000, [{ id: 2, atl: [[1.65, 0]] }]),
  defined(5000, '1.100', {
    inPlay: true,
    status: 'CLOSED',
    runners: [runner(1, 'Ash Foxes', { status: 'LOSER' }), runner(2, 'Birch Owls', { status: 'WINNER' })],
  }),
];

/** The same file as BASIC data has it: trades, no offers. */
export const BASIC: readonly string[] = [
  defined(0),
  sizes(1000, [{ id: 1, ltp: 2.5 }]),
  sizes(2000, [{ id: 2, ltp: 1.6 }]),
];

export const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
