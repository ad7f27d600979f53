// What a configuration says of the rules that a journal is held against.
import type { Config } from '../config/index.ts';
import type { ConformSettings } from './conformance.ts';

/** What a run with this configuration must keep to. */
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
