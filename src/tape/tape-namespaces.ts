// The namespaces of a tape's feeds, where its recorded profile names them.
import { isRecord, readText } from '../wire/index.ts';

export function namespacesOf(profile: unknown): {
  readonly namespace?: string;
  readonly userNamespace?: string;
} {
  const textOf = (name: string): string | undefined => (isRecord(profile) ? readText(profile[name]) : undefined);
  const namespace = textOf('priceNamespace');
  const userNamespace = textOf('userNamespace');
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(userNamespace === undefined ? {} : { userNamespace }),
  };
}
