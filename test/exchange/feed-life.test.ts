// When a feed that lost its connection is back: with the handshake of its namespace, unless the connection before died unheard.
import { describe, expect, it } from 'vitest';
import type { FeedArrival } from '../../src/exchange/index.ts';
import { FeedLife } from '../../src/exchange/index.ts';
import type { SocketEvents } from '../../src/exchange/ports.ts';

function feed() {
  const told: FeedArrival[] = [];
  const due: (() => void)[] = [];
  let events: SocketEvents | undefined;
  let connections = 0;
  const life = new FeedLife('user', {
    sockets: (_feed, heard) => {
      events = heard;
      return { address: 'x', connect: () => (connections += 1), close: () => undefined };
    },
    session: { token: 't', relogin: (then) => then() },
    timers: {
      now: () => 0,
      after: (_ms, action) => {
        due.push(action);
        return () => undefined;
      },
    },
    tell: (arrival) => told.push(arrival),
  });
  if (events === undefined) throw new Error('no socket');
  const { connected, packet, closed } = events;
  return {
    ...{ life, connected, packet, closed, connections: () => connections },
    again: () => due.shift()?.(),
    told: () => told.map((one) => (one.type === 'feed' ? `${one.status} ${one.epoch}` : one.type)),
  };
}

describe('a feed that lost its connection', () => {
  it('is back with the handshake of its namespace, however quiet it is then', () => {
    const { life, connected, closed, again, told, connections } = feed();
    life.connect();
    connected();
    closed('transport close');
    again();
    connected();
    closed('io server disconnect');
    again();
    connected();
    expect(told()).toEqual(['up 1', 'down 1', 'up 2', 'down 2', 'up 3']);
    expect(connections()).toBe(3);
  });

  it('waits for a packet where the connection before died without one, and then no more', () => {
    const { life, connected, packet, closed, again, told } = feed();
    life.connect();
    connected();
    packet();
    closed('ping timeout');
    again();
    // it was heard: the next one is believed
    connected();
    closed('ping timeout');
    again();
    // nothing came over that one
    connected();
    expect(told()).toEqual(['up 1', 'down 1', 'up 2', 'down 2']);
    closed('ping timeout');
    again();
    connected();
    expect(told()).toHaveLength(4);
    packet();
    closed('transport close');
    again();
    connected();
    expect(told().slice(4)).toEqual(['up 3', 'down 3', 'up 4']);
  });
});
