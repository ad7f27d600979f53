// When a feed that lost its connection is back: with the handshake of its namespace, unless the connection before died unheard.
import { describe, expect, it } from 'vitest';
import type { FeedArrival } from '../../src/exchange/index.ts';
import { FeedConnections } from '../../src/exchange/index.ts';
import type { SocketEvents } from '../../src/exchange/ports.ts';

function feed() {
  const told: FeedArrival[] = [];
  const said: string[] = [];
  let now = 0;
  const due: (() => void)[] = [];
  let events: SocketEvents | undefined;
  let connections = 0;
  const life = new FeedConnections('user', {
    sockets: (_feed, heard) => {
      events = heard;
      return { address: 'x', connect: () => (connections += 1), close: () => undefined };
    },
    session: { token: 't', relogin: (then) => then() },
    timers: {
      now: () => now,
      after: (_ms, action) => {
        due.push(action);
        return () => undefined;
      },
    },
    warn: (message, fields) => said.push(`${message}: ${String(fields['cause'])}`),
  });
  life.arrivals$.subscribe((arrival) => told.push(arrival));
  if (events === undefined) throw new Error('no socket');
  const { connected, packet, closed, refused } = events;
  return {
    life,
    connected,
    packet,
    closed,
    refused,
    said,
    connections: () => connections,
    pass: (ms: number) => (now += ms),
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

it('a feed that cannot connect says why at once, every minute, and anew after it was up', () => {
  const { life, refused, connected, closed, again, said, pass } = feed();
  const fault = { cause: 'ECONNREFUSED', setting: 'exchange.socketUrl' };
  life.connect();
  for (let second = 0; second <= 120; second += 5) {
    refused(fault, false);
    pass(5000);
    again();
  }
  expect(said).toHaveLength(3);
  expect(said[0]).toBe('a feed cannot connect, trying again: ECONNREFUSED');
  connected();
  closed('transport close');
  again();
  refused(fault, false);
  expect(said).toHaveLength(4);
});
