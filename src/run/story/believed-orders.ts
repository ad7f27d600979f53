// What the account of a run believed of its orders, for `oddsmaker why`: facts and the belief over them, as the story shows them.
import type { Fact } from '../../account/index.ts';
import { endedBy } from '../../account/index.ts';
import type { LoadedConfig } from '../../config/index.ts';
import { readEffective, readProfile } from '../../config/index.ts';
import type { Command, StampedArrival } from '../../domain/index.ts';
import { dollarsOfMicros, OddsmakerError } from '../../domain/index.ts';
import type { CoreSettings } from '../../engine/index.ts';
import { AccountFollower } from '../../engine/index.ts';
import type { JournalHeader } from '../../journal/index.ts';
import type { KnownOrder } from './order-index.ts';
import type { Believed, ToldFact } from './story.ts';
import { backtestSettings, loadCoreSettings } from '../../setup/index.ts';

export class BelievedOrders {
  readonly #follower: AccountFollower;

  constructor(settings: CoreSettings) {
    this.#follower = new AccountFollower(settings);
  }

  applyInput(arrival: StampedArrival): void {
    this.#follower.applyInput(arrival);
  }

  applyCommands(commands: readonly Command[]): void {
    this.#follower.applyCommands(commands);
  }

  of({ ref, orderIds }: KnownOrder): Believed {
    const order = this.#follower.find(ref, [...orderIds].at(-1));
    const facts = this.#follower.factsOf(ref, orderIds, order).map(toldFact);
    if (order === undefined) return { facts, belief: undefined };
    const { status, filled, bound: mayStillFill, landed, placing } = order;
    const shown = status === 'never-landed' && placing === 'not-sent' ? 'not-sent' : status;
    return { facts, belief: { status: shown, endedBy: endedBy(order), filled, mayStillFill, landed } };
  }
}

const toldFact = ({ from, says, ref, orderId }: Fact): ToldFact => ({
  from,
  says: saysText(says),
  ref,
  orderId,
});

function saysText(says: Fact['says']): string {
  switch (says.type) {
    case 'fill':
      return `fill ${says.fill.txId} of $${dollarsOfMicros(says.fill.risk).toFixed(2)}`;
    case 'total':
      return `$${dollarsOfMicros(says.filled).toFixed(2)} filled in all`;
    case 'gone':
      return says.total === undefined ? 'gone' : `gone, $${dollarsOfMicros(says.total).toFixed(2)} filled in all`;
    default:
      return says.type;
  }
}

/** Of the configuration in the header; where that cannot be read, with what is usual. Strategies decide nothing here. */
export async function followerSettings(journal: string, header: JournalHeader | undefined): Promise<CoreSettings> {
  const read = readEffective(header?.config);
  const usual = readEffective(USUAL);
  if (!usual.ok) throw new Error(usual.problem);
  const config = read.ok ? read.value : usual.value;
  const loaded: LoadedConfig = {
    config: { ...config, strategies: [] },
    file: journal,
    resolve: (path) => path,
    problem: (_path, message) => new OddsmakerError('CONFIG_INVALID', `${journal}:1: ${message}`),
    sets: () => true,
  };
  const { settings } = await loadCoreSettings(loaded);
  const profile = readProfile(header?.profile);
  const of = profile === undefined ? settings : { ...settings, profile };
  return header?.backtest === true ? backtestSettings(of) : of;
}

const USUAL = { exchange: { embedded: {} }, strategies: [{ use: './none.ts', id: 'none' }] };
