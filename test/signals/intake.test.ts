// The way in: what is taken, what is nobody's, what is refused, and who is told of it.
import { describe, expect, it } from 'vitest';
import type { SignalUpdate } from '../../src/domain/index.ts';
import { SignalIntake } from '../../src/signals/index.ts';

const NOW = Date.UTC(2030, 0);

function intake() {
  const entered: SignalUpdate[] = [];
  const said: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  const state = { now: NOW, closed: undefined as string | undefined, asked: new Set(['a', 'b']) };
  const signals = new SignalIntake({
    enter: (update) => {
      if (state.closed === undefined) entered.push(update);
      return state.closed;
    },
    isSubscribed: (name) => state.asked.has(name),
    wall: () => state.now,
    log: {
      info: (message, fields) => said.push({ message, fields }),
      warn: (message, fields) => said.push({ message, fields }),
    },
  });
  return { signals, entered, said, state };
}

const value = (name: string, of: number | null, more: object = {}) => ({ values: { [name]: of }, ...more });

describe('messages with signals', () => {
  it('of one of several files name it, and are counted together', () => {
    const { signals, said } = intake();
    signals.takeNewest('file', [value('fair:g/moneyline', 53.1)], 'file /srv/prices.ndjson');
    expect(said.map(({ fields }) => fields['source'])).toEqual(['file /srv/prices.ndjson']);
    expect(Object.keys(signals.counts)).toEqual(['file']);
  });

  it('are entered, good ones beside bad ones, and told by what came of them', () => {
    const { signals, entered, said } = intake();
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
    // the first of each kind and source
    expect(said.map(({ fields }) => [fields['source'], fields['why']])).toEqual([
      ['redis', 'future'],
      ['redis', 'malformed'],
      ['file', 'future'],
    ]);
  });

  it('are all refused where one of them cannot be read, for whoever wants them whole', () => {
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

  it('are taken but for their slips, and each field is named once', () => {
    const { signals, entered, said } = intake();
    const slip = { values: { a: 0.5, 'fair:b': Number.NaN } };
    expect(signals.takeWhole('http', [slip])).toMatchObject({
      accepted: 1,
      refused: [{ index: 0, why: 'slip', problem: 'signal fair:b: expected a probability, 0 … 1, received NaN' }],
    });
    signals.take('http', [slip, { values: { 'fair:c': 1 } }]);
    expect(entered.map(({ values }) => values)).toEqual([{ a: 0.5 }, { a: 0.5 }]);
    expect(said.map(({ fields }) => [fields['source'], fields['problem']])).toEqual([
      ['http', 'signal fair:b: expected a probability, 0 … 1, received NaN'],
      ['http', 'signal fair:c: expected a probability, 0 … 1, received 1: nothing is certain, null withdraws it'],
    ]);
  });

  it('that nest deeper than the stack are refused as others are, and cost no neighbour', () => {
    const deep: unknown = JSON.parse(`{"values":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`);
    const { signals, entered, said } = intake();
    expect(signals.takeNewest('file', [value('a', 1), deep, value('b', 2)])).toMatchObject({
      accepted: 2,
      refused: [{ index: 1, why: 'malformed', problem: expect.stringContaining('signal x') as string }],
    });
    expect(entered.map(({ values }) => values)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(said.map(({ fields }) => fields['message'])).toEqual(['it is nested too deeply to be shown']);
    expect(signals.takeWhole('http', [deep])).toMatchObject({ accepted: 0, refused: [{ why: 'malformed' }] });
  });

  it('that piled up are taken by the newest value of each name, in their order', () => {
    const { signals, entered } = intake();
    const piled = [{ values: { a: 1, b: 1 } }, value('a', 2), value('b', null), value('a', 3)];
    expect(signals.takeNewest('file', piled)).toMatchObject({ accepted: 2 });
    expect(entered.map(({ values }) => values)).toEqual([{ b: null }, { a: 3 }]);
    expect(signals.counts['file']).toMatchObject({ outrun: 3 });
  });

  it('are told of where the bot takes none', () => {
    const { signals, state } = intake();
    state.closed = 'the bot is still starting';
    expect(signals.take('http', [value('a', 1)])).toEqual({
      accepted: 0,
      unknown: [],
      refused: [],
      closed: 'the bot is still starting',
    });
  });

  it('that nobody asks for are told once each, unless somebody asks a little later', () => {
    const { signals, said, state } = intake();
    signals.take('file', [{ values: { late: 1, nobodys: 2 } }]);
    state.now += 5000;
    signals.lookAround();
    expect(said).toEqual([]);
    state.asked.add('late');
    state.now += 6000;
    signals.lookAround();
    signals.take('file', [{ values: { nobodys: 3 } }]);
    state.now += 20_000;
    signals.lookAround();
    expect(said).toEqual([
      {
        message: 'no strategy asks for these signals: each is reported once',
        fields: { source: 'file', names: ['nobodys'], of: 1 },
      },
    ]);
  });
});
