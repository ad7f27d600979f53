// The recorder of a configuration, for `record` and for a run with `record.dir`.
import { randomBytes } from 'node:crypto';
import type { LoadedConfig } from '../config/index.ts';
import type { FeedInput } from '../exchange/index.ts';
import type { Log } from '../ops/index.ts';
import { Recorder } from '../record/recorder.ts';

const DEFAULT_DIR = './data/tapes';

/** Where its tapes are. */
export const tapesOf = ({ config, resolve }: LoadedConfig): string =>
  resolve(config.record.dir ?? DEFAULT_DIR);

/** `token`: the session's, which must not be on a tape. */
export const recorderFor =
  (
    loaded: LoadedConfig,
    account: { readonly username: string; readonly password: string },
    log: Log,
  ): ((token: () => string | undefined) => Recorder) =>
  (token) => {
    const { profile } = loaded.config.exchange;
    return new Recorder({
      folder: tapesOf(loaded),
      run: randomBytes(4).toString('hex'),
      perspective: profile.bookPerspective,
      profile,
      priceNamespace: profile.priceNamespace,
      userNamespace: profile.userNamespace,
      username: account.username,
      secrets: () => [token(), account.password],
      problem: (message) => {
        log.error(message, { dir: tapesOf(loaded) });
      },
    });
  };

/** One message of a feed, at the moment it came. */
export function tape(recorder: Recorder, input: FeedInput): void {
  const times = { t: Date.now(), mono: performance.now() };
  if (input.type === 'frame') recorder.frame(input.feed, input.event, input.data, times);
  else recorder.connection(input.feed, input.status, input.reason ?? '', times);
}
