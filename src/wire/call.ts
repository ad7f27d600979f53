// Commands of the core as REST calls; the encoding is the same for every transport.
import type { Command, Read, RequestCommand } from '../domain/index.ts';
import { encodeCancelMultiple } from './cancel.ts';
import { encodeEdit } from './edit.ts';
import { encodeGameRequest, encodeLeagueRequest } from './game.ts';
import type { Participants } from './place.ts';
import { encodePlace, minutesIn } from './place.ts';
import type { WireProfile } from './profile.ts';
import { encodeLogin, encodeMode } from './user.ts';

export type Call = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
};

export type CallContext = {
  readonly profile: WireProfile;
  readonly participants: Participants;
  /** Minutes until an order expires; undefined when it never does. */
  readonly expirationMinutes: number | undefined;
};

/** The call of a command. Undefined when it cannot be encoded: the participants of a game are not known. */
export function callOf(command: RequestCommand, context: CallContext): Call | undefined {
  const { profile, participants, expirationMinutes } = context;
  switch (command.type) {
    case 'place': {
      const body = encodePlace(command.orders, participants, profile, expirationMinutes);
      return body === undefined ? undefined : { method: 'POST', path: profile.placePath, body };
    }
    case 'edit':
      return {
        method: 'POST',
        path: '/session/editOrder',
        body: encodeEdit(
          command.orderId,
          command.order,
          minutesIn(command.order.market.gameId, participants, profile, expirationMinutes),
        ),
      };
    case 'cancel':
      return {
        method: 'POST',
        path: '/session/cancelMultiple',
        body: encodeCancelMultiple(command.orderIds, profile),
      };
    case 'cancel-all':
      return cancelAllCall(command);
    case 'switch-mode':
      return { method: 'POST', path: '/user/updateCoinsOrCash', body: encodeMode(command.mode) };
    case 'read':
      return readCall(command.read, profile);
  }
}

function cancelAllCall({ scope }: Extract<Command, { type: 'cancel-all' }>): Call {
  const method = 'POST';
  if (scope === undefined) return { method, path: '/session/cancelAllOrders', body: {} };
  return 'game' in scope
    ? { method, path: '/session/cancelAllOrdersForGame', body: { gameID: scope.game } }
    : { method, path: '/session/cancelAllForLeague', body: { league: scope.league } };
}

export function readCall(read: Read, profile: WireProfile): Call {
  switch (read.what) {
    case 'league':
      return {
        method: 'POST',
        path: '/exchange/getOrderbook',
        body: encodeLeagueRequest(read.league, read.page, profile.pageSize),
      };
    case 'game':
      return { method: 'POST', path: '/exchange/getSingleOrderbook', body: encodeGameRequest(read.gameId) };
    case 'open-orders':
      return { method: 'GET', path: profile.openOrdersPath };
    case 'plays':
      return { method: 'GET', path: profile.playsPath };
    case 'play':
      return { method: 'GET', path: profile.playPath, query: { txID: read.txId } };
    case 'reference':
      return {
        method: 'GET',
        path: profile.referencePath,
        query: { userReference: read.ref, gameID: read.gameId },
      };
    case 'order':
      return { method: 'GET', path: profile.lookupOrderPath, query: { orderID: read.orderId } };
    case 'user':
      return { method: 'GET', path: profile.userPath };
  }
}

export const loginCall = (username: string, password: string, profile: WireProfile): Call => ({
  method: 'POST',
  path: profile.loginPath,
  body: encodeLogin(username, password),
});
