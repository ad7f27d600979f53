// `orderUpdate` (spec, Events): the whole ladder of one side at one line. The same item shape serves every
// ladder of a game's book. The parsed values are in the offerer's view and in the offerer's stake, for every
// profile.
import type {
  BookPerspective,
  GameId,
  Ladder,
  MarketType,
  Offer,
  OrderId,
  ParticipantId,
  Result,
  SideFrame,
} from '../domain/index.ts';
import {
  bad,
  dollarsOfMicros,
  MAX_MICROS,
  microsOfDollars,
  NO_OFFERS,
  oddsOf,
  ok,
  oppositeRung,
  toOdds,
  toRung,
  winOf,
} from '../domain/index.ts';
import type { Json } from './json.ts';
import { isRecord, readLine, readNumber, readText } from './json.ts';

/**
 * The game of a payload, found without parsing it; undefined when it is not certain. Only keys of its
 * outermost object count: rows of a ladder and participants have ids of their own.
 */
export function gameIdIn(event: string, payload: string): GameId | undefined {
  const outermost = /^[^{]*\{[^[{]*/.exec(payload)?.[0] ?? '';
  const named = event === 'gameUpdate' ? BY_ID : BY_GAME_ID;
  return named.exec(outermost)?.[1] as GameId | undefined;
}

const BY_ID = /"(?:gameID|id)"\s*:\s*"([^"\\]{1,200})"/;
const BY_GAME_ID = /"gameID"\s*:\s*"([^"\\]{1,200})"/;

/** The side of a payload, when its beginning names it completely; the ladder behind it is left out. */
export function sideIn(head: string, perspective: BookPerspective): SideFrame | undefined {
  const start = head.indexOf(LADDER);
  if (start < 0) return undefined;
  const side = parseOrderUpdate(`${head.slice(0, start)}${LADDER}]}`, perspective);
  return side.ok ? side.value : undefined;
}

const LADDER = '"sideOrders":[';

const isMarketType = (value: unknown): value is MarketType =>
  value === 'moneyline' || value === 'spread' || value === 'total';

export function parseOrderUpdate(payload: string, perspective: BookPerspective): Result<SideFrame> {
  let json: unknown;
  try {
    json = JSON.parse(payload);
  } catch {
    return bad('not JSON');
  }
  return isRecord(json) ? readOrderUpdate(json, perspective) : bad('not an object');
}

function readOrderUpdate(json: Json, perspective: BookPerspective): Result<SideFrame> {
  const gameId = readText(json['gameID']);
  if (gameId === undefined) return bad('gameID is missing');
  const type = json['type'];
  if (!isMarketType(type)) return bad('type is not moneyline, spread or total');
  const participantId = readText(json['participantID']);
  const ou = json['OU'];
  const side = type === 'total' && (ou === 'over' || ou === 'under') ? ou : undefined;
  if (type === 'total' ? side === undefined : participantId === undefined) return bad('the side is missing');
  const line = type === 'moneyline' ? undefined : readLine(type === 'spread' ? json['spread'] : json['total']);
  if (type !== 'moneyline' && line === undefined) return bad('the line is missing');
  const offers = readLadder(json['sideOrders'], perspective);
  if (!offers.ok) return offers;
  return ok({
    gameId: gameId as GameId,
    league: readText(json['league']),
    type,
    participantId: participantId as ParticipantId | undefined,
    side,
    line,
    live: typeof json['live'] === 'boolean' ? json['live'] : undefined,
    mainHomeSpread: readNumber(json['mainHomeSpread']),
    mainTotal: readNumber(json['mainTotal']),
    offers: offers.value,
  });
}

/** The frame of this side, with sides, lines and stakes in the offerer's view. */
export function encodeOrderUpdate(frame: SideFrame): string {
  const { gameId, type, participantId, side, line, offers, ...header } = frame;
  const place =
    type === 'total'
      ? { OU: side, total: line, participantID: null }
      : { participantID: participantId, ...(type === 'spread' ? { spread: line } : {}) };
  return JSON.stringify({ gameID: gameId, ...header, type, ...place, sideOrders: offers.map(encodeOffer) });
}

/** One row of a ladder, in the offerer's view. It does not name the owner. */
export const encodeOffer = ({ id, rung, risk, untaken, createdAt, expiry, own }: Offer): Json => ({
  id,
  odds: oddsOf(rung),
  risk: dollarsOfMicros(risk),
  sumUntaken: dollarsOfMicros(untaken),
  createdAt,
  expiry,
  ...(own ? { createdBy: 'own' } : {}),
});

/**
 * A ladder, best for the taker first. Rows with nothing left are dropped; one bad row makes the ladder
 * unreadable.
 */
export function readLadder(value: unknown, perspective: BookPerspective): Result<Ladder> {
  if (!Array.isArray(value)) return bad('the ladder is not an array');
  const builder = new LadderBuilder(NO_OFFERS);
  for (const row of value as readonly unknown[]) {
    if (typeof row !== 'object' || row === null) return bad('an offer is not an object');
    const offer = offerOf(rawOffer(row as Json), perspective);
    if (typeof offer === 'string') return bad(offer);
    builder.addOffer(offer);
  }
  return ok(builder.ladder());
}

/** Builds a ladder from offers in the order of the frame; returns the old ladder when nothing changed. */
export class LadderBuilder {
  readonly old: Ladder;
  /** The index of the next expected offer of the old ladder; and the old offer at the reader's position. */
  next = 0;
  before: Offer | undefined;
  readonly #offers: Offer[] = [];
  #isSorted = true;
  #isSame = true;
  #isWhole = true;

