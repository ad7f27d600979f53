// The door with the transports of a live run.
import type { Feed } from '../../domain/index.ts';
import type { DoorPorts, DoorSettings } from '../door.ts';
import { Door } from '../door.ts';
import type { RestClient } from './rest-client.ts';
import { socketsTo } from './sockets.ts';
import { LIVE_TIMERS } from './timers.ts';

export type LiveTransports = Pick<DoorPorts, 'windows'> & {
  readonly rest: RestClient;
  readonly socketUrl: string;
  readonly maxFrame?: number;
};

export const liveDoor = (
  settings: DoorSettings,
  { rest, socketUrl, windows, maxFrame }: LiveTransports,
  ports: Pick<DoorPorts, 'participants' | 'mayPlace' | 'warn' | 'wall'>,
  feeds?: readonly Feed[],
): Door => {
  const sockets = socketsTo(socketUrl, () => door.session.username, settings.profile, maxFrame);
  const transports = { rest: rest.port, sockets, windows, timers: LIVE_TIMERS };
  const door: Door = new Door(settings, { ...ports, ...transports }, feeds);
  return door;
};
