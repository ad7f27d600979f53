// The reference pages are generated from the code. These tests keep them equal; `npm test -- -u` writes them
// again.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resultSchema } from '../../src/backtest/result.ts';
import { configSchema } from '../../src/config/index.ts';
import { TEXT_KIND } from '../../src/config/schema-values.ts';
import { METRICS, OTHER_METRICS } from '../../src/page/server/metrics.ts';
import { ERROR_CODES } from '../../src/domain/index.ts';
import { after as statusAfter, HAPPENINGS, STATES } from '../account/order-states.ts';
import { eventsIn } from '../support/event-docs.ts';
import { item, wrapped } from '../support/paragraphs.ts';

type Schema = {
  readonly [TEXT_KIND]?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
};

const pageOf = (title: string, ...parts: readonly (string | readonly string[])[]): string =>
  `${[`# ${title} (a generated list)`, ...parts.map((part) => [part].flat().join('\n'))].join('\n\n')}\n`;

function typeOf(schema: Schema): string {
  const kind = schema[TEXT_KIND];
  if (kind !== undefined) return kind === 'age' ? 'duration, days too' : kind;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => String(value)).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'anything' : typeOf(schema.items)}`;
  const bounds = [schema.minimum, schema.maximum].map((bound) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound,
  );
  const above = schema.exclusiveMinimum === undefined ? '' : ` above ${schema.exclusiveMinimum}`;
  if (above !== '') return `${schema.type ?? 'any'}${above}${bounds[1] === undefined ? '' : ` to ${bounds[1]}`}`;
  const range = bounds.every((bound) => bound === undefined) ? '' : ` ${bounds[0] ?? ''}…${bounds[1] ?? ''}`;
  return `${schema.type ?? 'any'}${range}`;
}

type Key = { readonly path: string; readonly schema: Schema };

function keysOf(schema: Schema, path = ''): readonly Key[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    const here = path === '' ? key : `${path}.${key}`;
    if (child.properties !== undefined) return keysOf(child, here);
    // a mapping or null: the page lists the key itself and the keys of the mapping
    const mapping = child.anyOf?.find(({ properties }) => properties !== undefined);
    if (mapping !== undefined) return [{ path: here, schema: child }, ...keysOf(mapping, here)];
    if (child.items?.properties !== undefined) return keysOf(child.items, `${here}[]`);
    return [{ path: here, schema: child }];
  });
}

function itemOf({ path, schema }: Key): string {
  const byDefault = schema.default === undefined ? '' : `, default \`${JSON.stringify(schema.default)}\``;
  return item(`\`${path}\` (${typeOf(schema)}${byDefault}): ${schema.description ?? ''}`);
}

const CONFIG = keysOf(z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Schema);
const isOfWire = ({ path }: Key): boolean => path.startsWith('exchange.profile.');

