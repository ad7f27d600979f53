// The bot as it runs live, from its sockets to its requests, without files. Benchmarks over loopback compare
// it with bare chains of the same libraries.
import { EMPTY, Subject } from 'rxjs';
import type { Arrival, Input } from '../src/domain/index.ts';
import type { CoreSettings, CoreStatus } from '../src/engine/index.ts';
import { Core } from '../src/engine/index.ts';
import type { FeedArrival } from '../src/exchange/index.ts';
import { LIVE_TIMERS, liveDoor, PermitWindow, RestClient } from '../src/exchange/live/index.ts';
import { conflate, pipeline } from '../src/pipeline/index.ts';
import { Decoder, DEFAULT_PROFILE } from '../src/wire/index.ts';

export type Chain = { readonly close: () => void };
export type LiveChain = Chain & { readonly status: () => CoreStatus };
export type LiveChainOptions = {
  readonly url: string;
  /** Place permits at the start. */
  readonly places: number;
  readonly settings: CoreSettings;
  /**
   * Called for each event of the price feed after the core processed it; when present, nothing is conflated.
   */
  readonly handled?: (arrival: FeedArrival) => void;
};

export async function startLive({ url, places, settings, handled }: LiveChainOptions): Promise<LiveChain> {
  const core = new Core(settings, { reportAsync: () => undefined });
  const { now } = LIVE_TIMERS;
  // permits for one block are taken in advance, and none comes back during it: this measures the chain, not
  // the limit
  const window = (requests: number): PermitWindow => new PermitWindow({ requests, windowMs: 60_000, marginMs: 1 }, now);
  const rest = new RestClient(url, 'public');
  const door = liveDoor(
    {
      username: 'u',
      password: 'p',
      playerMode: 'coins',
      profile: DEFAULT_PROFILE,
      startTimeoutMs: 5000,
      requestTimeoutMs: 5000,
      lateArrivalMs: 30_000,
      expirationMinutes: undefined,
    },
    { rest, socketUrl: url, windows: { place: window(places), cancel: window(10), read: window(10) } },
    { participants: (id) => core.gameOf(id) },
  );
  const operators$ = new Subject<Input>();
  const steps = pipeline(
    {
      prices$: door.prices$,
      user$: door.user$,
      replies$: door.replies$,
      permits$: door.permits$,
      sessions$: door.sessions$,
      signals$: EMPTY,
      operators$,
    },
    {
      core,
      decoder: new Decoder(DEFAULT_PROFILE),
      timers: LIVE_TIMERS,
      wall: Date.now,
      ...(handled === undefined && { conflate: conflate() }),
      record: () => undefined,
      send: (command) => door.execute(command),
      alert: () => undefined,
      exit: () => undefined,
    },
  ).subscribe(({ arrival }) => {
    if (isOfPrices(arrival.in)) handled?.(arrival.in);
  });
  operators$.next({ type: 'boot', run: 'bench' });
  await new Promise<void>((resolve, reject) => {
    door.start((problem) => (problem === undefined ? resolve() : reject(problem)));
  });
  return {
    status: () => core.status(),
    close: () => {
      steps.unsubscribe();
      door.close();
      rest.close();
    },
  };
}

const isOfPrices = (arrival: Arrival): arrival is FeedArrival =>
  (arrival.type === 'frame' || arrival.type === 'feed') && arrival.feed === 'prices';
