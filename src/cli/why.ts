// `oddsmaker why`: the story of one order, from the events of a journal. The journal is read twice, one
// record at a time: first for its orders, then for the story of the named one.
import type { Command } from 'commander';
import { EXIT, OddsmakerError, printable } from '../domain/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import { headerOf, journalAt, tearText, noteMissingParts, tornOf } from '../journal/index.ts';
import type { EventListener, KnownOrder, ReadEvents } from '../run/index.ts';
import { nameOf, OrderNames, OrderStory, readEvents } from '../run/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { DEFAULT_PROFILE, wireProfileSchema } from '../wire/index.ts';
import { nameText, storyText } from './why-text.ts';

/** Orders that are listed when the name fits several. */
const MAX_LISTED = 20;
const MAX_CLOSEST = 3;

const HELP = `
<order> is a reference (userReference), an exchange order id, or the beginning or end of either, if only one order
matches. The command prints, oldest first: the input that led to the intent, with the best offer it showed; the permit;
the request with its reason (cause, cost of waiting, how long it waited, the rejected alternative and why); the answer;
its place in the queue; fills; evidence while its fate was unknown; edits, cancels and bulk cancels; alerts. The last
line is the outcome. Orders that it replaced, or that replaced it, are named, for further look-ups. For the value of a
fill then and later see pnl --fills for a run, fills.csv for a backtest.

A journal that breaks off (its run was killed, or is running) is read up to there, and stderr says so. One that was changed
after it was written is refused. One of format 1 (before 0.3) is replayed: only one that you trust (replay --help).

--json prints one object instead: {schema: 2, journal: {file, records, torn}, order, events, outcome}. In order and
outcome money is in dollars, odds are American; what is not known is null. order: {ref, orderId, orderIds, ofThisRun,
gameId, game, league, market, odds, risk, replaces, replacedBy, next}. events: {seq, at, ms, type, …}, where ms counts
from its first request: those of the run as \`oddsmaker events --json\` has them, and IntentBrought and PermitGranted
for the inputs behind its requests. outcome: {status, endedBy, restedMs, filled, risk, fills}.

Exit:  0 the story was printed; 2 a wrong command line, no such order, or several (they are named); 65 no journal, or
       one that was changed (file and line are named).

Examples:
  oddsmaker why data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson a.main.#0.1489bcb0-1c
  oddsmaker why data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson 6dc09baf7b343ff7451abfd1
  oddsmaker why data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson -- -1c
  oddsmaker why data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson 451abfd1 --json | jq .outcome
`;

export function registerWhy(command: Command, finish: (code: number) => void): void {
  command
    .description('Shows from a journal why an order was placed, moved and cancelled, and how it ended.')
    .argument('<journal>', 'NDJSON file of a run, packed or not; any part of a long one; or a folder: its newest')
    .argument('<order>', 'reference, order id, or the beginning or end of one')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, wanted: string, flags: { readonly json?: true }) => {
      finish(await why(journalAt(file), wanted, flags.json === true));
    });
}

async function why(file: string, wanted: string, json: boolean): Promise<number> {
  const header = await headerOf(file);
  const names = new OrderNames();
  let records = 0;
  const { tear } = await read(
    file,
    header,
    (input, events, commands) => {
      names.applyStep(input, events, commands);
      records = input.seq;
    },
    noteMissingParts(file),
  );
  if (tear !== undefined) process.stderr.write(`oddsmaker: ${tearText(tear)}\n`);
  const { orders } = names;
  const [order, ...others] = ordersNamed(orders, wanted);
  if (order === undefined || others.length > 0) {
    const text = order === undefined ? noneText(orders, wanted) : severalText([order, ...others], wanted);
    process.stderr.write(`oddsmaker: ${text}\n`);
    return EXIT.usage;
  }
  const fold = new OrderStory(order, names, profileOf(header));
  await read(file, header, (input, events) => {
    // of a running journal, only what the first pass read
    if (input.seq <= records) fold.applyStep(input, events);
  });
  const story = fold.finish();
  process.stdout.write(
    json
      ? `${JSON.stringify({ schema: 2, journal: { file, records, torn: tornOf(tear) }, ...story }, nullForUndefined)}\n`
      : storyText(story, tear === undefined),
  );
  return EXIT.done;
}

/** @throws OddsmakerError JOURNAL_INVALID, STRATEGY_* */
async function read(
  file: string,
  header: JournalHeader,
  listen: EventListener,
  begins: (seq: number) => void = () => undefined,
): Promise<ReadEvents> {
  const done = await readEvents(file, header, 'reading', listen, { begins });
  if (done.invalid !== undefined) throw new OddsmakerError('JOURNAL_INVALID', done.invalid);
  if (done.difference !== undefined) process.stderr.write(`oddsmaker: ${done.difference}; the story ends there\n`);
  return done;
}

function profileOf({ profile }: JournalHeader): WireProfile {
  const read = wireProfileSchema.safeParse(profile);
  return read.success ? read.data : DEFAULT_PROFILE;
}

const nullForUndefined = (_key: string, value: unknown): unknown => (value === undefined ? null : value);

const namesOf = ({ ref, orderIds }: KnownOrder): readonly string[] =>
  ref === undefined ? [...orderIds] : [ref, ...orderIds];

/** The orders that the text names. A whole name takes precedence over a part of one. */
function ordersNamed(orders: readonly KnownOrder[], wanted: string): readonly KnownOrder[] {
  if (wanted === '') return [];
  const whole = orders.filter((order) => namesOf(order).includes(wanted));
  if (whole.length > 0) return whole;
  return orders.filter((order) => namesOf(order).some((name) => name.startsWith(wanted) || name.endsWith(wanted)));
}

function severalText(orders: readonly KnownOrder[], wanted: string): string {
  const names = orders.slice(0, MAX_LISTED).map((order) => `  ${printable(nameText(nameOf(order)))}`);
  const left = orders.length - names.length;
  return [`${orders.length} orders match "${wanted}":`, ...names, ...(left > 0 ? [`  and ${left} more`] : [])].join(
    '\n',
  );
}

function noneText(orders: readonly KnownOrder[], wanted: string): string {
  if (orders.length === 0) return `no order matches "${wanted}": the journal has no orders`;
  const closest = orders
    .map((order) => ({ order, alike: Math.max(...namesOf(order).map((name) => alike(name, wanted))) }))
    .sort((a, b) => b.alike - a.alike)
    .slice(0, MAX_CLOSEST)
    .map(({ order }) => `  ${printable(nameText(nameOf(order)))}`);
  return [`no order matches "${wanted}"; the journal has ${orders.length}, the closest are`, ...closest].join('\n');
}

/** The number of characters that two names share at their beginning or their end, whichever is more. */
function alike(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return Math.max(head, tail);
}
