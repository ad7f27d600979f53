// What strategies see of the whole account. It is computed when it is read.
import type { CommissionRule, HeldPosition, Micros } from '../domain/index.ts';
import { plus, minus, ZERO } from '../domain/index.ts';
import type { Account } from '../account/index.ts';
import type { OrderManager } from '../orders/index.ts';
import type { AccountView } from '../strategy/index.ts';

export type AccountViewParts = {
  readonly account: Account;
  readonly manager: Pick<OrderManager, 'permits'>;
  readonly mode: { readonly balance: Micros | undefined };
  readonly commission: CommissionRule;
};

export class LiveAccountView implements AccountView {
  readonly #parts: AccountViewParts;

  constructor(parts: AccountViewParts) {
    this.#parts = parts;
    // strategies share it
    Object.freeze(this);
  }

  get bankroll(): Micros | undefined {
    const { account, mode } = this.#parts;
    if (mode.balance === undefined) return undefined;
    let staked = ZERO;
    for (const { position } of account.holdings.positions.values()) staked = plus(staked, position.staked);
    // the balance of the last read still contains the stakes that filled since
    return minus(plus(mode.balance, staked), account.fills.unread.risk);
  }

  get permits(): AccountView['permits'] {
    const { place, cancel } = this.#parts.manager.permits;
    return { place, cancel };
  }

  get commission(): CommissionRule {
    return this.#parts.commission;
  }

  get positions(): readonly HeldPosition[] {
    return [...this.#parts.account.holdings.positions.values()].map(({ market, position }) => ({ market, position }));
  }
}
