// The files through which the processes of one account find each other: lease, heartbeat, fence and control
// socket, beside the journal and named after the account. Bot, guard and ctl compute the same names from the
// same configuration, whatever the case of the account name. Existing files keep their names.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountKey, systemCodeOf } from '../domain/index.ts';

export type RunFiles = {
  readonly account: string;
  /** Configuration file of the bot; empty when there is none. */
  readonly config: string;
  readonly folder: string;
  readonly lease: string;
  readonly heartbeat: string;
  readonly fence: string;
  /** State that survives restarts. */
  readonly standing: string;
  /** The bot's resting orders, for an exchange that reports no references. */
  readonly resting: string;
  /** Folder of the values that strategies keep over restarts. */
  readonly persisted: string;
  /** Token of the page when the configuration names none. */
  readonly pageToken: string;
  /** The exchange user of the account. Named after the account as written, in lower case. */
  readonly user: string;
  /** The guard process that watches the bot. */
  readonly guard: string;
  readonly socket: string;
  /** Path of the control socket when `socket` is too long or its file system has no sockets. */
  readonly spareSocket: string;
  /**
   * Files of the account in other spellings: versions before 0.3 took each spelling for a separate account.
   */
  readonly others: readonly Pick<RunFiles, 'lease' | 'fence' | 'standing'>[];
};

/** The kernel keeps 108 bytes for the path of a socket, 104 on some systems. */
const LONGEST_SOCKET_PATH = 100;
const LONGEST_NAME = 120;

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24);

/** An account name as a file name: characters with a meaning for file systems are percent-encoded. */
export function fileNameOf(account: string): string {
  const name = encodeURIComponent(account).replace(/[!'()*~]|^\./g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, 60)}-${digest(account)}`;
}

/** Endings that show that an account has files in a folder. */
const ENDINGS = ['standing', 'fence', 'lease', 'heartbeat', 'guard'] as const;

const USER_ENDING = 'user';
const userFileOf = (folder: string, account: string): string =>
  join(folder, `${fileNameOf(accountKey(account))}.${USER_ENDING}`);

/** File names of the account in this folder, and those of other names of its user; lower case first. */
function namesIn(folder: string, account: string): readonly string[] {
  const long = fileNameOf(account);
  const key = accountKey(account);
  const entries = entriesOf(folder);
  const names = entries.flatMap((entry) => {
    const dot = entry.lastIndexOf('.');
    const ending: string = entry.slice(dot + 1);
    return dot > 0 && ENDINGS.some((known) => known === ending) ? entry.slice(0, dot) : [];
  });
  const keys = new Set([key, ...otherNamesIn(folder, entries, key)]);
  const isOfAccount = (name: string): boolean => name === long || keys.has(accountKey(accountOf(name)));
  const isLower = (name: string): number => Number(name === fileNameOf(accountKey(accountOf(name))));
  return [...new Set(names)].filter(isOfAccount).sort((a, b) => isLower(b) - isLower(a) || (a < b ? -1 : 1));
}

/** Other names under which the same exchange user logged in here. */
function otherNamesIn(folder: string, entries: readonly string[], key: string): readonly string[] {
  const own = fileText(userFileOf(folder, key));
  if (own === undefined) return [];
  return entries.flatMap((entry) =>
    entry.endsWith(`.${USER_ENDING}`) && fileText(join(folder, entry)) === own
      ? accountKey(accountOf(entry.slice(0, -USER_ENDING.length - 1)))
      : [],
  );
}

function fileText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The account of a file name. A shortened file name gives no real account name. */
function accountOf(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

export function runFiles(folder: string, account: string, config = ''): RunFiles {
  const [name = fileNameOf(accountKey(account)), ...others] = namesIn(folder, account);
  const inFolder = (base: string, ending: string): string => join(folder, `${base}.${ending}`);
  const fileOf = (ending: string): string => inFolder(name, ending);
  const socket = fileOf('sock');
  const spareSocket = join(tmpdir(), `oddsmaker-${digest(socket)}.sock`);
  return {
    account,
    config,
    folder,
    lease: fileOf('lease'),
    heartbeat: fileOf('heartbeat'),
    fence: fileOf('fence'),
    standing: fileOf('standing'),
    resting: fileOf('resting'),
    persisted: fileOf('persisted'),
    pageToken: fileOf('page-token'),
    user: userFileOf(folder, account),
    guard: fileOf('guard'),
    socket: Buffer.byteLength(socket) <= LONGEST_SOCKET_PATH ? socket : spareSocket,
    spareSocket,
    others: others.map((other) => ({
      lease: inFolder(other, 'lease'),
      fence: inFolder(other, 'fence'),
      standing: inFolder(other, 'standing'),
    })),
  };
}

/** Open flags for files with guessable names: a symbolic link in their place is never followed. */
export const NEW_TEXT = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
export const IN_PLACE = constants.O_RDWR | constants.O_NOFOLLOW;

/** Writes a whole file or nothing: readers never see half of it. `durable`: it also survives a power cut. */
export function writeWhole(file: string, value: unknown, durable = false): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    const fd = openSync(draft, NEW_TEXT, 0o600);
    try {
      writeSync(fd, inRoom(value));
      if (durable) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true, recursive: true });
    throw error;
  }
}

/** Size of files that are overwritten in place, bytes: the new content fits into the old file. */
const ROOM_BYTES = 1024;

/** A JSON line padded with blanks, which JSON allows. */
export const inRoom = (value: unknown): string => `${JSON.stringify(value).padEnd(ROOM_BYTES - 1)}\n`;

/** Overwrites an existing file in place, which works on a full disk. Throws when there is no file. */
export function overwrite(file: string, value: unknown, durable = false): void {
  const fd = openSync(file, IN_PLACE);
  try {
    const text = inRoom(value);
    writeSync(fd, text, 0);
    ftruncateSync(fd, Buffer.byteLength(text));
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object in a file; undefined when there is no file, null when it is something else. */
export function readObject(file: string): JsonObject | undefined | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT' ? undefined : null;
  }
  return objectIn(text);
}

/** Parses a JSON object. Null: it is something else. */
export function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
