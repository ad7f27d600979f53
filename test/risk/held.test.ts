// What is held on other exchanges, and what it does to the worst case of a game.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DrawRule, GameId } from '../../src/domain/index.ts';
import { dollarsOfMicros, market } from '../../src/domain/index.ts';
import type { Exposure, HeldPayoffs } from '../../src/risk/index.ts';
import { checkOrder, countedHeld, HeldElsewhere } from '../../src/risk/index.ts';
import { account, Book, exposureOf, G1, G2, game, LIMITS, moneyline, otherMoneyline, usd, wanted } from './fixtures.ts';

const TTL = 1000;
const spread = market(G1, 'spread', -3.5);
const swappedSpread = market(G1, 'spread', 3.5);
const total = market(G1, 'total', 210.5);

type Pair = readonly [first: number | null, second: number | null];

/** Values of a market as a message has them. */
const valuesOf = (id: string, [first, second]: Pair) => ({
  [`held:${id}:first`]: first,
  [`held:${id}:second`]: second,
});

class Scene {
  readonly held = new HeldElsewhere();
  hedges = false;
  readonly book: Book;
  readonly exposure: Exposure;

  constructor(book = new Book(), parentOf: (id: GameId) => GameId | undefined = () => undefined) {
    this.book = book;
    const elsewhere = { held: this.held, hedges: () => this.hedges };
    this.exposure = exposureOf(book, { parentOf, elsewhere });
  }

  send(values: Readonly<Record<string, number | null>>, now = 0): readonly string[] {
    const leftOut = this.held.applyUpdate({ values, ttlMs: TTL }, now);
    this.#show();
    return leftOut;
  }

  expire(now: number): void {
    this.held.expire(now);
    this.#show();
  }

  with(id: string, pair: Pair, now = 0): this {
    this.send(valuesOf(id, pair), now);
    return this;
  }

  hedging(): this {
    this.hedges = true;
    this.exposure.forgetAll();
    return this;
  }

  get worst(): number {
    return dollarsOfMicros(this.exposure.worstOf(G1));
  }

  #show(): void {
    for (const id of this.held.takeChanged()) this.exposure.applyHeld(id);
  }
}

const dollarsIn = (held: HeldPayoffs | undefined) =>
  held && { first: dollarsOfMicros(held.first), second: dollarsOfMicros(held.second), isExpired: held.isExpired };

describe('what is held elsewhere in a market', () => {
  it('is the newest value of each side, until it is withdrawn', () => {
    const scene = new Scene().with(moneyline.id, [100, -120]);
    scene.send({ [`held:${moneyline.id}:second`]: -90 });
    expect(dollarsIn(scene.held.payoffsIn(moneyline))).toEqual({ first: 100, second: -90, isExpired: false });
    scene.with(moneyline.id, [null, null]);
    expect(scene.held.payoffsIn(moneyline)).toBeUndefined();
    expect(scene.held.isIn(G1)).toBe(false);
  });

  it('keeps its last values when they expire, and is fresh again once both values are new', () => {
    const scene = new Scene().with(moneyline.id, [100, -120]);
    expect(scene.held.nextDue).toBe(TTL);
    scene.expire(TTL - 1);
    expect(scene.held.expired.size).toBe(0);
    scene.expire(TTL);
    expect(dollarsIn(scene.held.payoffsIn(moneyline))).toEqual({ first: 100, second: -120, isExpired: true });
    expect([...scene.held.expired.keys()]).toEqual([moneyline.id]);
    expect(scene.held.nextDue).toBe(Number.POSITIVE_INFINITY);
    scene.send({ [`held:${moneyline.id}:first`]: 100 }, TTL);
    expect(scene.held.expired.size).toBe(1);
    scene.send({ [`held:${moneyline.id}:second`]: -120 }, TTL);
    expect(scene.held.expired.size).toBe(0);
  });

  it('changes no game when the same values are sent again, and then lasts longer', () => {
    const scene = new Scene().with(moneyline.id, [100, -120]);
    scene.held.applyUpdate({ values: valuesOf(moneyline.id, [100, -120]), ttlMs: TTL }, 600);
    expect(scene.held.takeChanged()).toEqual([]);
    scene.expire(TTL);
    expect(scene.held.expired.size).toBe(0);
    scene.expire(TTL + 600);
    expect(scene.held.expired.size).toBe(1);
  });

  it('ignores other names', () => {
    const scene = new Scene();
    expect(scene.send({ 'fair:g1/moneyline': 0.5, 'held:nonsense': 7 })).toEqual([]);
    expect([...scene.held.all()]).toEqual([]);
  });

  it('is left out for more than 5,000 markets, which are named', () => {
    const scene = new Scene();
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`held:g${index}/moneyline:first`, 1]));
    expect(scene.send(many)).toEqual([]);
    expect(scene.send({ 'held:more/moneyline:first': 1, 'held:g7/moneyline:second': 1 })).toEqual([
      'held:more/moneyline:first',
    ]);
    scene.send({ 'held:g7/moneyline:first': null, 'held:g7/moneyline:second': null });
    expect(scene.send({ 'held:more/moneyline:first': 1 })).toEqual([]);
  });

  it('moves with the teams when home and away change places; a total stays', () => {
    const scene = new Scene();
    for (const [id, pair] of [
      [moneyline.id, [1, 2]],
      [spread.id, [3, 4]],
      [swappedSpread.id, [5, 6]],
      [total.id, [7, 8]],
    ] as const)
      scene.with(id, pair);
    scene.held.swapTeams(G1, 0);
    const shown = [moneyline, spread, swappedSpread, total].map((each) => dollarsIn(scene.held.payoffsIn(each)));
    expect(shown.map((pair) => [pair?.first, pair?.second])).toEqual([
      [2, 1],
      [6, 5],
      [4, 3],
      [7, 8],
    ]);
    scene.expire(TTL);
    expect(scene.held.expired.size).toBe(4);
  });

  it('counts the worst of both sides and none after a team was replaced, until new values come', () => {
    const scene = new Scene().with(moneyline.id, [100, -120]).with(total.id, [5, -5]);
    scene.held.loseTeams(G1, 0);
    expect(dollarsIn(scene.held.payoffsIn(moneyline))).toEqual({ first: -120, second: -120, isExpired: true });
    expect(dollarsIn(scene.held.payoffsIn(total))).toEqual({ first: 5, second: -5, isExpired: false });
    scene.with(moneyline.id, [10, -10]);
    expect(dollarsIn(scene.held.payoffsIn(moneyline))).toEqual({ first: 10, second: -10, isExpired: false });
  });

  it('is gone with its game', () => {
    const scene = new Scene().with(moneyline.id, [100, -120]).with(otherMoneyline.id, [1, -1]);
    scene.expire(TTL);
    scene.held.forget(G1);
    expect([...scene.held.expired.keys()]).toEqual([otherMoneyline.id]);
    expect([...scene.held.games]).toEqual([G2]);
    expect(scene.held.takeChanged()).toEqual([G1]);
  });
});

