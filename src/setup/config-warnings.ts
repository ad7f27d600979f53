// Warnings for valid settings that are probably not intended. `check` shows them.
import type { Config, LoadedConfig } from '../config/index.ts';
import { EXCHANGE_LIMITS } from '../config/index.ts';
import { moneyText, parseDuration } from '../domain/index.ts';
import { isLoopback, livingOwner } from '../ops/index.ts';
import { runFilesOf } from './run-folder.ts';
import { looseLimits } from './strategy-checks.ts';

const SHORTEST_TOKEN = 16;

type Path = readonly (string | number)[];
type Warn = (path: Path, text: string) => void;

/** Warnings for a configuration, each with file, line, column and key. */
export function configWarnings(loaded: LoadedConfig): readonly string[] {
  const { config, problem } = loaded;
  const warnings: string[] = [];
  const warn: Warn = (path, text) => warnings.push(problem(path, text).message);
  const { exchange } = config;
  warnOfWire(exchange, warn);
  warnOfLimits(exchange.limits, warn);
  warnOfRisk(loaded, warn);
  warnOfParts(config, warn);
  warnOfSelect(loaded, warn);
  warnOfTokens(config.ops, warn);
  warnings.push(...looseLimits(loaded));
  for (const [index, { params }] of config.strategies.entries())
    if (params['edge'] === 0)
      warn(
        ['strategies', index, 'params', 'edge'],
        'with no edge it quotes at its own fair price, and loses to better informed traders',
      );
  if (exchange.embedded === undefined) {
    warnOfGuard(loaded, warn);
    if (config.alerts.length === 0)
      warn(['alerts'], 'no alerts are sent when the bot halts, loses a feed or dies: name a webhook or a command');
  }
  return warnings;
}

/** Warnings for strategies that quote less than the exchange's minimum. */
export function tooSmall(
  { config, problem }: LoadedConfig,
  previews: readonly { readonly index: number; readonly stakes: readonly number[] }[],
): readonly string[] {
  const { minOrderSize } = config.exchange.profile;
  return previews.flatMap(({ index, stakes }) => {
    const least = Math.min(...stakes);
    if (least >= minOrderSize) return [];
    return [
      problem(
        ['strategies', index],
        `it quotes ${moneyText(least)}, and the exchange takes no order below ${moneyText(minOrderSize)} (exchange.profile.minOrderSize): such quotes are never sent`,
      ).message,
    ];
  });
}

function warnOfWire({ embedded, restUrl, socketUrl, lateArrival }: Config['exchange'], warn: Warn): void {
  for (const [key, url] of [
    ['restUrl', restUrl],
    ['socketUrl', socketUrl],
  ] as const) {
    if (embedded !== undefined || url === undefined) continue;
    if (isUnencrypted(url)) warn(['exchange', key], 'password and orders cross the network unencrypted: use https');
    warnOfAddress(key, url, warn);
  }
  if (lateArrival === 0)
    warn(
      ['exchange', 'lateArrival'],
      'a request without an answer counts as lost at once, but may still arrive: the bot would not know its order',
    );
}

/** Warns of URLs that break when namespaces and paths are appended to them as text. */
function warnOfAddress(key: 'restUrl' | 'socketUrl', url: string, warn: Warn): void {
  const { origin, pathname, search, hash } = new URL(url);
  if (search + hash !== '')
    warn(
      ['exchange', key],
      `a path is appended to it, behind its ${search === '' ? 'fragment' : 'query'}: leave that out`,
    );
  else if (key === 'socketUrl' && pathname !== '/')
    warn(
      ['exchange', key],
      `the feeds' namespaces are appended to it, so ${pathname} becomes part of them: it is probably ${origin} (exchange.profile has priceNamespace, userNamespace and socketPath)`,
    );
}

function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

