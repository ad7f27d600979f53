// A journal that ended for good: the run is stopped, so that its supervisor starts another one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Input } from '../../src/domain/index.ts';
import { EXIT } from '../../src/domain/index.ts';
import { SafetyNet } from '../../src/ops/index.ts';
import { eventually, memoryLog, ownFiles } from './fixtures.ts';

it.each([false, true])(
  'a torn journal ends the run with 75; a journal that only refuses writes for now does not (torn: %s)',
  async (isTorn) => {
    const files = ownFiles();
    const log = memoryLog();
    const inputs: Input[] = [];
    const net = new SafetyNet(files, 2000, log);
    const file = join(files.folder, 'run.ndjson.zst');
    writeFileSync(file, '');
    await net.open({
      enter: (input) => {
        inputs.push(input);
        return undefined;
      },
      state: () => 'quoting',
      status: () => ({}),
      markets: () => [],
      risk: () => [],
      journal: () => ({ file, isTorn, refused: isTorn ? 'ended before its run: too much waits' : 'ENOSPC' }),
      configure: () => Promise.resolve({ ok: false, problem: 'not here' }),
    });
    net.beginRun();
    await eventually('it is blind', () => inputs.length > 0);
    expect(inputs.map((input) => 'command' in input && input.command)).toEqual(isTorn ? ['stop', 'hold'] : ['hold']);
    expect(log.hasLogged(/the journal ended before its run: the run is stopped, and ends with 75/)).toBe(isTorn);
    expect(net.fault()).toMatchObject({ code: EXIT.gaveUp });
    await net.ended(false);
    net.close();
  },
);
