// Reads the limits that a journal is checked against from its configuration.
import type { Config } from '../config/index.ts';
import type { ConformSettings } from './conformance.ts';

/** Returns the limits that a run with this configuration must keep. */
export const conformSettings = ({ exchange, orders, risk }: Config): ConformSettings => {
  const { place, cancel } = exchange.limits;
  return {
    windows: {
      place: { requests: place.requests, windowMs: place.window },
      cancel: { requests: cancel.requests, windowMs: cancel.window },
    },
    instance: orders.instance,
    lateArrivalMs: exchange.lateArrival,
    halted: risk.state === 'halted',
    profile: exchange.profile,
  };
};
