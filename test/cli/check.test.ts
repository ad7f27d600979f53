import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { main } from '../../src/cli/main.ts';
import { missingForRun } from '../../src/setup/missing-for-run.ts';
import { loadConfig } from '../../src/config/index.ts';
import {
  command,
  DAY_LIMIT,
  exchangeSection,
  NO_JOURNAL,
  ROOT,
  STRATEGIES,
  TWO_SIDED,
  writeConfig,
} from '../support/children.ts';

describe('oddsmaker check', () => {
  it('prints the settings in force with the defaults, and hides the secrets', async () => {
    const yaml = exchangeSection('https://rest.example', 'https://socket.example', {
      password: '"very-s3cret"',
    });
    const file = writeConfig(`${yaml}${STRATEGIES}ops: { token: t0ken-of-ops }\nrisk: { maxOrderRisk: 123 }\n`);
    const { code, stdout, stderr } = await command(['check', file]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`${file} is good.`);
    // the configuration is readable, one key a line
    expect(stdout).toContain('{\n  "exchange": {\n');
    expect(stdout).not.toContain('\u{fffd}');
    expect(stdout).toMatch(/`run` needs more: .*bot\.yaml:\d+:\d+: risk\.maxDailyLoss: expected dollars/);
    expect(stdout).toContain('"maxOrderRisk": 123');
    expect(stdout).toContain('"maxGameLoss": 2000');
    expect(stdout).toContain('"username": "alice"');
    expect(stdout).toContain('"password": "[hidden]"');
    expect(stdout).toContain('"token": "[hidden]"');
    expect(stdout + stderr).not.toMatch(/very-s3cret|t0ken-of-ops/);
    const sha256 = createHash('sha256').update(readFileSync(TWO_SIDED)).digest('hex');
    expect(stdout).toContain(`${TWO_SIDED}  sha256 ${sha256.slice(0, 16)}`);
  });

  it.each([
    ['risk: { maxOrderRisk: 50 }\n', /risk\.maxDailyLoss: expected dollars/],
    ['risk: { maxDailyLoss: null }\n', /risk\.maxDailyLoss: expected dollars/],
    [`${DAY_LIMIT}ledger: { file: null }\n`, /ledger\.file: expected a file/],
  ])('names what only `run` demands, and `run` ends with 78 without it: %s', async (section, problem) => {
    const yaml = exchangeSection('http://127.0.0.1:9', 'http://127.0.0.1:9');
    const file = writeConfig(`${yaml}${STRATEGIES}${NO_JOURNAL}${section}`);
    expect(missingForRun(loadConfig(file, {}))?.message).toMatch(problem);
    await expect(main(['run', file])).resolves.toBe(78);
  });

  it('demands nothing more for an embedded exchange', () => {
    const file = writeConfig(`exchange: { embedded: {} }\nledger: { file: null }\n${STRATEGIES}`);
    expect(missingForRun(loadConfig(file, {}))).toBeUndefined();
  });

  it('marks each setting of the wire profile as set or assumed, with its confidence', async () => {
    const file = writeConfig(
      `exchange: { embedded: {}, profile: { bookPerspective: taker, pageSize: 100 } }\n${STRATEGIES}`,
    );
    const { code, stdout } = await command(['check', file]);
    expect(code).toBe(0);
    const rows = stdout.slice(stdout.indexOf('Wire profile:')).split('\n').slice(1, -1);
    const origins = Object.fromEntries(
      rows.map((row) => {
        const [key = '', origin = ''] = /^ {2}(\w+) .*? (set|assumed) /.exec(row)?.slice(1) ?? [];
        return [key, origin];
      }),
    );
    expect(origins).toEqual({
      ...Object.fromEntries(Object.keys(DEFAULT_PROFILE).map((key) => [key, 'assumed'])),
      // set by the file, although the value is the default
      pageSize: 'set',
      bookPerspective: 'set',
    });
    expect(stdout).toMatch(/bookPerspective +"taker" +set/);
    expect(stdout).toMatch(/loginPath +"\/user\/login" +assumed +A: /);
  });

  it('shows what the preset of the wire profile set, and what the file set instead', async () => {
    const file = writeConfig(
      `exchange: { embedded: {}, profile: { preset: family, cancelAllReply: received } }\n${STRATEGIES}`,
    );
    const { code, stdout } = await command(['check', file]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}preset +"family" +set /m);
    expect(stdout).toMatch(/^ {2}bookPerspective +"taker" +preset /m);
    expect(stdout).toMatch(/^ {2}endsAtStart +true +preset /m);
    expect(stdout).toMatch(/^ {2}bookShape +"captured" +preset /m);
    expect(stdout).toMatch(/^ {2}cancelAllReply +"received" +set /m);
    expect(stdout).toMatch(/^ {2}oddsStep +1 +assumed /m);
    expect(stdout).toContain('"endsAtStart": true');
  });

  it('shows what decides the bets of each league and what is assumed, and warns of an unknown league', async () => {
    const file = writeConfig(
      `exchange: { embedded: {} }\n${STRATEGIES}markets: { leagues: [NBA, ATP, Serie A, WIZ] }\nsports: { atp: { draw: push, spread: sets } }\n`,
    );
    const { code, stdout, stderr } = await command(['check', file]);
    expect(code).toBe(0);
    const rows = (league: string): readonly string[] => {
      const [, ...lines] = (stdout.split(`  ${league}: `)[1] ?? '').split('\n');
      return lines.slice(0, 5).map((line) => line.trim().split(/ +/).slice(0, 3).join(' '));
    };
    expect(rows('NBA')).toEqual([
      'moneyline "score" assumed',
      'spread "score" assumed',
      'total "score" assumed',
      'draw "impossible" assumed',
      'voidApart "none" assumed',
    ]);
    expect(rows('ATP')).toEqual([
      'moneyline "winner" assumed',
      'spread "sets" set',
      'total "games" assumed',
      'draw "push" set',
      'voidApart "each" assumed',
    ]);
    expect(stdout).toContain('  Serie A: soccer, unless its games name another sport');
    expect(rows('WIZ')).toContain('draw "both-lose" assumed');
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/warning: it is not known what decides bets of league "WIZ".*sports: \{ "WIZ": \{/),
    ]);
  });

  it.each(readdirSync(join(ROOT, 'config')).filter((name) => name.endsWith('.yaml')))(
    'passes config/%s',
    async (name) => {
      const { code, stdout, stderr } = await command(['check', join(ROOT, 'config', name)]);
      expect(code, stderr).toBe(0);
      expect(stderr).toBe('');
      expect(stdout).toContain('is good.');
    },
  );
});
