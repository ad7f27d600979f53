// The feeds of a tape, where the profile of the recorded exchange names them.
import { isRecord, readText } from '../wire/index.ts';

export function namespacesOf(profile: unknown): {
  readonly namespace?: string;
  readonly userNamespace?: string;
} {
  const told = (name: string): string | undefined => (isRecord(profile) ? readText(profile[name]) : undefined);
  const namespace = told('priceNamespace');
  const userNamespace = told('userNamespace');
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(userNamespace === undefined ? {} : { userNamespace }),
  };
}
