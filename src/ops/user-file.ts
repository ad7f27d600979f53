// Which user of which exchange an account's name is, as a login reported it: a user may log in under several names, such as an
// e-mail address, and what is kept under one of them holds under all.
import { readObject, writeWhole } from './run-files.ts';

export type KnownUser = { readonly exchange: string; readonly userId: string };

/** Undefined: not known. */
export function readUser(file: string): KnownUser | undefined {
  const { exchange, userId } = readObject(file) ?? {};
  return typeof exchange === 'string' && typeof userId === 'string' ? { exchange, userId } : undefined;
}

/** Throws what the disk says. */
export function keepUser(file: string, user: KnownUser): void {
  const known = readUser(file);
  if (known?.exchange !== user.exchange || known.userId !== user.userId) writeWhole(file, user);
}
