import { afterEach, describe, expect, it } from 'vitest';
import { readEffective, redactedConfig, withEnvironment } from '../../src/config/index.ts';
import { forgetSecrets, redacted } from '../../src/domain/index.ts';
import { configFolder, LEAST } from './fixtures.ts';

const { load, refusal } = configFolder();
afterEach(() => forgetSecrets());

const strategy = (params: string): string =>
  `exchange: { embedded: {} }\nstrategies:\n  - use: ./own.ts\n    id: main\n    params: ${params}\n`;
const paramsOf = (config: unknown): unknown =>
  (config as { readonly strategies: readonly { readonly params: unknown }[] }).strategies[0]?.params;

describe('a value from the environment', () => {
  it('is shown by its name, and used as it is', () => {
    const { config } = load(strategy('{ pwd: "${X}", feed: "https://feed/${X}/v1", apiKey: "${X}" }'), {
      X: 'abc',
    });
    expect(paramsOf(config)).toEqual({ pwd: 'abc', feed: 'https://feed/abc/v1', apiKey: 'abc' });
    expect(paramsOf(redactedConfig(config))).toEqual({
      pwd: '${X}',
      feed: 'https://feed/${X}/v1',
      apiKey: '${X}',
    });
  });

  it('is no secret when it is a number, true or false', () => {
    const { config } = load(strategy('\n      size: ${T}\n      one: ${X}\n      live: ${YES}\n'), {
      T: '12345678',
      X: '1',
      YES: 'true',
    });
    expect(paramsOf(config)).toEqual({ size: 12_345_678, one: 1, live: true });
    expect(redactedConfig(config)).toEqual(config);
    expect(redacted('order 12345678')).toBe('order 12345678');
  });

  it('is a secret when its digits are a password', () => {
    const addresses = '{ restUrl: https://a.example, socketUrl: https://b.example, username: al';
    const file = `exchange: ${addresses}, password: "\${P}" }\nstrategies: [{ use: ./own.ts, id: main }]\n`;
    const { config } = load(file, { P: '1234567890' });
    expect(config.exchange.password).toBe('1234567890');
    expect((redactedConfig(config) as typeof config).exchange.password).toBe('${P}');
    expect(redacted('refused: 1234567890')).toBe('refused: ${P}');
  });

  it('is hidden through an alias as well', () => {
    const { config } = load(strategy('{ a: &one "${X}", b: *one }'), { X: 'abc' });
    expect(paramsOf(redactedConfig(config))).toEqual({ a: '${X}', b: '${X}' });
  });

  it('is not shown in an error of the file', () => {
    const lines = refusal(() => load(`${LEAST}ops: { token: [a, "\${X}"] }\n`, { X: 'very-s3cret' }));
    expect(redacted(lines.join())).not.toContain('very-s3cret');
  });
});

describe('the configuration in a journal', () => {
  const SIGNALS =
    'signals: { redis: { url: "${REDIS}", stream: s }, odds: { url: "${ODDS}" } }\nexchange: { embedded: {}, playerMode: "${MODE}" }\n';
  const file = `${SIGNALS}strategies: [{ use: ./own.ts, id: main, params: { pwd: "\${X}" } }]\n`;
  const env = { REDIS: 'redis://:pw@h:1', ODDS: 'https://o.example/k3y', MODE: 'coins', X: 'abc' };

  it('is read back with its hidden addresses', () => {
    const shown = redactedConfig(load(file, env).config);
    expect(JSON.stringify(shown)).not.toMatch(/k3y|:pw@|"abc"/);
    expect(shown).toMatchObject({ exchange: { playerMode: 'coins' } });
    const read = readEffective(JSON.parse(JSON.stringify(shown)));
    expect(read).toMatchObject({
      ok: true,
      value: { signals: { redis: { url: '${REDIS}' }, odds: { url: '${ODDS}' } } },
    });
  });

  it('takes the values of its names from the environment, and is shown as before', () => {
    const { config } = load(file, env);
    const shown = redactedConfig(config) as typeof config;
    forgetSecrets();
    const filled = withEnvironment(shown, { X: 'abc' });
    expect(paramsOf(filled)).toEqual({ pwd: 'abc' });
    expect(redactedConfig(filled)).toEqual(shown);
    expect(paramsOf(withEnvironment(shown, {}))).toEqual({ pwd: '${X}' });
  });
});
