import { afterEach, describe, expect, it } from 'vitest';
import {
  configWithoutSecrets,
  forgetSecrets,
  takenValues,
  noteSecrets,
  withoutSecrets,
  redacted,
} from '../../src/domain/index.ts';

const take = (path: string, written: string, values: Readonly<Record<string, string>>): string => {
  const text = written.replace(/\$\{(\w+)\}/g, (_whole, name: string) => values[name] ?? '');
  noteSecrets([{ path, text, written, values }]);
  return text;
};
afterEach(() => forgetSecrets());

describe('a value from an environment variable', () => {
  it('is shown as the name of its variable in a configuration, whatever its length and key', () => {
    const params = {
      pwd: take('strategies.0.params.pwd', '${X}', { X: 'abc' }),
      feed: take('strategies.0.params.feed', 'https://feed/${X}/v1', { X: 'abc' }),
      apiKey: take('strategies.0.params.apiKey', '${K}', { K: 'k3y' }),
      other: 'abc',
    };
    const config = { strategies: [{ params }] };
    expect(configWithoutSecrets(config)).toEqual({
      strategies: [{ params: { pwd: '${X}', feed: 'https://feed/${X}/v1', apiKey: '${K}', other: 'abc' } }],
    });
    expect(configWithoutSecrets(params, 'strategies.0.params')).toMatchObject({ pwd: '${X}' });
  });

  it('is replaced in messages, URLs and JSON when it has 8 characters or more', () => {
    take('strategies.0.params.a', '${SHORT}', { SHORT: '1234567' });
    take('strategies.0.params.b', '${LONG}', { LONG: 'a b"c/d%e' });
    expect(redacted('1234567 and a b"c/d%e')).toBe('1234567 and ${LONG}');
    expect(redacted(`https://x/${encodeURIComponent('a b"c/d%e')}`)).toBe('https://x/${LONG}');
    expect(redacted(JSON.stringify({ why: 'a b"c/d%e' }))).toBe('{"why":"${LONG}"}');
    expect(withoutSecrets({ list: ['no a b"c/d%e'], n: 12345678 })).toEqual({
      list: ['no ${LONG}'],
      n: 12345678,
    });
  });

  it.each([
    ['exchange.username', 'long-username'],
    ['exchange.playerMode', 'coins'],
    ['exchange.restUrl', 'https://exchange.example/api'],
    ['journal.dir', '/var/lib/oddsmaker'],
    ['markets.leagues.0', 'Warriors League'],
    ['signals.files.0', '/srv/signals.ndjson'],
    ['log.level', 'silent'],
  ])('is not a secret under %s, nor under another key then', (path, value) => {
    take(path, '${OPEN}', { OPEN: value });
    take('strategies.0.params.same', '${OPEN}', { OPEN: value });
    const section = path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    expect(configWithoutSecrets(section)).toEqual(section);
    const strategies = [{ params: { same: value } }];
    expect(configWithoutSecrets({ strategies })).toEqual({ strategies });
    expect(redacted(`at ${value}`)).toBe(`at ${value}`);
  });

  it('is a secret in the query of an address, and not in its host or path', () => {
    const values = { HOST: 'exchange.example', KEY: 'key-of-ours' };
    const url = take('exchange.restUrl', 'https://${HOST}/a?id=${KEY}', values);
    expect(configWithoutSecrets({ exchange: { restUrl: url } })).toEqual({
      exchange: { restUrl: 'https://exchange.example/a?id=${KEY}' },
    });
    expect(redacted(`GET ${url}`)).toBe('GET https://exchange.example/a?id=${KEY}');
  });

  it('is replaced as a whole beside a longer value with the same beginning, and in an address when it is short', () => {
    take('strategies.0.params.a', '${A}', { A: 'abcdefgh' });
    take('strategies.0.params.b', '${B}', { B: 'abcdefghij' });
    take('strategies.0.params.c', 'https://feed/${C}/v1', { C: 'k3y' });
    expect(redacted('abcdefghij, abcdefgh')).toBe('${B}, ${A}');
    expect(redacted('GET https://feed/k3y/v1/odds: 404')).toBe('GET https://feed/${C}/v1/odds: 404');
  });

  it('is a secret in other threads too', () => {
    take('strategies.0.params.a', '${A}', { A: 'long-enough' });
    const taken = takenValues();
    forgetSecrets();
    expect(redacted('long-enough')).toBe('long-enough');
    noteSecrets(taken);
    expect(redacted('long-enough')).toBe('${A}');
  });
});
