// A file that is written piece by piece and appears when it is complete.
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import { dropAtExit } from '../files/index.ts';

export type DraftFile = {
  /** @throws OddsmakerError OUT_UNWRITABLE */
  readonly push: (bytes: Uint8Array) => void;
  /** @throws OddsmakerError OUT_UNWRITABLE */
  readonly keep: () => void;
  /** Deletes what was written, unless it was kept. */
  readonly drop: () => void;
  /** The error OUT_UNWRITABLE for an error of what makes the bytes. */
  readonly failed: (error: unknown) => OddsmakerError;
};

/** @throws OddsmakerError OUT_UNWRITABLE */
export function openDraft(file: string): DraftFile {
  const draft = `${file}.${process.pid}.draft`;
  const failed = (error: unknown): OddsmakerError =>
    error instanceof OddsmakerError
      ? error
      : new OddsmakerError('OUT_UNWRITABLE', `${file}: it cannot be written: ${messageOf(error)}`);
  const attempt = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw failed(error);
    }
  };
  const fd = attempt(() => openSync(draft, 'w'));
  let isOpen = true;
  const remove = (): void => {
    rmSync(draft, { force: true });
  };
  const forget = dropAtExit(remove);
  const close = (): void => {
    if (isOpen) closeSync(fd);
    forget();
    isOpen = false;
  };
  return {
    push: (bytes) => {
      attempt(() => {
        for (let offset = 0; offset < bytes.length; offset += writeSync(fd, bytes, offset));
      });
    },
    keep: () => {
      close();
      try {
        renameSync(draft, file);
      } catch (error) {
        remove();
        throw failed(error);
      }
    },
    drop: () => {
      if (!isOpen) return;
      close();
      remove();
    },
    failed,
  };
}
