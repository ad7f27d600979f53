// Lines of a tape in the layout that recorders write, and in any other layout, give the same events.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import type { MarketEvent } from '../../src/tape/index.ts';
import type { Row } from '../backtest/made-tape.ts';
import { MadeTape, newFolder } from '../backtest/made-tape.ts';

const SIDES = ['home', 'away', 'home -3.5', 'over 210.5'] as const;
const rowsAt = (n: number): readonly Row[] =>
  Array.from({ length: 6 }, (_none, level) => ({
    id: `offer-${level === n % 7 ? `new-${n}` : level}`,
    odds: 105 + level,
    risk: 200,
    // some rows have nothing left, some are the recorder's own, some expire
    left: (n + level) % 11 === 0 ? 0 : 200 - (n % 40),
    ...(level === 3 && n % 5 === 0 ? { own: true } : {}),
    ...(level === 4 && n % 3 === 0 ? { expires: 3000 } : {}),
  }));

async function eventsOf(lines: readonly string[]): Promise<readonly MarketEvent[]> {
  const file = join(newFolder(), 'tape.ndjson');
  writeFileSync(file, lines.join('\n'));
  const events: MarketEvent[] = [];
  for await (const batch of decodeTape(file, {})) events.push(...batch);
  return events;
}

it.each(['offerer', 'taker'] as const)(
  'a tape gives the same events however its lines are laid out (%s)',
  async (perspective) => {
    const tape = new MadeTape({ perspective, depth: 6 });
    tape.game(0);
    for (let n = 1; n < 1200; n++) {
      tape.side(n, SIDES[n % 4] ?? 'home', rowsAt(n), n > 600);
      if (n % 400 === 0)
        tape
          .disconnect(n)
          .connect(n)
          .read(n, { home: rowsAt(n) }, n - 1);
    }
    // the first piece of the file decides the layout in which the rest of the tape is read
    expect(tape.text.length).toBeGreaterThan(3 * 256 * 1024);
    const backwards = tape.lines.map((line) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as object).reverse())),
    );
    const events = await eventsOf(tape.lines);
    expect(events).toHaveLength(1199 + 1 + 3 * 2);
    expect(events).toEqual(await eventsOf(backwards));
  },
);
