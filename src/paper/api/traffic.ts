// The exchange's own counts of an account's requests, for tests and demos that compare them with the client's
// numbers. Requests are counted by kind on arrival, answers by status before they are sent.
import type { VenueAccount } from '../../venue/index.ts';

export type RequestKind = 'place' | 'edit' | 'cancel' | 'other';

export type Traffic = {
  readonly requests: Record<RequestKind, number>;
  readonly http: Record<string, number>;
};

export class TrafficBook {
  readonly #byAccount = new WeakMap<VenueAccount, Traffic>();

  trafficOf(account: VenueAccount): Traffic {
    let traffic = this.#byAccount.get(account);
    if (traffic === undefined)
      this.#byAccount.set(account, (traffic = { requests: { place: 0, edit: 0, cancel: 0, other: 0 }, http: {} }));
    return traffic;
  }

  asked(account: VenueAccount, kind: string): void {
    const { requests } = this.trafficOf(account);
    requests[kind === 'place' || kind === 'edit' || kind === 'cancel' ? kind : 'other']++;
  }

  answered(account: VenueAccount, status: number): void {
    const { http } = this.trafficOf(account);
    http[status] = (http[status] ?? 0) + 1;
  }
}
