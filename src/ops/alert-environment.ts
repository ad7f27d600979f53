// The environment of an alert command: what any program needs, what is named for it, and nothing else. The
// secrets of the bot are in its own environment, and a script that logs its environment must not log them.

/** Variables that a program needs to run and to use the network. */
const NEEDED: readonly string[] = [
  ...['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
];
/** Prefix of variables that are meant for alert commands. */
const FOR_ALERTS = 'ODDSMAKER_ALERT_';

export type AlertEnvironment = {
  readonly given: Readonly<Record<string, string>>;
  /** Names given for the command that are not set here. */
  readonly missing: readonly string[];
};

/** @param names further variables: `alerts[].env` */
export function alertEnvironment(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): AlertEnvironment {
  const isGiven = (name: string): boolean =>
    NEEDED.includes(name) || names.includes(name) || name.startsWith(FOR_ALERTS);
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined && isGiven(name)) given[name] = value;
  return { given, missing: names.filter((name) => env[name] === undefined) };
}
