// `backtest --watch` as it is used: a strategy, the configuration and the tapes change while it waits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { changeText } from '../../src/cli/backtest-watch.ts';
import { BIN, command, folder, NO_JOURNAL, TWO_SIDED } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A folder with a strategy, a configuration and a folder of tapes, and the backtest that watches them. */
function watching(seconds: number, ...flags: readonly string[]) {
  const home = folder();
  const inHome = (name: string): string => join(home, name);
  mkdirSync(inHome('tapes'));
  copyFileSync(TWO_SIDED, inHome('own.ts'));
  writeGeneratedTape(inHome('tapes/a.ndjson.gz'), seconds);
  const configOf = (edge: number): void =>
    writeFileSync(
      inHome('bot.yaml'),
      `exchange: { embedded: {} }\nstrategies: [{ use: ./own.ts, id: main, params: { edge: ${edge}, risk: 100 } }]\n${NO_JOURNAL}`,
    );
  configOf(0.01);
  const args = ['backtest', inHome('bot.yaml'), '--tape', inHome('tapes'), '--out', inHome('out'), '--watch', ...flags];
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'exit') as Promise<[number | null, string | null]>;
  ends.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await gone;
  });
  let text = '';
  let notify: () => void = () => undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      notify();
    });
  /** Resolves with the first match in what was printed since the last one. */
  const prints = (what: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      void gone.then(() => reject(new Error(`it ended before it printed ${String(what)}: ${text}`)));
      notify = () => {
        const [found] = what.exec(text) ?? [];
        if (found === undefined) return;
        text = text.slice(text.indexOf(found) + found.length);
        resolve(found);
      };
      notify();
    });
  const fillsInResult = (): number =>
    (JSON.parse(readFileSync(inHome('out/result.json'), 'utf8')) as { scenarios: { calibrated: { fills: number } } })
      .scenarios.calibrated.fills;
  return { inHome, configOf, prints, fillsInResult, child, gone };
}

const RUN = /^calibrated: .* s\n/m;

describe('backtest --watch', () => {
  it('plays again after each change, says what it made of the result, and ends with 0 at Ctrl-C', async () => {
    const { inHome, configOf, prints, fillsInResult, child, gone } = watching(300);
    await prints(/^calibrated|^fills +\d/m);
    await prints(/Ctrl-C ends it\n/);
    const atFirst = fillsInResult();
    expect(atFirst).toBeGreaterThan(0);
    configOf(0.02);
    const wider = await prints(RUN);
    expect(fillsInResult()).toBeLessThan(atFirst);
    const count = (fills: number): string => fills.toLocaleString('en');
    expect(wider).toContain(`${count(fillsInResult())} fills (-${count(atFirst - fillsInResult())})`);
    expect(wider).toMatch(/P&L \S+ \(\S+\), CLV not known, worst \S+ \(\S+\), [\d.]+ s/);
    // a strategy that does not load is reported, and the next save is tried
    const source = readFileSync(inHome('own.ts'), 'utf8');
    writeFileSync(inHome('own.ts'), 'export default {');
    await prints(/own\.ts does not load/);
    writeFileSync(inHome('own.ts'), source);
    expect(await prints(RUN)).toContain('fills (same)');
    // so is one that throws
    writeFileSync(
      inHome('own.ts'),
      source.replace('const [first, second] = view.sides;', 'throw new Error("a slip");'),
    );
    await prints(/STRATEGY_THREW: .*a slip/);
    writeFileSync(inHome('own.ts'), source);
    await prints(RUN);
    writeGeneratedTape(inHome('tapes/b.ndjson.gz'), 300, { id: 'second' });
    await prints(/calibrated: .* fills \(\+/);
    child.kill('SIGINT');
    expect(await gone).toEqual([0, null]);
  });

  it('checks for look-ahead after each run', async () => {
    const { configOf, prints } = watching(60, '--look-ahead-check');
    await prints(/^look-ahead: none\. /m);
    await prints(/Ctrl-C ends it\n/);
    configOf(0.02);
    await prints(/^look-ahead: none\. /m);
    await prints(RUN);
  });

  it('ends with the error of its first run, and refuses what it cannot watch', async () => {
    const { inHome } = watching(60);
    const args = ['backtest', inHome('bot.yaml'), '--tape', inHome('tapes'), '--out', inHome('other'), '--watch'];
    expect(await command([...args, '--vary', 'main.edge=0.01,0.02'])).toMatchObject({ code: 2 });
    writeFileSync(inHome('bot.yaml'), 'strategies: 7\n');
    expect(await command(args)).toMatchObject({ code: 78 });
  });
});

describe('the line after a change', () => {
  const run = { scenario: 'calibrated', fills: 1200, pnl: 10, clv: null, worst: -50 };

  it('has no difference to compare at first, or after another scenario', () => {
    const text = 'calibrated: 1,200 fills, P&L $10.00, CLV not known, worst -$50.00';
    expect(changeText(run, undefined)).toBe(text);
    expect(changeText(run, { ...run, scenario: 'pessimistic' })).toBe(text);
  });

  it('has a sign at each difference', () => {
    expect(changeText({ ...run, clv: 2 }, { ...run, fills: 1300, pnl: 9.5, clv: 3, worst: -50 })).toBe(
      'calibrated: 1,200 fills (-100), P&L $10.00 (+$0.50), CLV $2.00 (-$1.00), worst -$50.00 (same)',
    );
  });
});