function warnOfLimits(limits: Config['exchange']['limits'], warn: Warn): void {
  for (const lane of ['place', 'cancel'] as const) {
    const { requests, window } = limits[lane];
    const exchangeLimit = EXCHANGE_LIMITS[lane];
    const maxRequests = Math.ceil((parseDuration(exchangeLimit.window) ?? 0) / window) * requests;
    if (maxRequests > exchangeLimit.requests)
      warn(
        ['exchange', 'limits', lane],
        `up to ${maxRequests} in ${exchangeLimit.window}, where the exchange takes ${exchangeLimit.requests}: it answers the rest with 429`,
      );
  }
}

function warnOfRisk({ config: { exchange, risk }, sets }: LoadedConfig, warn: Warn): void {
  const { maxOrderRisk, maxGameLoss, maxTotalLoss, maxDailyLoss, haltAtLoss } = risk;
  if (maxTotalLoss < maxGameLoss)
    warn(
      ['risk', 'maxTotalLoss'],
      `$${maxTotalLoss} in all is less than $${maxGameLoss} in one game: maxGameLoss never binds`,
    );
  // not for the default maxOrderRisk: a smaller maxGameLoss implies smaller orders
  if (sets(['risk', 'maxOrderRisk']) && maxOrderRisk > maxGameLoss)
    warn(
      ['risk', 'maxOrderRisk'],
      `one order of $${maxOrderRisk} may lose more than maxGameLoss ($${maxGameLoss}): it is never sent`,
    );
  const without = BAND_WARNINGS[risk.bandWithout];
  if (without !== undefined) warn(['risk', 'bandWithout'], without);
  if (exchange.embedded === undefined && maxDailyLoss === null && haltAtLoss === null)
    warn(['risk'], 'no loss stops it: set maxDailyLoss (dollars a day), and haltAtLoss (dollars a run)');
}

function warnOfParts({ markets }: Config, warn: Warn): void {
  const { periods, props, futures } = markets;
  if (periods === null)
    warn(
      ['markets', 'periods'],
      'null quotes every part of a game that the feed announces, lets each lose maxGameLoss by itself, and leaves props and futures without effect: list the periods',
    );
  else if (periods.length === 0 && !props && !futures)
    warn(['markets', 'periods'], 'nothing is quoted: it lists no period, and neither props nor futures are on');
}

function warnOfSelect({ config, sets }: LoadedConfig, warn: Warn): void {
  const { by } = config.markets.select;
  for (const key of ['most', 'gates'])
    if (by === 'all' && sets(['markets', 'select', key]))
      warn(['markets', 'select', key], 'it has no effect with by: all; for the best markets set by: value');
}

/** Warns of tokens short enough to guess, when the port is open to other machines. */
function warnOfTokens({ host, token, viewToken }: Config['ops'], warn: Warn): void {
  if (isLoopback(host)) return;
  for (const [key, text] of Object.entries({ token, viewToken }))
    if (text !== null && text !== '' && text.length < SHORTEST_TOKEN)
      warn(
        ['ops', key],
        `${host} is reached by others, and ${text.length} characters can be guessed: take ${SHORTEST_TOKEN} or more at random, such as from \`openssl rand -hex 16\``,
      );
}

/** Warnings by `risk.bandWithout`. Undefined for `hold`. */
const BAND_WARNINGS: Readonly<Record<Config['risk']['bandWithout'], string | undefined>> = {
  hold: undefined,
  own: "without a consensus priceBand uses the strategy's own fair price: a mistake in it is offered unchecked",
  off: 'without a consensus nothing bounds a price: in an empty book any price is offered, even −1328 at a fair price of .05',
};

function warnOfGuard(loaded: LoadedConfig, warn: Warn): void {
  if (livingOwner(runFilesOf(loaded).guard) === undefined)
    warn(
      ['guard'],
      `no guard watches this account: when the bot hangs, its orders stay; run \`oddsmaker guard ${loaded.file}\` as well`,
    );
}
