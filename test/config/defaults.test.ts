import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadConfig, redactedConfig } from '../../src/config/index.ts';
import { parseAge, parseDuration, parseSize } from '../../src/domain/index.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { configFolder, LEAST } from './fixtures.ts';

const { folder, load } = configFolder();

const URLS = [
  'exchange:',
  '  restUrl: https://rest.example/',
  '  socketUrl: https://socket.example',
  '  username: alice',
  '  password: s3cret-pass',
].join('\n');
const STRATEGIES = '\nstrategies: [{ use: ./own.ts, id: main }]\n';

describe('the defaults of a configuration', () => {
  it('match the contract, for every key', () => {
    expect(load(LEAST).config).toEqual({
      exchange: {
        embedded: { tapes: [], from: null, speed: 1, traders: 'synthetic', games: 6, seed: 1, port: 0 },
        playerMode: 'coins',
        gradesEvery: 8000,
        allowModeSwitch: false,
        startTimeout: 60_000,
        requestTimeout: 5000,
        lateArrival: 30_000,
        maxFrame: 8_000_000,
        modeAge: 5000,
        limits: {
          place: { requests: 25, window: 5000 },
          cancel: { requests: 30, window: 2000 },
          reads: { requests: 10, window: 1000 },
          margin: 20,
        },
        profile: DEFAULT_PROFILE,
      },
      markets: {
        leagues: ['NBA'],
        types: ['moneyline', 'spread', 'total'],
        lines: 'main',
        games: 'all',
        live: false,
        stopBefore: 60_000,
        periods: ['full'],
        props: false,
        futures: false,
        select: {
          by: 'all',
          most: null,
          gates: { minTakesPerHour: 0, maxSpread: 0.08, pinned: 0.03, maxPriceAge: null },
        },
      },
      sports: {},
      strategies: [
        {
          use: './own.ts',
          id: 'main',
          params: {},
          impure: false,
          warmUp: 0,
          markets: { leagues: null, types: null, periods: null, games: null },
          risk: { maxOrderRisk: null, maxMarketLoss: null, maxGameLoss: null, maxTotalLoss: null, maxOpenOrders: null },
          by: { league: {} },
          budget: { cpu: 250, wall: 2000, strikes: 3, in: 600_000 },
        },
      ],
      orders: {
        tolerance: 0.005,
        reserve: 5,
        foreign: 'leave',
        expiry: null,
        giveUpFor: 60_000,
        instance: 'a',
      },
      risk: {
        maxMarketLoss: null,
        maxLeagueLoss: null,
        haltAtLoss: null,
        maxDailyLoss: null,
        dayStartsAt: '08:00Z',
        losingFills: null,
        state: 'active',
        maxOrderRisk: 500,
        maxGameLoss: 2000,
        maxGameShortfall: null,
        maxTotalLoss: 10_000,
        maxOpenOrders: 200,
        maxCreditUse: 0.9,
        priceBand: 0.15,
        bandWithout: 'hold',
        bandAge: 300_000,
        heldHedges: false,
        staleAfter: 10_000,
        resumeAfter: 5000,
      },
      record: { dir: null },
      journal: { dir: './data/journal', keep: 30 * 86_400_000, most: 20e9 },
      ledger: { file: './data/ledger.db' },
      guard: { deadline: 10_000 },
      ops: {
        host: '127.0.0.1',
        port: 9464,
        required: null,
        readyShare: 0.5,
        token: null,
        viewToken: null,
        hosts: [],
      },
      signals: { http: false, files: [], redis: null, scoreAge: 30_000, odds: null },
      alerts: [],
      commission: { of: 'market', share: 0 },
      log: { level: 'info' },
      onExit: 'cancel',
      onCrash: 'resume',
    });
  });

  it('complete a section that sets some keys', () => {
    const { config } = load(`${LEAST}risk: { maxOrderRisk: 50 }\norders: {}\nmarkets: { live: true }\nlog: {}\n`);
    expect(config.risk).toMatchObject({ maxOrderRisk: 50, maxGameLoss: 2000, staleAfter: 10_000 });
    expect(config.orders.tolerance).toBe(0.005);
    expect(config.markets).toMatchObject({ live: true, leagues: ['NBA'] });
  });

  it('complete a window of the limits', () => {
    const { limits } = load(
      'exchange: { embedded: {}, limits: { place: { requests: 10 }, cancel: { window: 3s } } }' + STRATEGIES,
    ).config.exchange;
    expect(limits.place).toEqual({ requests: 10, window: 5000 });
    expect(limits.cancel).toEqual({ requests: 30, window: 3000 });
  });
});