  constructor(old: Ladder) {
    this.old = old;
  }

  /** Adds an offer of the old ladder; `add` drops it when nothing is left. */
  addBefore(offer: Offer): void {
    while (this.next < this.old.length && this.old[this.next] !== offer) this.next += 1;
    this.addOffer(offer);
  }

  addOffer(offer: Offer): void {
    if (offer.untaken <= 0) {
      this.#isWhole = false;
      return;
    }
    const offers = this.#offers;
    const last = offers[offers.length - 1];
    if (last !== undefined && isBehind(last, offer)) this.#isSorted = false;
    if (this.old[offers.length] !== offer) this.#isSame = false;
    offers.push(offer);
  }

  ladder(): Ladder {
    if (this.#isSame && this.#offers.length === this.old.length) return this.old;
    if (!this.#isSorted) this.#offers.sort((a, b) => (isBehind(a, b) ? 1 : isBehind(b, a) ? -1 : 0));
    // a copy has no spare capacity
    return this.#offers.slice();
  }

  /** True when the ladder holds every added offer, in that order. */
  get isWhole(): boolean {
    return this.#isWhole && this.#isSorted;
  }
}

/** True when `a` is served after `b`: its rung is larger, or equal and it is younger. */
const isBehind = (a: Offer, b: Offer): boolean => a.rung > b.rung || (a.rung === b.rung && a.createdAt > b.createdAt);

/** The unchecked values of a row. */
export type RawOffer = {
  id: unknown;
  odds: unknown;
  risk: unknown;
  sumUntaken: unknown;
  takenRatio: unknown;
  createdAt: unknown;
  createdBy: unknown;
  expiry: unknown;
};

export const rawOffer = (json: Json): RawOffer => ({
  id: json['id'],
  odds: json['odds'],
  risk: json['risk'] ?? json['bet'],
  sumUntaken: json['sumUntaken'],
  takenRatio: json['takenRatio'],
  createdAt: json['createdAt'],
  createdBy: json['createdBy'],
  expiry: json['expiry'],
});

/** The offer of a row, or the problem. `before`: returned instead when its values are equal. */
export function offerOf(raw: RawOffer, perspective: BookPerspective, before?: Offer): Offer | string {
  const { id } = raw;
  if (typeof id !== 'string' || id === '') return 'an offer has no id';
  const shown = readNumber(raw.odds);
  const shownRung = shown === undefined ? undefined : toRung(shown);
  if (shown === undefined || shownRung === undefined)
    return `offer ${id.slice(0, 64)} has odds that are not American odds`;
  const dollars = readNumber(raw.risk);
  if (dollars === undefined || dollars < 0 || dollars > 1e9) return `offer ${id.slice(0, 64)} has no usable risk`;
  const risk = microsOfDollars(dollars);
  const left = readNumber(raw.sumUntaken);
  let untaken;
  if (left === undefined) {
    const taken = readNumber(raw.takenRatio) ?? 0;
    untaken = microsOfDollars(dollars * (1 - Math.min(1, Math.max(0, taken))));
  } else {
    if (left < -1e-6 || left > 1e9) return `offer ${id.slice(0, 64)} has no usable sumUntaken`;
    untaken = microsOfDollars(Math.max(0, left));
    // under the taker's perspective the amount is the taker's stake; its win is the offerer's stake
    const takerOdds = perspective.odds === 'taker' ? toOdds(shown) : undefined;
    if (takerOdds !== undefined) untaken = winOf(untaken, takerOdds);
    if (untaken > MAX_MICROS) return `offer ${id.slice(0, 64)} has a remaining amount that is too large`;
  }
  const rung = perspective.odds === 'taker' ? oppositeRung(shownRung) : shownRung;
  const createdAt = typeof raw.createdAt === 'string' ? raw.createdAt : '';
  const own = typeof raw.createdBy === 'string' && raw.createdBy !== '';
  const expiry = typeof raw.expiry === 'string' ? raw.expiry : undefined;
  if (
    before !== undefined &&
    before.untaken === untaken &&
    before.risk === risk &&
    before.rung === rung &&
    before.own === own &&
    before.createdAt === createdAt &&
    before.expiry === expiry &&
    before.id === id
  )
    return before;
  const offer: Offer = { id: id as OrderId, rung, risk, untaken, createdAt, own };
  return Object.freeze(expiry === undefined ? offer : { ...offer, expiry });
}

/**
 * The part of an orderUpdate payload that names its side, read without parsing: frames with equal headers
 * replace each other. Undefined when the layout of the payload does not make this certain; such frames are
 * never conflated.
 */
export function sideHeaderOf(payload: string): string | undefined {
  const start = payload.indexOf('"sideOrders":[');
  if (start < 0 || !payload.endsWith(']}')) return undefined;
  const header = payload.slice(0, start);
  // keys inside a nested value do not belong to the frame
  if (header.includes('{', 1) || header.includes('[')) return undefined;
  const named =
    header.includes('"gameID":') &&
    (header.includes('"type":"moneyline"')
      ? header.includes('"participantID":')
      : header.includes('"type":"spread"')
        ? header.includes('"participantID":') && header.includes('"spread":')
        : header.includes('"type":"total"') && header.includes('"OU":') && header.includes('"total":'));
  return named ? header : undefined;
}
