// Routes for place, edit, and lookups of own orders and plays. A place of one order answers an error as HTTP
// status; in a batch each order has its own result under 200. A body that cannot be read is refused with 400
// and nothing is carried out (wire profile).
import type { TxId } from '../../domain/index.ts';
import { readReference, readText } from '../../wire/index.ts';
import type { VenueAccount, Ticket, VenueOrder, Refusal, Venue } from '../../venue/index.ts';
import { wouldMatch, refuse } from '../../venue/index.ts';
import type { EditRequest, OrderRequest } from './order-entry.ts';
import { editTicketOf, readEditBody, readPlaceBody, ticketOf } from './order-entry.ts';
import { editedJson, placedJson } from './order-json.ts';
import { editedAsRead, placedAsRead } from './order-reading.ts';
import { gradedPlayJson, isOpenPlay, lookedUpJson, orderJson, ownPlayJson, playsJson } from './record-json.ts';
import type { Answer, Call, Held, Params, Route, RouteContext } from './route.ts';
import { READ, WRITE } from './route.ts';

export function orderRoutes({ venue, withoutText }: RouteContext): readonly Route[] {
  const { profile } = venue;
  return [
    {
      methods: WRITE,
      paths: [...new Set([profile.placePath, '/session/v2/place', '/session/v3/place'])],
      kind: 'place',
      handle: (call) => place(venue, call, withoutText),
    },
    {
      methods: WRITE,
      paths: ['/session/editOrder'],
      kind: 'edit',
      handle: (call) => edit(venue, call, withoutText),
    },
    { methods: READ, paths: [profile.lookupOrderPath], kind: 'read', handle: (call) => lookup(venue, call) },
    {
      methods: READ,
      paths: [profile.openOrdersPath],
      kind: 'read',
      handle: ({ account }) => ({ data: { unmatched: openOrders(account).map(orderJson) } }),
    },
    {
      methods: READ,
      paths: ['/user/getOrdersForGame'],
      kind: 'read',
      handle: ({ account, params }) => {
        const gameId = readText(params['gameID']);
        if (gameId === undefined) return refuse(400, 'Invalid gameID: ');
        const unmatched = openOrders(account).filter((order) => order.book.market.gameId === gameId);
        const matched = [...account.plays.values()].filter((play) => play.order.book.market.gameId === gameId);
        return { data: { unmatched: unmatched.map(orderJson), ...playsJson(matched) } };
      },
    },
    {
      methods: READ,
      paths: [profile.playsPath],
      kind: 'read',
      handle: ({ account }) => ({
        data: { matchedBets: [...account.plays.values()].filter(isOpenPlay).map(ownPlayJson) },
      }),
    },
    { methods: READ, paths: [profile.referencePath], kind: 'read', handle: reference },
    {
      methods: READ,
      paths: [profile.playPath],
      kind: 'read',
      handle: ({ account, params }) => {
        const txId = readText(params['txID']) ?? '';
        const play = account.plays.get(txId as TxId);
        return play === undefined
          ? refuse(404, `Bet not found: ${txId.slice(0, 100)}`)
          : { body: { bet: gradedPlayJson(play) } };
      },
    },
  ];
}

const openOrders = (account: VenueAccount): VenueOrder[] => [...account.open.values()];

function place(venue: Venue, call: Call, withoutText: boolean): Answer | Held {
  const requests = readPlaceBody(call.body, venue.profile.maxOrdersPerPlace);
  if ('ok' in requests) return requests;
  const holdMs = venue.profile.liveHoldSeconds * 1000;
  const enter = (nowMs: number): Answer => enterOrders(venue, call.account, requests, nowMs, withoutText);
  const held = holdMs > 0 && requests.some((request) => isHeld(ticketOf(venue, request, call.nowMs)));
  return held ? { holdMs, resume: enter } : enter(call.nowMs);
}

/** Whether the order is held: it would match in a live game (wire profile, `liveHoldSeconds`). */
const isHeld = (ticket: Ticket | Refusal): boolean =>
  'book' in ticket && ticket.book.game.header.live && wouldMatch(ticket);

function enterOrders(
  venue: Venue,
  account: VenueAccount,
  requests: readonly OrderRequest[],
  nowMs: number,
  withoutText: boolean,
): Answer {
  const requestId = withoutText ? undefined : venue.newRequestId();
  const results = venue.run(nowMs, () =>
    requests.map((request) => {
      const ticket = ticketOf(venue, request, nowMs, requestId);
      return 'ok' in ticket ? ticket : venue.place(account, ticket, nowMs);
    }),
  );
  const [only] = results;
  if (results.length === 1 && only?.ok === false) return only;
  return withoutText
    ? { read: { type: 'placed', results: results.map(placedAsRead) } }
    : { data: { createdSessions: results.map(placedJson) } };
}

function edit(venue: Venue, { account, body, nowMs }: Call, withoutText: boolean): Answer | Held {
  const request = readEditBody(body, venue.profile.preset === 'family');
  if ('ok' in request) return request;
  const holdMs = venue.profile.liveHoldSeconds * 1000;
  const old = venue.orderById(request.orderId);
  const held = holdMs > 0 && old?.account === account && isHeld(editTicketOf(venue, old, request, nowMs));
  const enter = (atMs: number): Answer => enterEdit(venue, account, request, atMs, withoutText);
  return held ? { holdMs, resume: enter } : enter(nowMs);
}

function enterEdit(
  venue: Venue,
  account: VenueAccount,
  request: EditRequest,
  nowMs: number,
  withoutText: boolean,
): Answer {
  const old = venue.orderById(request.orderId);
  if (old === undefined) return refuse(404, `Order not found: ${request.orderId.slice(0, 100)}`);
  if (old.account !== account) return refuse(403, `Not your order: ${old.id}`);
  const requestId = withoutText ? undefined : venue.newRequestId();
  const ticket = editTicketOf(venue, old, request, nowMs, requestId);
  if ('ok' in ticket) return ticket;
  const edited = venue.edit(account, old.id, ticket, nowMs);
  if (!edited.ok) return edited;
  return withoutText ? { read: { type: 'edited', result: editedAsRead(edited) } } : { data: editedJson(edited) };
}

const idIn = (params: Params): string =>
  (readText(params['orderID']) ?? readText(params['sessionID']) ?? '').slice(0, 100);

function lookup(venue: Venue, { account, params, nowMs }: Call): Answer {
  venue.advance(nowMs);
  const txId = readText(params['txID']);
  if (txId === undefined && idIn(params) === '') return refuse(400, '"orderID" or "txID" is required');
  const id = txId === undefined ? idIn(params) : (account.plays.get(txId as TxId)?.order.id ?? txId.slice(0, 100));
  const order = venue.orderById(id);
  if (order === undefined) return refuse(404, `Order not found: ${id}`);
  return order.account === account ? { data: { order: lookedUpJson(order) } } : refuse(403, `Not your order: ${id}`);
}

function reference({ account, params }: Call): Answer {
  const ref = readReference(params['userReference']);
  if (ref === undefined) return refuse(400, '"userReference" is required');
  const gameId = readText(params['gameID']);
  const known = account.showsReferences ? account.byReference.get(ref) : undefined;
  const orders = (known ?? []).filter((order) => gameId === undefined || order.book.market.gameId === gameId);
  return {
    data: {
      unmatched: orders.filter((order) => order.status === 'open').map(orderJson),
      // an edit that keeps its id keeps its plays too
      ...playsJson([...new Set(orders.flatMap((order) => order.plays))]),
    },
  };
}
