// The settings of an account, and the shape of its alerts.
import type { AlertLevel, CommissionRule, PlayerMode } from '../domain/index.ts';

/** The most that a report may be later than an answer that shows its effect. */
export const SETTLE_MS = 2000;

export type AccountSettings = {
  /** The instance name. It marks the bot's references on an account that several bots share. */
  readonly instance: string;
  readonly playerMode: PlayerMode;
  readonly lateArrivalMs: number;
  /** True when an edited order keeps its id (wire profile). */
  readonly editKeepsId?: boolean | undefined;
  /** The age at which the exchange ends an order, ms. Undefined: never. */
  readonly expiresAfterMs?: number | undefined;
  /** The commission that the exchange keeps of winnings. By default none. */
  readonly commission?: CommissionRule;
};

export type AccountAlert = {
  readonly level: AlertLevel;
  readonly code: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The alert is raised once for this key. */
  readonly once?: string | undefined;
};