describe('the payoffs that count', () => {
  const counted = (fields: Partial<HeldPayoffs>) => {
    const held = { market: moneyline, first: usd(50), second: usd(-80), isExpired: false, isWhole: true, ...fields };
    const { first, second, staked } = countedHeld(held);
    return [first, second, staked].map((amount) => dollarsOfMicros(amount));
  };

  it.each<[string, Partial<HeldPayoffs>, readonly number[]]>([
    ['that are fresh', {}, [50, -80, 80]],
    ['that have expired', { isExpired: true }, [0, -80, 80]],
    ['of one side alone', { isWhole: false, second: usd(0) }, [0, 0, 0]],
    ['of one side alone that loses', { isWhole: false, first: usd(-5), second: usd(0) }, [-5, 0, 5]],
    ['of a sure win', { second: usd(20) }, [50, 20, 0]],
  ])('%s are %j', (_name, fields, expected) => {
    expect(counted(fields)).toEqual(expected);
  });
});

describe('the worst case of a game with positions elsewhere', () => {
  /** 100 on home at even odds. */
  const onHome = () => new Book().filled(moneyline, 'home', 100, 100);

  it.each<[string, Pair, boolean, number]>([
    ['a hedge does not lower it', [-100, 100], false, -100],
    ['a hedge lowers it with heldHedges', [-100, 100], true, 0],
    ['a larger hedge worsens it', [-300, 300], false, -200],
    ['a larger hedge worsens it with heldHedges too', [-300, 300], true, -200],
    ['more of the same worsens it', [50, -60], false, -160],
    ['one side alone never hedges', [null, 100], true, -100],
    ['one side alone that loses counts', [null, -30], false, -130],
  ])('%s: %j', (_name, pair, hedges, dollars) => {
    const scene = new Scene(onHome()).with(moneyline.id, pair);
    if (hedges) scene.hedging();
    expect(scene.worst).toBe(dollars);
  });

  it.each<[string, Pair, number, number]>([
    ['a hedge', [-100, 100], 0, -100],
    ['a hedge that loses more than it covers', [-300, 300], -200, -200],
    ['a loss', [50, -60], -160, -160],
  ])('counts the worse of the last value and none once it has expired: %s', (_name, pair, before, after) => {
    const scene = new Scene(onHome()).with(moneyline.id, pair).hedging();
    expect(scene.worst).toBe(before);
    scene.expire(TTL);
    expect(scene.worst).toBe(after);
    scene.with(moneyline.id, pair, TTL);
    expect(scene.worst).toBe(before);
  });

  it('counts what is held in other markets of the same score, and leaves other games alone', () => {
    const scene = new Scene(onHome()).with(spread.id, [200, -150]);
    // away wins: both lose
    expect(scene.worst).toBe(-250);
    expect(dollarsOfMicros(scene.exposure.worstOf(G2))).toBe(0);
    expect(dollarsOfMicros(scene.exposure.totalWorst())).toBe(-250);
  });

  it('counts a loss elsewhere in a game in which the account has nothing, and only for limits', () => {
    const scene = new Scene(onHome()).with(otherMoneyline.id, [40, -70]);
    const { exposure } = scene;
    expect(dollarsOfMicros(exposure.totalWorst())).toBe(-170);
    expect(dollarsOfMicros(exposure.totalWorst(G1))).toBe(-70);
    expect(dollarsOfMicros(exposure.worstOfGames((id) => id === G2))).toBe(-70);
    expect(dollarsOfMicros(exposure.ownTotalWorst())).toBe(-100);
    expect([G1, G2].map((id) => dollarsOfMicros(exposure.ownWorstOf(id)))).toEqual([-100, 0]);
    scene.held.forget(G2);
    for (const id of scene.held.takeChanged()) exposure.applyHeld(id);
    expect(dollarsOfMicros(exposure.totalWorst())).toBe(-100);
  });

  it('counts in the game that the part belongs to, from the time on at which it is known to be a part', () => {
    const half = 'g1-h1' as GameId;
    let parent: GameId | undefined;
    const scene = new Scene(onHome(), (id) => (id === half ? parent : undefined)).with(`${half}/moneyline`, [10, -25]);
    const worst = () => dollarsOfMicros(scene.exposure.worstWithParts(G1));
    expect(worst()).toBe(-100);
    parent = G1;
    scene.exposure.forget(half);
    expect(worst()).toBe(-125);
    parent = undefined;
    scene.exposure.forgetAll();
    expect(worst()).toBe(-100);
  });

  it.each<[DrawRule, number]>([
    ['impossible', -60],
    ['push', -60],
    ['both-lose', -160],
  ])('when a draw is %s, loses %d with even stakes on both sides here and a losing side elsewhere', (draw, dollars) => {
    // the account brings 0 if a side wins, and loses 100 when both sides lose
    const book = new Book().filled(moneyline, 'home', 100, 50).filled(moneyline, 'away', 100, 50).drawn(draw);
    expect(new Scene(book).with(moneyline.id, [60, -60]).worst).toBe(dollars);
  });

  it('is never better than without, unless heldHedges; and, once expired, never better than the worse of both', () => {
    const amount = fc.integer({ min: -300, max: 300 });
    fc.assert(
      fc.property(amount, amount, amount, amount, (first, second, home, away) => {
        const book = new Book()
          .open(moneyline, 'home', Math.abs(home))
          .filled(moneyline, away > 0 ? 'home' : 'away', 100, Math.abs(away));
        const alone = new Scene(book).worst;
        const scene = new Scene(book).with(moneyline.id, [first, second]);
        const careful = scene.worst;
        const hedged = scene.hedging().worst;
        expect(careful).toBe(Math.min(alone, hedged));
        scene.expire(TTL);
        expect(scene.worst).toBe(careful);
      }),
    );
  });
});

