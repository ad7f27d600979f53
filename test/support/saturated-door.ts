// A live door that spends each permit at once, for tests that measure the request windows.
import { merge } from 'rxjs';
import type {
  Arrival,
  Bucket,
  GameId,
  NewOrder,
  OrderId,
  OrderRef,
  ParticipantId,
  Rung,
} from '../../src/domain/index.ts';
import { cents, market } from '../../src/domain/index.ts';
import type { Door } from '../../src/exchange/index.ts';
import { LIVE_TIMERS, liveDoor, PermitWindow, RestClient } from '../../src/exchange/live/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { WINDOWS } from './windows.ts';

export type DoorTo = {
  readonly account: { readonly username: string; readonly password: string };
  readonly participants?: readonly [home: string, away: string];
  /** The times at which permits in use become free. */
  readonly freeAt?: (bucket: Bucket) => readonly number[];
  readonly onArrival: (arrival: Arrival) => void;
};

/** Opens a door that is logged in and has no feeds. */
export async function doorTo(
  url: string,
  { account, participants: [home, away] = ['h', 'a'], freeAt = () => [], onArrival: report }: DoorTo,
): Promise<Door> {
  const { now } = LIVE_TIMERS;
  const team = (id: string) => ({ id: id as ParticipantId, name: id, shortName: id });
  const door = liveDoor(
    {
      ...account,
      playerMode: 'coins',
      startTimeoutMs: 5000,
      requestTimeoutMs: 5000,
      profile: DEFAULT_PROFILE,
      lateArrivalMs: 30_000,
      expirationMinutes: undefined,
    },
    {
      rest: new RestClient(url, 'public'),
      socketUrl: url,
      windows: {
        place: new PermitWindow(WINDOWS.place, now, freeAt('place')),
        cancel: new PermitWindow(WINDOWS.cancel, now, freeAt('cancel')),
        read: new PermitWindow(WINDOWS.read, now),
      },
    },
    { participants: () => ({ home: team(home), away: team(away) }) },
    [],
  );
  merge(door.replies$, door.permits$, door.sessions$).subscribe(report);
  await new Promise<void>((resolve, reject) => {
    door.start((problem) => (problem === undefined ? resolve() : reject(problem)));
  });
  return door;
}

/** Spends each permit until `stop`. */
export async function saturate(
  url: string,
  game: string,
  options: Omit<DoorTo, 'onArrival'>,
): Promise<{ readonly door: Door; readonly stop: () => void }> {
  let req = 0;
  const waiting: Arrival[] = [];
  let spend = (arrival: Arrival): unknown => waiting.push(arrival);
  const door = await doorTo(url, { ...options, onArrival: (arrival) => spend(arrival) });
  spend = (arrival) => {
    if (arrival.type !== 'permit') return;
    req += 1;
    const { permit } = arrival;
    door.execute(
      arrival.bucket === 'place'
        ? { type: 'place', req, permit, orders: [orderOf(game, req)], why: [] }
        : { type: 'cancel', req, permit, orderIds: ['0'.repeat(24) as OrderId], why: [] },
    );
  };
  for (const arrival of waiting) spend(arrival);
  return {
    door,
    stop: () => {
      spend = () => undefined;
    },
  };
}

/** An order with a price that nothing matches. */
export const orderOf = (game: string, n: number): NewOrder => ({
  ref: `saturated-${n}` as OrderRef,
  market: market(game as GameId, 'moneyline'),
  side: 'home',
  rung: 9000 as Rung,
  risk: cents(100),
});
