// Creates the tape recorder of a configuration, for `record` and for a run with `record.dir`.
import { randomBytes } from 'node:crypto';
import type { LoadedConfig } from '../config/index.ts';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { FeedArrival } from '../exchange/index.ts';
import type { Fields, Log } from '../ops/index.ts';
import type { DiskReport } from '../files/index.ts';
import type { Times } from '../tape/index.ts';
import { Recorder } from '../tape/index.ts';

const DEFAULT_DIR = './data/tapes';

/** Folder of the tapes. */
export const tapesOf = ({ config, resolve }: LoadedConfig): string => resolve(config.record.dir ?? DEFAULT_DIR);

/** Creates a recorder. @throws OddsmakerError TAPE_UNWRITABLE when no tape can be written in the folder */
export function recorderFor(
  loaded: LoadedConfig,
  account: { readonly username: string; readonly password: string },
  log: Log,
  session: {
    /** The session token, which is removed from tapes. */
    readonly token: () => string | undefined;
    /** Called when the disk accepts writes again. Data is missing on the tape. */
    readonly resumed?: () => void;
  },
): Recorder {
  const { profile } = loaded.config.exchange;
  const folder = tapesOf(loaded);
  const { problem, resumed } = diskReport(log, { dir: folder });
  try {
    return new Recorder({
      folder,
      run: randomBytes(4).toString('hex'),
      perspective: profile.bookPerspective,
      profile,
      priceNamespace: profile.priceNamespace,
      userNamespace: profile.userNamespace,
      username: account.username,
      secrets: () => [session.token(), account.password],
      problem,
      resumed: (message) => {
        resumed(message);
        session.resumed?.();
      },
    });
  } catch (error) {
    const problem = messageOf(error);
    throw new OddsmakerError('TAPE_UNWRITABLE', `${folder}: no tape can be written here: ${problem}`, {
      cause: error,
    });
  }
}

/** Logs when the disk refuses writes and when it accepts them again. */
export const diskReport = (log: Log, where: Fields): DiskReport => ({
  problem: (message) => {
    log.error(message, where);
  },
  resumed: (message) => {
    log.info(message, where);
  },
});

/** Records one feed message with its time of arrival. */
export function tape(recorder: Recorder, input: FeedArrival, times: Times): void {
  if (input.type === 'frame') recorder.frame(input.feed, input.event, input.data, times);
  else if (input.type === 'long-frame') {
    // the dropped frame is missing: down and up make a player of the tape discard the books before it
    recorder.connection(input.feed, 'down', `a frame of ${input.bytes} bytes was dropped`, times);
    recorder.connection(input.feed, 'up', '', times);
  } else recorder.connection(input.feed, input.status, input.reason ?? '', times);
}
