// The intake of signals: which messages it takes or refuses, which signals no strategy subscribes to, and
// what it reports.
import { describe, expect, it } from 'vitest';
import type { SignalUpdate } from '../../src/domain/index.ts';
import { SignalIntake } from '../../src/signals/index.ts';

const NOW = Date.UTC(2030, 0);

function intake() {
  const entered: SignalUpdate[] = [];
  const logged: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  const state = { now: NOW, closed: undefined as string | undefined, subscribed: new Set(['a', 'b']) };
  const signals = new SignalIntake({
    enter: (update) => {
      if (state.closed === undefined) entered.push(update);
      return state.closed;
    },
    isSubscribed: (name) => state.subscribed.has(name),
    wall: () => state.now,
    log: {
      info: (message, fields) => logged.push({ message, fields }),
      warn: (message, fields) => logged.push({ message, fields }),
    },
  });
  return { signals, entered, logged, state };
}

const value = (name: string, number: number | null, fields: object = {}) => ({ values: { [name]: number }, ...fields });

describe('the signal intake', () => {
  it('names the file that a message came from, and counts the messages of all files together', () => {
    const { signals, logged } = intake();
    signals.takeNewest('file', [value('fair:g/moneyline', 53.1)], 'file /srv/prices.ndjson');
    expect(logged.map(({ fields }) => fields['source'])).toEqual(['file /srv/prices.ndjson']);
    expect(Object.keys(signals.counts)).toEqual(['file']);
  });

  it('enters good messages beside bad ones, and reports the outcome of each', () => {
    const { signals, entered, logged } = intake();
    const future = value('a', 3, { ts: NOW + 5000 });
    expect(signals.take('redis', [value('a', 1), value('x', 2), future, 7, value('b', null)])).toEqual({
      accepted: 2,
      unknown: ['x'],
      refused: [
        { index: 2, why: 'future', problem: '"ts" is 5000 ms in the future' },
        { index: 3, why: 'malformed', problem: 'expected an object with "values"' },
      ],
    });
    expect(entered.map(({ values }) => values)).toEqual([{ a: 1 }, { x: 2 }, { b: null }]);
    signals.take('redis', [future, 8]);
    signals.take('file', [future]);
    expect(signals.counts).toEqual({
      redis: { accepted: 2, unknown: 1, refused: 4, outrun: 0 },
      file: { accepted: 0, unknown: 0, refused: 1, outrun: 0 },
    });
    // only the first refusal of each kind and source is logged
    expect(logged.map(({ fields }) => [fields['source'], fields['why']])).toEqual([
      ['redis', 'future'],
      ['redis', 'malformed'],
      ['file', 'future'],
    ]);
  });

  it('refuses a whole request when one message of it cannot be read', () => {
    const { signals, entered } = intake();
    expect(signals.takeWhole('http', [value('a', 1), value('a', 2, { ttl: 'soon' })])).toMatchObject({
      accepted: 0,
      refused: [{ index: 1, why: 'malformed' }],
    });
    expect(entered).toEqual([]);
    expect(signals.takeWhole('http', [value('a', 1), value('a', 2, { ttl: '1s', ts: NOW - 2000 })])).toMatchObject({
      accepted: 1,
      refused: [{ index: 1, why: 'over' }],
    });
  });

  it('takes a message without its invalid fields, and names each such field once', () => {
    const { signals, entered, logged } = intake();
    const partlyInvalid = { values: { a: 0.5, 'fair:b': Number.NaN } };
    expect(signals.takeWhole('http', [partlyInvalid])).toMatchObject({
      accepted: 1,
      refused: [{ index: 0, why: 'slip', problem: 'signal fair:b: expected a probability, 0 … 1, received NaN' }],
    });
    signals.take('http', [partlyInvalid, { values: { 'fair:c': 1 } }]);
    expect(entered.map(({ values }) => values)).toEqual([{ a: 0.5 }, { a: 0.5 }]);
    expect(logged.map(({ fields }) => [fields['source'], fields['problem']])).toEqual([
      ['http', 'signal fair:b: expected a probability, 0 … 1, received NaN'],
      ['http', 'signal fair:c: expected a probability, 0 … 1, received 1: nothing is certain, null withdraws it'],
    ]);
  });

  it('refuses a message nested deeper than the stack, and takes the messages beside it', () => {
    const deep: unknown = JSON.parse(`{"values":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`);
    const { signals, entered, logged } = intake();
    expect(signals.takeNewest('file', [value('a', 1), deep, value('b', 2)])).toMatchObject({
      accepted: 2,
      refused: [{ index: 1, why: 'malformed', problem: expect.stringContaining('signal x') as string }],
    });
    expect(entered.map(({ values }) => values)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(logged.map(({ fields }) => fields['message'])).toEqual(['it is nested too deeply to be shown']);
    expect(signals.takeWhole('http', [deep])).toMatchObject({ accepted: 0, refused: [{ why: 'malformed' }] });
  });

  it('takes only the newest value of each name from messages that piled up, in the order of arrival', () => {
    const { signals, entered } = intake();
    const backlog = [{ values: { a: 1, b: 1 } }, value('a', 2), value('b', null), value('a', 3)];
    expect(signals.takeNewest('file', backlog)).toMatchObject({ accepted: 2 });
    expect(entered.map(({ values }) => values)).toEqual([{ b: null }, { a: 3 }]);
    expect(signals.counts['file']).toMatchObject({ outrun: 3 });
  });

  it('says why the bot takes no signals', () => {
    const { signals, state } = intake();
    state.closed = 'the bot is still starting';
    expect(signals.take('http', [value('a', 1)])).toEqual({
      accepted: 0,
      unknown: [],
      refused: [],
      closed: 'the bot is still starting',
    });
  });

  it('reports a signal that no strategy subscribes to once, unless a strategy subscribes a little later', () => {
    const { signals, logged, state } = intake();
    signals.take('file', [{ values: { late: 1, unused: 2 } }]);
    state.now += 5000;
    signals.lookAround();
    expect(logged).toEqual([]);
    state.subscribed.add('late');
    state.now += 6000;
    signals.lookAround();
    signals.take('file', [{ values: { unused: 3 } }]);
    state.now += 20_000;
    signals.lookAround();
    expect(logged).toEqual([
      {
        message: 'no strategy asks for these signals: each is reported once',
        fields: { source: 'file', names: ['unused'], of: 1 },
      },
    ]);
  });
});
