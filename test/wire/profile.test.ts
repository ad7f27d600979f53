import { describe, expect, it } from 'vitest';
import type { WireProfile } from '../../src/wire/index.ts';
import { bookPerspectiveOf, DEFAULT_PROFILE, wireProfileSchema } from '../../src/wire/index.ts';
import { PERSPECTIVES } from './fixtures.ts';

/** Every setting with its default, as the wire profile's page gives them. */
const DEFAULTS: WireProfile = {
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
  oddsStep: 1,
  maxOrdersPerPlace: 20,
  maxIdsPerCancel: 100,
  cancelIdsField: 'sessionIDs',
  batchIsAtomic: false,
  editHonoursPost: false,
  editKeepsReference: true,
  editKeepsId: false,
  modeOnRecords: true,
  editExpiryMinutes: 5,
  minOrderSize: 1,
  maxOrderSize: 1000,
  socketPath: '/socket.io',
  priceNamespace: '/priceUpdates',
  userNamespace: '/v2/user/',
  socketTokenIn: 'header',
  pageSize: 100,
  maxLiability: null,
  liveHoldSeconds: 0,
  cancelQueueSize: 1000,
  cancelQueuePerSecond: 300,
  tokenMinutes: 20_160,
  heartbeatPath: null,
};
const names = Object.keys(wireProfileSchema.shape) as (keyof WireProfile)[];

describe('the wire profile', () => {
  it('has exactly these settings and defaults', () => {
    expect(DEFAULT_PROFILE).toEqual(DEFAULTS);
    expect([...names].sort()).toEqual(Object.keys(DEFAULTS).sort());
  });

  it.each(names)('says how sure it is of %s, and what it is', (name) => {
    expect(wireProfileSchema.shape[name].description).toMatch(/^(A|B|C|D|spec against [A-D])\b/);
  });

  it.each(names)('takes %s alone and leaves the others at their defaults', (name) => {
    expect(wireProfileSchema.parse({ [name]: DEFAULTS[name] })).toEqual(DEFAULTS);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a setting nobody knows', { bookPerspectives: 'taker' }],
    ['a perspective nobody knows', { bookPerspective: 'maker' }],
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
    ['a flag as text', { batchIsAtomic: 'false' }],
  ])('refuses %s', (_what, settings) => {
    expect(wireProfileSchema.safeParse(settings).success).toBe(false);
  });
});

describe('the perspective of the book', () => {
  it.each(['offerer', 'taker'] as const)('%s as a whole is all three aspects', (of) => {
    expect(bookPerspectiveOf(wireProfileSchema.parse({ bookPerspective: of }))).toEqual({
      odds: of,
      side: of,
      line: of,
    });
  });

  it.each(PERSPECTIVES)('can be set for each aspect: %j', (of) => {
    expect(bookPerspectiveOf(wireProfileSchema.parse({ bookPerspective: of }))).toEqual(of);
  });
});
