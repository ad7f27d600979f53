// Names with control sequences of a terminal, in tables, on the command line and in errors.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { aligned } from '../../src/terminal/aligned.ts';
import { marketTable } from '../../src/cli/market-table.ts';
import { guardOutput } from '../../src/terminal/shown-output.ts';
import { statusTable } from '../../src/cli/status-table.ts';
import { command, folder } from '../support/children.ts';

const NAME = 'Owls\u001b[2J\u009b31m\nall is well';
const CONTROL = /(?!\n)\p{Cc}/u;

describe('a name with escapes and a line break', () => {
  it('stays within its cell of a table', () => {
    const markets = [{ market: 'g/moneyline', game: NAME, sides: [NAME, 'away'], said: { main: NAME } }];
    const tables = [
      `${aligned([['game'], [NAME]]).join('\n')}\n`,
      marketTable(markets),
      statusTable({ account: NAME, state: NAME }),
    ];
    for (const table of tables) {
      expect(table).not.toMatch(CONTROL);
      expect(table).not.toMatch(/^all is well/m);
    }
    expect(marketTable(markets).trimEnd().split('\n')).toHaveLength(2);
  });

  it('is escaped in an error of a command', async () => {
    const file = join(folder(), 'c.yaml');
    writeFileSync(file, 'exchange: { embedded: {} }\n"ri\\e[2Jsk": 1\n');
    const { code, stderr } = await command(['check', file]);
    expect(code).toBe(78);
    expect(stderr).toContain('ri\\u001b[2Jsk');
    expect(stderr).not.toMatch(CONTROL);
  });
});

describe('guardOutput', () => {
  it('escapes text and bytes, also a character in two pieces, and only once when it is called twice', () => {
    let got = '';
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        got += chunk;
        done();
      },
    }) as unknown as NodeJS.WriteStream;
    guardOutput(stream);
    guardOutput(stream);
    const bytes = Buffer.from('é\u001b[2J');
    stream.write(bytes.subarray(0, 1));
    stream.write(bytes.subarray(1));
    stream.write('\u001b[1m\n');
    expect(got).toBe('é\\u001b[2J\\u001b[1m\n');
  });
});
