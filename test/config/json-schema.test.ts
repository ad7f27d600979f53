// The JSON schema that editors read accepts exactly what a configuration file may hold.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { configJsonSchema } from '../../src/config/index.ts';
import { command, ROOT, TWO_SIDED, writeConfig } from '../support/children.ts';

const ajv = new Ajv({ allErrors: true });
const BASE = 'exchange: { embedded: {} }\nstrategies: [{ use: a, id: b }]\n';
const takes = ajv.compile(configJsonSchema());
const yamlIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(ROOT, folder, name));
const problemsOf = (text: string): readonly string[] => {
  takes(parse(text));
  return (takes.errors ?? []).map(({ dataPath, message }) => `${dataPath} ${message}`);
};

describe('config.schema.json', () => {
  it('is the output of `schema`, and a JSON schema of draft 7', async () => {
    const { code, stdout } = await command(['schema']);
    expect(code).toBe(0);
    expect(readFileSync(join(ROOT, 'config.schema.json'), 'utf8')).toBe(stdout);
    expect(ajv.validateSchema(JSON.parse(stdout) as object)).toBe(true);
  });

  it.each([...yamlIn('config'), ...yamlIn('templates/workspace/config')])('accepts %s', (file) => {
    expect(problemsOf(readFileSync(file, 'utf8'))).toEqual([]);
  });

  it.each([
    ['an unknown key', `${BASE}riks: {}`, /additional properties/],
    ['a duration without a unit', `${BASE}risk: { staleAfter: "10" }`, /pattern/],
    ['a number out of range', `${BASE}ops: { port: 70000 }`, /<= 65535/],
    ['a word that is none of several', `${BASE}onExit: hold`, /allowed values/],
  ])('refuses %s', (_what, text, why) => {
    expect(problemsOf(text).join('\n')).toMatch(why);
  });

  it.each([
    ['a duration', 'risk: { staleAfter: "${STALE}" }'],
    ['a part of a duration', 'risk: { staleAfter: "${SECONDS}s" }'],
    ['a number', 'ops: { port: "${PORT}" }'],
    ['a yes or no', 'markets: { live: "${LIVE}" }'],
    ['one of several words', 'onExit: "${ON_EXIT}"'],
  ])('accepts a variable of the environment for %s', (_what, text) => {
    expect(problemsOf(BASE + text)).toEqual([]);
  });

  it('accepts sizes in any case, and days where days are accepted', () => {
    expect(problemsOf(`${BASE}journal: { most: 20gb, keep: 30d }`)).toEqual([]);
    expect(problemsOf(`${BASE}risk: { staleAfter: 1d }`).join('\n')).toMatch(/pattern/);
  });
});

describe('the parameters of strategies in the JSON schema', () => {
  it('are checked for the strategy file that they belong to', () => {
    const schema = configJsonSchema([
      { use: './a.ts', params: z.object({ edge: z.number().max(1) }) },
      { use: './b.ts', params: z.object({ name: z.string().meta({ title: 'duration' }) }) },
    ]);
    const validate = new Ajv().compile(schema);
    const fits = (strategy: unknown): boolean =>
      validate({ exchange: { embedded: {} }, strategies: [strategy] }) as boolean;
    expect(fits({ use: './a.ts', id: 'a', params: { edge: 0.5 } })).toBe(true);
    expect(fits({ use: './a.ts', id: 'a', params: { edge: 2 } })).toBe(false);
    expect(fits({ use: './a.ts', id: 'a', params: { edge: 0.5, egde: 1 } })).toBe(false);
    expect(fits({ use: './b.ts', id: 'b', params: { edge: 0.5 } })).toBe(false);
    expect(fits({ use: './b.ts', id: 'b', params: { name: 'x' } })).toBe(true);
    expect(fits({ use: './a.ts', id: 'a', params: { edge: '${EDGE}' } })).toBe(true);
  });

  it('are read from the strategy files, although the configured values are wrong', async () => {
    const file = writeConfig(
      `exchange: { embedded: {} }\nstrategies: [{ use: ${TWO_SIDED}, id: main, params: { egde: 1 } }]\n`,
    );
    const { code, stdout } = await command(['schema', file]);
    expect(code).toBe(0);
    const validate = new Ajv().compile(JSON.parse(stdout) as object);
    const strategy = { use: TWO_SIDED, id: 'main', params: { edge: 0.01, risk: 50 } };
    expect(validate({ exchange: { embedded: {} }, strategies: [strategy] })).toBe(true);
    expect(validate({ exchange: { embedded: {} }, strategies: [{ ...strategy, params: { egde: 1, risk: 1 } }] })).toBe(
      false,
    );
  });

  it('are an error with the name of the strategy file when it is missing', async () => {
    const file = writeConfig('exchange: { embedded: {} }\nstrategies: [{ use: ./none.ts, id: main }]\n');
    const { code, stdout, stderr } = await command(['schema', file]);
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toMatch(/none\.ts cannot be read/);
  });
});
