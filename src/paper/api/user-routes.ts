// Routes for login and logout, the current user, the player mode, and the heartbeat of the sister exchange
// when the profile has one.
import { dollarsOfMicros } from '../../domain/index.ts';
import type { Micros } from '../../domain/index.ts';
import { readNumber, readText } from '../../wire/index.ts';
import type { Json } from '../../wire/index.ts';
import type { VenueAccount, Venue, Refusal } from '../../venue/index.ts';
import { isMode } from './order-entry.ts';
import { refuse } from '../../venue/index.ts';
import type { Answer, Params, Route, RouteContext } from './route.ts';
import { READ, WRITE } from './route.ts';
import { authCookie, passwordMatches } from './sessions.ts';

/** The refusal of a banned or closed account: 403 (spec, Authentication 7). */
export function accountRefusal(account: VenueAccount): Refusal | undefined {
  if (account.status === 'banned') return refuse(403, 'USER IS BANNED');
  return account.status === 'closed' ? refuse(403, `Your account ${account.username} has been closed`) : undefined;
}

function userJson(account: VenueAccount, token?: string): Json {
  const balance = account.balances[account.mode];
  const available = Math.max(0, balance - account.credit[account.mode].worstLoss()) as Micros;
  return {
    ...(token === undefined ? {} : { auth: token }),
    id: account.id,
    username: account.username,
    playerMode: account.mode,
    displayBalance: dollarsOfMicros(available),
    cashBalance: dollarsOfMicros(account.balances.cash),
    coinsBalance: dollarsOfMicros(account.balances.coins),
  };
}

/** Login, the only endpoint without a token. Also returns the account, so that the request can be counted. */
export function loginRoute(
  { venue, sessions }: RouteContext,
  params: Params,
  nowMs: number,
): { readonly answer: Answer; readonly account: VenueAccount | undefined } {
  const username = readText(params['username']);
  const password = readText(params['password']);
  if (username === undefined || password === undefined)
    return { answer: refuse(400, 'Username and password are required'), account: undefined };
  const account = venue.accountNamed(username);
  if (account === undefined || !passwordMatches(account, password))
    return { answer: refuse(401, 'InvalidCredentials'), account: undefined };
  const refusal = accountRefusal(account);
  if (refusal !== undefined) return { answer: refusal, account };
  const token = sessions.issue(account, nowMs);
  return { answer: { data: { user: userJson(account, token) }, headers: authCookie(token) }, account };
}

export const userRoutes = ({ venue, sessions }: RouteContext): readonly Route[] => [
  {
    methods: WRITE,
    paths: ['/user/logout'],
    kind: 'read',
    handle: ({ token }) => {
      sessions.endSession(token);
      return { data: { success: true }, headers: authCookie(undefined) };
    },
  },
  {
    methods: READ,
    paths: [venue.profile.userPath],
    kind: 'read',
    handle: ({ account }) => ({ data: { user: userJson(account) } }),
  },
  {
    methods: WRITE,
    paths: ['/user/updateCoinsOrCash'],
    kind: 'mode',
    handle: ({ account, params, nowMs }) => {
      const mode = params['playerMode'];
      if (!isMode(mode)) return refuse(400, 'Error! Invalid method of play');
      venue.setMode(account, mode, nowMs);
      return { data: { success: true } };
    },
  },
  ...heartbeatRoutes(venue),
];

function heartbeatRoutes(venue: Venue): readonly Route[] {
  const path = venue.profile.heartbeatPath;
  if (path === null) return [];
  return [
    {
      methods: WRITE,
      paths: [path],
      kind: 'read',
      handle: ({ account, params, nowMs }) => {
        const seconds = readNumber(params['timeout']);
        if (seconds === undefined || seconds <= 0 || seconds > 86_400)
          return refuse(400, '"timeout" must be a number of seconds above 0');
        venue.heartbeat(account, seconds * 1000, nowMs);
        return { data: { success: true } };
      },
    },
  ];
}
