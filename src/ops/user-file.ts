// Keeps the exchange user of an account name as reported by a login. A user may log in under several names,
// such as an e-mail address, and state that is kept under one of them holds under all.
import { readObject, writeWhole } from './run-files.ts';

export type KnownUser = { readonly exchange: string; readonly userId: string };

/** Reads the user. Undefined: not known. */
export function readUser(file: string): KnownUser | undefined {
  const { exchange, userId } = readObject(file) ?? {};
  return typeof exchange === 'string' && typeof userId === 'string' ? { exchange, userId } : undefined;
}

/** Writes the user if it changed. Throws the errors of the disk. */
export function keepUser(file: string, user: KnownUser): void {
  const known = readUser(file);
  if (known?.exchange !== user.exchange || known.userId !== user.userId) writeWhole(file, user);
}
