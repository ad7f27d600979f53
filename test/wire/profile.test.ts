import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireProfile } from '../../src/wire/index.ts';
import {
  bookPerspectiveOf,
  changedSettings,
  DEFAULT_PROFILE,
  profileOf,
  profileSettings,
  wireProfileSchema,
} from '../../src/wire/index.ts';
import { PERSPECTIVES } from './fixtures.ts';

/** Every setting with its default, as the wire profile's page lists them. */
const DEFAULTS: WireProfile = {
  preset: 'spec',
  loginPath: '/user/login',
  userPath: '/user/getMe',
  placePath: '/session/v2/place',
  openOrdersPath: '/user/getUnmatched',
  playsPath: '/user/getMatchedBets',
  playPath: '/user/getBetByID',
  lookupOrderPath: '/session/lookupOrder',
  referencePath: '/user/getBetByUserReference',
  apiVersionHeader: 'public',
  riskField: 'risk',
  bookPerspective: 'offerer',
  endsAtStart: false,
  cancelAllReply: 'received',
  bookShape: 'spec',
  oddsStep: 1,
  maxOrdersPerPlace: 20,
  maxIdsPerCancel: 100,
  cancelIdsField: 'sessionIDs',
  batchIsAtomic: false,
  batch400IsAtomic: true,
  editHonoursPost: false,
  editKeepsReference: true,
  editKeepsId: false,
  modeOnRecords: true,
  referenceOnRecords: true,
  showsSpent: false,
  editExpiryMinutes: 5,
  minOrderSize: 1,
  maxOrderSize: 1000,
  socketPath: '/socket.io',
  priceNamespace: '/priceUpdates',
  userNamespace: '/v2/user/',
  socketTokenIn: 'header',
  subscribe: null,
  pageSize: 100,
  maxLiability: null,
  liveHoldSeconds: 0,
  cancelQueueSize: 1000,
  cancelQueuePerSecond: 300,
  tokenMinutes: 20_160,
  secondHalfOvertime: true,
  heartbeatPath: null,
};
/** The settings that the preset family changes. */
const FAMILY: Partial<WireProfile> = {
  preset: 'family',
  bookPerspective: 'taker',
  endsAtStart: true,
  cancelAllReply: 'results',
  bookShape: 'captured',
};
const names = Object.keys(profileSettings) as (keyof WireProfile)[];

describe('the wire profile', () => {
  it('has exactly these settings and defaults', () => {
    expect(DEFAULT_PROFILE).toEqual(DEFAULTS);
    expect([...names].sort()).toEqual(Object.keys(DEFAULTS).sort());
  });

  it.each(names)('describes %s and says how certain its default is', (name) => {
    expect(profileSettings[name].description).toMatch(/^(A|B|C|D|spec against [A-D])\b/);
  });

  it.each(names)('accepts %s alone and leaves the others at their defaults', (name) => {
    expect(wireProfileSchema.parse({ [name]: DEFAULTS[name] })).toEqual(DEFAULTS);
  });

  it.each<[string, Record<string, unknown>]>([
    ['an unknown setting', { bookPerspectives: 'taker' }],
    ['an unknown perspective', { bookPerspective: 'maker' }],
    ['a perspective of only some aspects', { bookPerspective: { odds: 'taker' } }],
    [
      'a perspective of more aspects',
      { bookPerspective: { odds: 'taker', side: 'taker', line: 'taker', risk: 'taker' } },
    ],
    ['a path without slash', { placePath: 'session/v2/place' }],
    ['an oddsStep of 0', { oddsStep: 0 }],
    ['an empty batch', { maxOrdersPerPlace: 0 }],
    ['half an order in a batch', { maxOrdersPerPlace: 1.5 }],
    ['an empty cancel', { maxIdsPerCancel: 0 }],
    ['a cancel field without name', { cancelIdsField: '' }],
    ['an order of nothing', { minOrderSize: 0 }],
    ['a size that is NaN', { maxOrderSize: Number.NaN }],
    ['another name of the size', { riskField: 'stake' }],
    ['an unknown preset', { preset: 'wild' }],
    ['sizes that no order can have', { minOrderSize: 20, maxOrderSize: 10 }],
    ['a flag as text', { batchIsAtomic: 'false' }],
  ])('refuses %s', (_what, settings) => {
    expect(wireProfileSchema.safeParse(settings).success).toBe(false);
  });
});

describe('a preset of the wire profile', () => {
  it('changes exactly these defaults in family', () => {
    expect(profileOf('family')).toEqual({ ...DEFAULTS, ...FAMILY });
    expect(profileOf('spec')).toEqual(DEFAULTS);
  });

  it.each(Object.keys(FAMILY).filter((name) => name !== 'preset') as (keyof WireProfile)[])(
    'is overridden by %s when that is set',
    (name) => {
      const set = { preset: 'family', [name]: DEFAULTS[name] };
      expect(wireProfileSchema.parse(set)).toEqual({ ...DEFAULTS, ...FAMILY, ...set });
    },
  );

  it('is restored by its changed settings alone, whatever was set', () => {
    const given = fc.record(
      {
        preset: fc.constantFrom('spec', 'family'),
        bookPerspective: fc.constantFrom('offerer', 'taker', {
          odds: 'taker',
          side: 'offerer',
          line: 'taker',
        }),
        endsAtStart: fc.boolean(),
        cancelAllReply: fc.constantFrom('received', 'results'),
        bookShape: fc.constantFrom('spec', 'captured'),
        riskField: fc.constantFrom('risk', 'bet'),
        heartbeatPath: fc.constantFrom(null, '/user/ordersHeartbeat'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(given, (settings) => {
        const profile = wireProfileSchema.parse(settings);
        const changed = JSON.parse(JSON.stringify(Object.fromEntries(changedSettings(profile)))) as unknown;
        expect(wireProfileSchema.parse(changed)).toEqual(profile);
      }),
    );
  });
});

describe('the perspective of the book', () => {
  it.each(['offerer', 'taker'] as const)('applies to odds, side and line when set to %s', (perspective) => {
    expect(bookPerspectiveOf(wireProfileSchema.parse({ bookPerspective: perspective }))).toEqual({
      odds: perspective,
      side: perspective,
      line: perspective,
    });
  });

  it.each(PERSPECTIVES)('can be set for each aspect: %j', (perspective) => {
    expect(bookPerspectiveOf(wireProfileSchema.parse({ bookPerspective: perspective }))).toEqual(perspective);
  });
});