describe('an order where something is held elsewhere', () => {
  const denied = (scene: Scene, dollars: number, limits: Partial<typeof LIMITS>) =>
    checkOrder(wanted(dollars), game(), account(scene.book, { exposure: scene.exposure }), { ...LIMITS, ...limits });

  it('is denied by the loss of the game, and the reason names it', () => {
    const scene = new Scene().with(moneyline.id, [10, -150]);
    expect(denied(scene, 50, { maxGameLoss: usd(200) })).toBeUndefined();
    expect(denied(scene, 51, { maxGameLoss: usd(200) })).toEqual({
      control: 'game-loss',
      reason: 'the game could lose 201.00, with what is held elsewhere',
    });
  });

  it('is denied by the loss of its market for what is held in that market alone', () => {
    const scene = new Scene().with(moneyline.id, [10, -150]).with(spread.id, [0, -500]);
    expect(denied(scene, 50, { maxMarketLoss: usd(200) })).toBeUndefined();
    expect(denied(scene, 51, { maxMarketLoss: usd(200) })?.control).toBe('market-loss');
  });

  it.each([
    ['total-loss', { maxTotalLoss: usd(200) }],
    ['league-loss', { maxLeagueLoss: usd(200) }],
  ])('is denied by %s for what is held in another game', (control, limits) => {
    const scene = new Scene().with(otherMoneyline.id, [10, -150]);
    expect(denied(scene, 50, limits)).toBeUndefined();
    expect(denied(scene, 51, limits)?.control).toBe(control);
  });

  it('may be larger behind a hedge only with heldHedges', () => {
    const scene = new Scene().with(moneyline.id, [-150, 150]);
    expect(denied(scene, 250, { maxGameLoss: usd(200) })?.control).toBe('game-loss');
    expect(denied(scene.hedging(), 250, { maxGameLoss: usd(200) })).toBeUndefined();
  });
});
