// Routes for cancels. Individual cancels count in the cancel window and are refused with 423 while a
// cancel-all runs. Bulk cancels are not limited (spec, Limits 2 to 4). `cancelAllOrders` answers at once and
// drains afterwards; by game or league all is cancelled before the answer. The answer is that they were
// received, or a result for each order that is or will be cancelled (wire profile, `cancelAllReply`).
import { MARKET_TYPES, plainName } from '../../domain/index.ts';
import type { CancelResult, MarketType } from '../../domain/index.ts';
import { readReference, readText } from '../../wire/index.ts';
import type { Json } from '../../wire/index.ts';
import type { VenueOrder, Venue } from '../../venue/index.ts';
import { cancelledJson, notCancelledJson } from './order-json.ts';
import { cancelledAsRead, notCancelledAsRead } from './order-reading.ts';
import { refuse } from '../../venue/index.ts';
import type { Answer, Call, Params, Route, RouteContext } from './route.ts';
import { WRITE } from './route.ts';

const isMarketType = (value: unknown): value is MarketType => MARKET_TYPES.some((type) => type === value);

const RECEIVED: Answer = { data: { ordersReceived: true } };

export function cancelRoutes({ venue, withoutText }: RouteContext): readonly Route[] {
  const listsResults = venue.profile.cancelAllReply === 'results';
  return [
    { methods: WRITE, paths: ['/session/cancel'], kind: 'cancel', handle: (call) => cancelOne(venue, call) },
    {
      methods: WRITE,
      paths: ['/session/cancelMultiple'],
      kind: 'cancel',
      handle: (call) => cancelMany(venue, call, withoutText),
    },
    {
      methods: WRITE,
      paths: ['/session/cancelByReference'],
      kind: 'cancel',
      handle: (call) => cancelByReference(venue, call),
    },
    {
      methods: WRITE,
      paths: ['/session/cancelAllOrders'],
      kind: 'cancelAll',
      handle: ({ account, nowMs }) => {
        const results = venue.run(nowMs, () => {
          const listed = listsResults ? [...account.open.values()].map(toBeCancelled) : undefined;
          venue.cancelAll(account, nowMs);
          return listed;
        });
        return results === undefined ? RECEIVED : { data: results };
      },
    },
    {
      methods: WRITE,
      paths: ['/session/cancelAllOrdersForGame'],
      kind: 'cancelAll',
      handle: (call) => {
        const gameId = readText(call.params['gameID']);
        if (gameId === undefined) return refuse(400, 'Invalid gameID: ');
        const type = call.params['type'] ?? undefined;
        if (type !== undefined && !isMarketType(type)) return refuse(400, '"type" must be moneyline, spread or total');
        const results = bulk(
          venue,
          call,
          ({ book }) => book.market.gameId === gameId && (type === undefined || book.market.type === type),
        );
        return listsResults ? { data: results } : RECEIVED;
      },
    },
    {
      methods: WRITE,
      paths: ['/session/cancelAllForLeague'],
      kind: 'cancelAll',
      handle: (call) => {
        const league = readText(call.params['league']);
        if (league === undefined) return refuse(400, '"league" is required');
        bulk(venue, call, ({ book }) => plainName(book.game.header.league) === plainName(league));
        return RECEIVED;
      },
    },
  ];
}

/** Cancels all matching orders at once, and forgets the matching ones that a pause remembered. */
function bulk(venue: Venue, { account, nowMs }: Call, fits: (order: VenueOrder) => boolean): readonly Json[] {
  return venue.run(nowMs, () => {
    venue.takePaused(account, fits, nowMs);
    return venue.cancelWhere(account, fits, nowMs).map(cancelledJson);
  });
}

const toBeCancelled = (order: VenueOrder): Json => cancelledJson({ ok: true, order, released: order.remaining });

function cancelOne(venue: Venue, { account, params, nowMs }: Call): Answer {
  const id = readText(params['sessionID']) ?? readText(params['orderID']);
  if (id === undefined) return refuse(400, '"sessionID" is required');
  const refusal = venue.admitCancels(account, 1, nowMs);
  if (refusal !== undefined) return refusal;
  const result = venue.cancel(account, id.slice(0, 100), nowMs);
  return result.ok ? { data: cancelledJson(result) } : result;
}

/** Reads a list of texts. Returns a refusal when it is not one. */
function readTexts(
  params: Params,
  field: string,
  most: number,
  read: (value: unknown) => string | undefined = readText,
): readonly string[] | Answer {
  const list = params[field];
  if (!Array.isArray(list) || list.length === 0) return refuse(400, `"${field}" must be a non-empty array`);
  if (list.length > most) return refuse(400, `"${field}" must contain at most ${most} items`);
  const texts = (list as readonly unknown[]).map(read);
  const wrong = texts.indexOf(undefined);
  return texts.every((text) => text !== undefined)
    ? texts
    : refuse(400, `"${field}[${wrong}]" must be ${read === readText ? 'text' : 'text or a number'}`);
}

const isTexts = (value: readonly string[] | Answer): value is readonly string[] => Array.isArray(value);

function cancelMany(venue: Venue, { account, params, nowMs }: Call, withoutText: boolean): Answer {
  const ids = readTexts(params, venue.profile.cancelIdsField, venue.profile.maxIdsPerCancel);
  if (!isTexts(ids)) return ids;
  const refusal = venue.admitCancels(account, ids.length, nowMs);
  if (refusal !== undefined) return refusal;
  if (withoutText) {
    const cancelled = (id: string): CancelResult => {
      const result = venue.cancel(account, id, nowMs);
      return result.ok ? cancelledAsRead(result) : notCancelledAsRead(id.slice(0, 100), result);
    };
    return { read: { type: 'cancelled', results: venue.run(nowMs, () => ids.map(cancelled)) } };
  }
  const results = venue.run(nowMs, () =>
    ids.map((id): Json => {
      const result = venue.cancel(account, id, nowMs);
      return result.ok ? cancelledJson(result) : notCancelledJson(id.slice(0, 100), result);
    }),
  );
  return { data: results };
}

/**
 * Cancels by reference: one result for each open order with the reference, or one failure when there is none.
 */
function cancelByReference(venue: Venue, { account, params, nowMs }: Call): Answer {
  const gameId = readText(params['gameID']);
  if (gameId === undefined) return refuse(400, 'Invalid gameID: ');
  const references = readTexts(params, 'userReferences', venue.profile.maxIdsPerCancel, readReference);
  if (!isTexts(references)) return references;
  const refusal = venue.admitCancels(account, references.length, nowMs);
  if (refusal !== undefined) return refusal;
  const results = venue.run(nowMs, () =>
    references.flatMap((reference): readonly Json[] => {
      const open = (account.byReference.get(reference) ?? []).filter(
        (order) => order.status === 'open' && order.book.market.gameId === gameId,
      );
      const named = reference.slice(0, 100);
      if (open.length === 0) return [notCancelledJson(undefined, refuse(404, `Order not found: ${named}`), named)];
      return open.map((order) => {
        const result = venue.cancel(account, order.id, nowMs);
        return result.ok ? cancelledJson(result) : notCancelledJson(order.id, result, named);
      });
    }),
  );
  return { data: results };
}
