// When a feed counts as up again after a lost connection: at the handshake of its namespace, or at the first
// packet when the last connection ended without one.
import { describe, expect, it } from 'vitest';
import type { FeedArrival } from '../../src/exchange/index.ts';
import { FeedConnections } from '../../src/exchange/index.ts';
import type { SocketEvents } from '../../src/exchange/ports.ts';

function feed() {
  const arrivals: FeedArrival[] = [];
  const logged: string[] = [];
  let now = 0;
  const due: (() => void)[] = [];
  let events: SocketEvents | undefined;
  let connections = 0;
  const feedConnections = new FeedConnections('user', {
    sockets: (_feed, handlers) => {
      events = handlers;
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
    warn: (message, fields) => logged.push(`${message}: ${String(fields['cause'])}`),
  });
  feedConnections.arrivals$.subscribe((arrival) => arrivals.push(arrival));
  if (events === undefined) throw new Error('no socket');
  const { connected, packet, closed, refused } = events;
  return {
    feedConnections,
    connected,
    packet,
    closed,
    refused,
    logged,
    connections: () => connections,
    pass: (ms: number) => (now += ms),
    again: () => due.shift()?.(),
    arrivals: () => arrivals.map((item) => (item.type === 'feed' ? `${item.status} ${item.epoch}` : item.type)),
  };
}

describe('a feed that lost its connection', () => {
  it('is up again at the handshake of its namespace, even when no packet follows', () => {
    const { feedConnections, connected, closed, again, arrivals, connections } = feed();
    feedConnections.connect();
    connected();
    closed('transport close');
    again();
    connected();
    closed('io server disconnect');
    again();
    connected();
    expect(arrivals()).toEqual(['up 1', 'down 1', 'up 2', 'down 2', 'up 3']);
    expect(connections()).toBe(3);
  });

  it('waits for a packet when the last connection ended without one, and then for the handshake alone again', () => {
    const { feedConnections, connected, packet, closed, again, arrivals } = feed();
    feedConnections.connect();
    connected();
    packet();
    closed('ping timeout');
    again();
    // a packet came: the next handshake counts
    connected();
    closed('ping timeout');
    again();
    // no packet came over that connection
    connected();
    expect(arrivals()).toEqual(['up 1', 'down 1', 'up 2', 'down 2']);
    closed('ping timeout');
    again();
    connected();
    expect(arrivals()).toHaveLength(4);
    packet();
    closed('transport close');
    again();
    connected();
    expect(arrivals().slice(4)).toEqual(['up 3', 'down 3', 'up 4']);
  });
});

it('a feed that cannot connect logs the cause at once, then every minute, and anew after it was up', () => {
  const { feedConnections, refused, connected, closed, again, logged, pass } = feed();
  const fault = { cause: 'ECONNREFUSED', setting: 'exchange.socketUrl' };
  feedConnections.connect();
  for (let second = 0; second <= 120; second += 5) {
    refused(fault, false);
    pass(5000);
    again();
  }
  expect(logged).toHaveLength(3);
  expect(logged[0]).toBe('a feed cannot connect, trying again: ECONNREFUSED');
  connected();
  closed('transport close');
  again();
  refused(fault, false);
  expect(logged).toHaveLength(4);
});