describe('a configuration for a real exchange', () => {
  it('takes both URLs, without a slash at the end, and an account', () => {
    const { exchange } = load(URLS + STRATEGIES).config;
    expect(exchange).toMatchObject({
      restUrl: 'https://rest.example',
      socketUrl: 'https://socket.example',
      username: 'alice',
      password: 's3cret-pass',
    });
    expect(exchange.embedded).toBeUndefined();
  });

  it('hides its secrets and nothing else when it is shown', () => {
    const { config } = load(`${URLS}${STRATEGIES}ops: { token: t0ken-secret, viewToken: t0ken-seen }\n`);
    const shown = JSON.stringify(redactedConfig(config));
    expect(shown).not.toContain('s3cret-pass');
    expect(shown).not.toContain('t0ken');
    expect(redactedConfig(config)).toEqual({
      ...config,
      exchange: { ...config.exchange, password: '[hidden]' },
      ops: { ...config.ops, token: '[hidden]', viewToken: '[hidden]' },
    });
    expect(config.exchange.password).toBe('s3cret-pass');
  });

  it('hides secrets among the parameters of a strategy', () => {
    const { config } = load(
      `${URLS}\nstrategies:\n  - { use: ./a.ts, id: a, params: { edge: 0.02, apiKey: s3cret, feed: "https://me:s3cret@feed.example" } }\n`,
    );
    expect(redactedConfig(config)).toMatchObject({
      strategies: [{ params: { edge: 0.02, apiKey: '[hidden]', feed: 'https://me:[hidden]@feed.example' } }],
    });
  });

  it('shows no hidden secret when it has none', () => {
    const { config } = load(LEAST);
    expect(redactedConfig(config)).toEqual(config);
  });
});

describe('ages and sizes', () => {
  it.each([
    ['30d', 30 * 86_400_000],
    ['1.5d', 129_600_000],
    ['12h', 43_200_000],
  ])('include %j as %d ms', (text, ms) => {
    expect(parseAge(text)).toBe(ms);
  });

  it.each([
    ['20GB', 20e9],
    ['500 MB', 5e8],
    ['1.5kb', 1500],
    ['0B', 0],
  ])('include %j as %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['', '20', 'GB', '-1GB', '20 apples', '2e3GB'])('do not include the size %j', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });

  it('may be null to keep all journals, and are refused with their place', () => {
    expect(load(`${LEAST}\njournal: { keep: null, most: null }\n`).config.journal).toMatchObject({
      keep: null,
      most: null,
    });
    expect(() => load(`${LEAST}\njournal: { keep: soon, most: 5 }\n`)).toThrow(/journal\.keep.*\n.*journal\.most/s);
  });
});

describe('durations', () => {
  it.each([
    ['250ms', 250],
    ['5s', 5000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1.5s', 1500],
    ['0s', 0],
    [' 5s ', 5000],
  ])('include %j as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', 's', '5 s', '5S', '-5s', '1e3s', '5s5s', '5d', 'soon', '.5s', '٣s', 'Infinitys'])(
    'do not include %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('paths in a configuration', () => {
  it('are relative to its file', () => {
    const { resolve } = load(LEAST);
    expect(resolve('./own.ts')).toBe(join(folder, 'own.ts'));
    expect(resolve('/abs/own.ts')).toBe('/abs/own.ts');
  });
});

describe('settings', () => {
  it('of the command line replace the defaults, and are checked like the file', () => {
    const { config } = load(LEAST, {}, [{ path: ['exchange', 'embedded', 'speed'], value: 60 }]);
    expect(config.exchange.embedded).toMatchObject({ speed: 60, games: 6 });
  });

  it('of the file are distinguished from defaults', () => {
    const { sets } = load(
      'exchange: { embedded: {}, profile: { oddsStep: 1 } }\nstrategies: [{ use: ./own.ts, id: main }]\n',
    );
    expect(sets(['exchange', 'profile', 'oddsStep'])).toBe(true);
    expect(sets(['exchange', 'profile', 'pageSize'])).toBe(false);
  });
});

describe('the shipped configuration', () => {
  const shipped = fileURLToPath(new URL('../../config', import.meta.url));
  it.each(readdirSync(shipped).filter((name) => name.endsWith('.yaml')))(
    '%s is valid, with its strategies and their parameters',
    async (name) => {
      const loaded = loadConfig(join(shipped, name), {});
      const { settings } = await loadCoreSettings(loaded);
      expect(settings.strategies.map(({ id }) => id)).toEqual(['main']);
    },
  );
});
