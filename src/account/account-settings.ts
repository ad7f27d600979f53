// Settings of an account, and its alerts.
import type { AlertLevel, CommissionRule, PlayerMode } from '../domain/index.ts';

/** A report may be this much later than an answer that shows its effect. */
export const SETTLE_MS = 2000;

export type AccountSettings = {
  /** Marks this bot's references on an account that it shares. */
  readonly instance: string;
  readonly playerMode: PlayerMode;
  readonly lateArrivalMs: number;
  /** An edited order goes on under its id (wire profile). */
  readonly editKeepsId?: boolean | undefined;
  /** Orders end by themselves after this; undefined: never. */
  readonly expiresAfterMs?: number | undefined;
  /** What the exchange keeps of winnings; nothing by default. */
  readonly commission?: CommissionRule;
};

export type AccountAlert = {
  readonly level: AlertLevel;
  readonly code: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Raised once for this key. */
  readonly once?: string | undefined;
};
