// The last log lines on the page: a repeated line does not push out the others.
import { expect, it } from 'vitest';
import { LogTail } from '../../src/page/index.ts';

const textsOf = (tail: LogTail): readonly string[] => Object.values(tail.rows).map(({ text }) => text);

it('the log tail counts repeats of a line even when their numbers differ, and keeps all other lines', () => {
  let t = 1000;
  const tail = new LogTail(() => t);
  tail.addLine('info', 'the first', {});
  for (let ms = 0; ms < 215; ms++) {
    t += 2000;
    tail.addLine('warn', 'the event loop stood still', { code: 'LOOP_STALLED', ms });
    if (ms === 100) tail.addLine('info', 'in between', {});
  }
  expect(textsOf(tail)).toEqual(['the first', 'the event loop stood still', 'in between']);
  expect(Object.values(tail.rows)[1]).toEqual({
    t,
    level: 'warn',
    text: 'the event loop stood still',
    fields: { code: 'LOOP_STALLED', ms: 214 },
    count: 215,
    since: 3000,
    former: [],
  });
});

it('the log tail keeps the last five other field values of a repeated line, and a row for each strategy and level', () => {
  const tail = new LogTail(() => 7);
  const off = (strategy: string, market: number) =>
    tail.addLine('error', 'a strategy was disabled', { code: 'STRATEGY_THREW', strategy, detail: `m${market}` });
  for (let market = 0; market < 8; market++) off('one', market);
  off('two', 0);
  tail.addLine('warn', 'a strategy was disabled', { code: 'STRATEGY_THREW', strategy: 'one', detail: 'm0' });
  const [first, second, warn] = Object.values(tail.rows);
  expect([first?.count, second?.count, warn?.count]).toEqual([8, 1, 1]);
  expect(first?.fields['detail']).toBe('m7');
  expect(first?.former.map(({ fields }) => fields['detail'])).toEqual(['m6', 'm5', 'm4', 'm3', 'm2']);
});

it('the log tail starts a new row for a line without a code whose text fields differ, and for a much later repeat', () => {
  let t = 0;
  const tail = new LogTail(() => t);
  tail.addLine('info', 'an operator’s command', { command: 'pause' });
  tail.addLine('info', 'an operator’s command', { command: 'resume' });
  tail.addLine('info', 'an operator’s command', { command: 'pause' });
  t = 3_600_000;
  tail.addLine('info', 'an operator’s command', { command: 'pause' });
  expect(Object.values(tail.rows).map(({ count, fields }) => [fields['command'], count])).toEqual([
    ['pause', 2],
    ['resume', 1],
    ['pause', 1],
  ]);
});

it('the log tail keeps two hundred rows, and drops first the one that was repeated least recently', () => {
  let t = 0;
  const tail = new LogTail(() => t);
  for (let line = 0; line < 300; line++) {
    t += 1000;
    tail.addLine('info', `line ${line}`, {});
    tail.addLine('warn', 'always', { code: 'LOOP_STALLED' });
  }
  expect(textsOf(tail)).toHaveLength(200);
  expect(textsOf(tail)).toContain('always');
  expect(textsOf(tail)).not.toContain('line 100');
});
