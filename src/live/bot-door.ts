// Creates the door of a live bot: session, request windows and feeds as configured.
import type { LoadedConfig } from '../config/index.ts';
import type { Door, DoorPorts } from '../exchange/index.ts';
import type { RestClient } from '../exchange/live/index.ts';
import { LIVE_TIMERS, liveDoor, PermitWindow } from '../exchange/live/index.ts';
import type { Credentials, FormerRuns } from '../setup/index.ts';
import { expirationMinutesOf, ruleOf, sessionSettings } from '../setup/index.ts';

/** URLs and credentials of the account, and the state that former runs left there. */
export type DoorTarget = Credentials & {
  readonly restUrl: string;
  readonly socketUrl: string;
  readonly former: FormerRuns;
};

export function doorOf(
  loaded: LoadedConfig,
  target: DoorTarget,
  rest: RestClient,
  ports: Pick<DoorPorts, 'participants' | 'mayPlace' | 'warn' | 'wall'>,
): Door {
  const { exchange } = loaded.config;
  const { now } = LIVE_TIMERS;
  const { windows } = target.former;
  return liveDoor(
    {
      ...sessionSettings(exchange, target),
      profile: exchange.profile,
      lateArrivalMs: exchange.lateArrival,
      expirationMinutes: expirationMinutesOf(loaded),
    },
    {
      rest,
      socketUrl: target.socketUrl,
      maxFrame: exchange.maxFrame,
      windows: {
        place: new PermitWindow(ruleOf(loaded, 'place'), now, windows.place),
        cancel: new PermitWindow(ruleOf(loaded, 'cancel'), now, windows.cancel),
        read: new PermitWindow(ruleOf(loaded, 'reads'), now),
      },
    },
    ports,
  );
}