describe('the reference pages', () => {
  it('docs/reference/errors.md lists every error code', async () => {
    const codes = Object.entries(ERROR_CODES).map(([code, entry]) => ({
      exit: 'exit' in entry ? entry.exit : undefined,
      text: (exit: string) => item(`**\`${code}\`**${exit}. ${entry.means} *Do:* ${entry.remedy}`),
    }));
    const page = pageOf(
      'Errors',
      wrapped(
        'Every error and alert has a code, which the log and the messages show. Each entry states what happened and, after *Do:*, what to do. Values such as paths, ids and reasons are in the message and the fields of the log line.',
      ),
      [
        '## Errors that end a command or the bot',
        '',
        ...codes.flatMap(({ exit, text }) => (exit === undefined ? [] : text(`, exit ${exit}`))),
      ],
      [
        '## Alerts after which the bot continues',
        '',
        ...codes.flatMap(({ exit, text }) => (exit === undefined ? text('') : [])),
      ],
    );
    await expect(page).toMatchFileSnapshot('../../docs/reference/errors.md');
  });

  it('docs/reference/metrics.md lists every metric', async () => {
    const page = pageOf(
      'Metrics',
      wrapped(
        'For operators: the metrics that the admin port of a bot serves to Prometheus under `/metrics` ([watch a bot](../run/watch.md#query-the-admin-port)). Counters begin at 0 when a run starts. In addition, there are the metrics of Node itself, `process_…` and `nodejs_…`.',
      ),
      [...METRICS, ...OTHER_METRICS].map(({ name, type, label, help }) =>
        item(`\`${name}\` (${type}${label === undefined ? '' : `, by \`${label}\``}): ${help}`),
      ),
    );
    await expect(page).toMatchFileSnapshot('../../docs/reference/metrics.md');
  });

  it('docs/reference/events.md lists every event, from its docstring', async () => {
    const page = pageOf(
      'Events',
      wrapped(
        'For programs that read what happened in a run. Events are in three places: the output of `oddsmaker events`, the lines `ev` of [journals](journals.md), and `GET /api/events?types=Fill,…` (or `?types=all`) of the admin port. Each event has a `type`, and the record number `seq` and the time `t` (Unix ms) of the step in which it was raised. Amounts are in micro-dollars; only the risk of an own order is in cents. `fair` is the probability of the market’s first side (home or over). A value that is not known is absent. Your program must ignore fields and types that it does not know, since later versions add some.',
      ),
      wrapped(
        'To resume the stream of the admin port, send the last `seq` that you have as `?after=SEQ` or in the header `Last-Event-ID`. If the bot no longer has all events since then, the first message is a `Gap`: the events between its `after` and its `from` are missing.',
      ),
      eventsIn(
        ['event', 'order-events', 'fill-events', 'persisted']
          .map((name) => readFileSync(`src/domain/${name}.ts`, 'utf8'))
          .join('\n'),
      ).map(({ name, doc, fields }) =>
        item(`**\`${name}\`**: ${doc}${fields.length === 0 ? '' : ` *Fields:* ${fields.join('; ')}.`}`),
      ),
    );
    await expect(page).toMatchFileSnapshot('../../docs/reference/events.md');
  });

  it('docs/reference/backtest-result.schema.json is the schema of result.json', async () => {
    const schema = `${JSON.stringify(z.toJSONSchema(resultSchema), null, 2)}\n`;
    await expect(schema).toMatchFileSnapshot('../../docs/reference/backtest-result.schema.json');
  });

  it('docs/reference/configuration.md lists every key of the YAML file', async () => {
    const parts = Map.groupBy(
      CONFIG.filter((key) => !isOfWire(key)),
      ({ path }) => /^\w+/.exec(path)?.[0] ?? '',
    );
    const page = pageOf(
      'Configuration',
      wrapped(
        'For operators: every key of the YAML file of a bot ([how to write it](../run/configure.md)). Unknown keys are errors. Money is in dollars. Durations are written as `250ms`, `5s`, `10m`, `2h`. Paths are relative to the file. `${NAME}` is replaced by the environment variable of that name. If a value is only `${NAME}`, and the variable reads as a number, true or false, the value has that type where its key allows it. For a strategy parameter that needs text, put `${NAME}` in quotes. `oddsmaker check <config>` prints all settings in force. The settings for how an exchange writes its messages (`exchange.profile`) are on [another page](wire-profile.md).',
      ),
      ...[...parts].map(([part, keys]) => [`## ${part}`, '', ...keys.map(itemOf)]),
    );
    await expect(page).toMatchFileSnapshot('../../docs/reference/configuration.md');
  });

  it('docs/reference/wire-profile.md lists every setting of the wire profile', async () => {
    const page = pageOf(
      'The wire profile',
      wrapped(
        'For operators and client developers: settings for how an exchange writes its messages, where its specification leaves that open. Set them in `exchange.profile` of the YAML file, or with `--profile` of `oddsmaker exchange`. The letter before each description shows how certain the default is: A certain, B high, C medium, D a guess. *spec against B* means that the default follows the specification, although existing clients suggest another value with certainty B. A setting with *(paper exchange)* changes only the paper exchange, not the bot. *family: …* gives the default of the preset `family`.',
      ),
      CONFIG.filter(isOfWire).map(itemOf),
    );
    await expect(page).toMatchFileSnapshot('../../docs/reference/wire-profile.md');
  });

  it('docs/reference/order-states.md shows the states and transitions of an own order', async () => {
    const page = readFileSync(new URL('../../docs/reference/order-states.md', import.meta.url), 'utf8');
    const edges = Object.keys(STATES).flatMap((from) =>
      Object.keys(HAPPENINGS).flatMap((event) => {
        const to = statusAfter(from, event);
        return to === STATES[from]?.status ? [] : [{ arrow: `${from} --> ${to}`, event }];
      }),
    );
    const between = Map.groupBy(edges, ({ arrow }) => arrow);
    const diagram = [...between].map(([arrow, some]) => `  ${arrow}: ${some.map(({ event }) => event).join(', ')}`);
    const made = [
      '```mermaid',
      'stateDiagram-v2',
      '  [*] --> sending',
      ...diagram.map((line) =>
        line
          .replaceAll('never-landed -->', 'never_landed -->')
          .replaceAll('--> never-landed', '--> never_landed')
          .replaceAll('cancelling-unknown -->', 'cancelling_unknown -->')
          .replaceAll('--> cancelling-unknown', '--> cancelling_unknown'),
      ),
      '```',
    ].join('\n');
    const [before = '', after = ''] = page.split(/(?<=<!-- states: .*-->\n)[\s\S]*?(?=<!-- \/states -->)/);
    await expect(`${before}${made}\n${after}`).toMatchFileSnapshot('../../docs/reference/order-states.md');
  });
});
