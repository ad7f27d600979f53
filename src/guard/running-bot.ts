// Finds the bot that runs on a configuration file, and talks to it over its control socket.
import { join } from 'node:path';
import { isUsernameElsewhere, loadRunFolder, loadRunPlace } from '../config/index.ts';
import { messageOf, OddsmakerError, printable, systemCodeOf } from '../domain/index.ts';
import type { ControlReply, RunFiles } from '../ops/index.ts';
import { askBot, leasesIn, readFence, readLease, runFiles } from '../ops/index.ts';
import { accountOf, configPathOf, DRY_FOLDER } from '../setup/index.ts';

/** How long a bot may take to answer, ms: longer than any step of a healthy bot. */
const ANSWER_MS = 5000;
/** How long a reload may take, ms: it loads files and checks their types. */
const RELOAD_MS = 60_000;

/** Sets signals. A value of null withdraws a signal. */
export type SignalMessage = {
  readonly command: 'signal';
  readonly values: Readonly<Record<string, number | null>>;
  readonly ttl?: string;
};

/** A request to a running bot, as the control socket takes it. */
export type Message =
  | SignalMessage
  | {
      readonly command: string;
      readonly reason?: string;
      readonly gameId?: string | undefined;
      readonly score?: string | undefined;
      readonly winner?: string;
      readonly void?: true;
      readonly types?: readonly string[];
      readonly strategy?: string | undefined;
      readonly params?: Readonly<Record<string, unknown>>;
      readonly keepQuoting?: boolean;
      readonly dry?: boolean;
    };

/**
 * Sends a message to the bot and returns its reply.
 * @throws OddsmakerError BOT_UNREACHABLE when it does not answer
 */
export async function ask(
  file: string,
  files: RunFiles,
  message: Message,
  answerMs = ANSWER_MS,
): Promise<ControlReply> {
  // the lease names the socket, which may differ from the default
  const lease = readLease(files.lease);
  const path = lease === undefined || lease === null || lease.socket === '' ? files.socket : lease.socket;
  try {
    const patience = message.command === 'reload' || message.command === 'params' ? RELOAD_MS : answerMs;
    return (await askBot(path, message, patience)) as ControlReply;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EACCES' || code === 'EPERM')
      throw new OddsmakerError(
        'BOT_UNREACHABLE',
        `${path}: only the bot's own user may talk to it (${messageOf(error)}): run the command as that user, for example with sudo -u`,
        { cause: error },
      );
    const fence = readFence(files.fence);
    throw new OddsmakerError(
      'BOT_UNREACHABLE',
      `no bot of account ${files.account} answers on ${path}: ${messageOf(error)}. ` +
        (fence === undefined
          ? ''
          : `A fence stands since ${fence.when} (${fence.why}): start the bot, ` +
            (fence.hung ? 'it will run halted, then resume. ' : 'it quotes once the account is clear. ')) +
        `\`oddsmaker panic ${file}\` cancels what is open without it.`,
      { cause: error },
    );
  }
}

/**
 * Returns the files of the bot that runs on this configuration. If the variable that names the account is not
 * set, it finds the bot by its lease.
 * @throws OddsmakerError BOT_UNREACHABLE when no lease, or more than one, names the file
 */
export function filesOf(file: string, isDry = false): RunFiles {
  const main = loadRunFolder(file, process.env);
  const folder = isDry ? join(main, DRY_FOLDER) : main;
  if (!isUsernameElsewhere(file, process.env)) {
    const { username } = loadRunPlace(file, process.env);
    return runFiles(folder, accountOf({ username }).username);
  }
  const config = configPathOf(file);
  const found = leasesIn(folder);
  const unknown = found.find(({ lease }) => lease === null);
  const leases = found.flatMap(({ lease }) => (lease === null ? [] : lease));
  const ours = leases.filter((lease) => lease.config === config);
  const [lease] = ours;
  if (lease !== undefined && ours.length === 1 && unknown === undefined) return runFiles(folder, lease.account);
  const problem =
    unknown !== undefined
      ? `${unknown.path} cannot be read, so the bot it belongs to is unknown`
      : ours.length > 0
        ? `bots of several accounts have a lease of ${file} in ${folder} (${ours.map(({ account }) => account).join(', ')})`
        : `no bot of ${file} has a lease in ${folder}` +
          (leases.length === 0
            ? ''
            : `; there are leases of ${leases.map(({ account, config }) => `${account} (${config || 'no file'})`).join(', ')}`);
  throw new OddsmakerError(
    'BOT_UNREACHABLE',
    leases.length === 0 && unknown === undefined
      ? problem
      : `${problem}: set the variable that exchange.username names, or give --env-file`,
  );
}

/** Describes what a reload changed, or would change. */
export function reloadText(
  {
    changed = [],
    later = [],
    replaced = [],
    changes = [],
    untyped,
    warnings = [],
  }: Extract<ControlReply, { ok: true }>,
  isDry: boolean,
): string {
  const values = new Map(changes.map(({ key, before, after }) => [key, `${shown(before)} → ${shown(after)}`]));
  const list = (keys: readonly string[]): string =>
    keys.map((key) => `\n  ${printable(values.has(key) ? `${key}: ${values.get(key) ?? ''}` : key)}`).join('');
  const would = isDry ? 'would ' : '';
  return [
    changed.length === 0 ? 'nothing of the file changes live' : `${would}change live:${list(changed)}`,
    ...(replaced.length === 0 ? [] : [`strategies that ${would}start again:${list(replaced)}`]),
    ...(later.length === 0 ? [] : [`waits for the next start:${list(later)}`]),
    ...(untyped === undefined ? [] : [`types are not checked: ${printable(untyped)}`]),
    ...warnings.map((warning) => `warning: ${printable(warning)}`),
  ].join('\n');
}

const MOST_SHOWN = 120;

/** Formats a value as JSON. Undefined is shown as `none`. */
function shown(value: unknown): string {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
