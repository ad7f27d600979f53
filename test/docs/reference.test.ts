// The reference pages are made from the code, and these tests keep them equal: `npm test -- -u` writes them anew.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resultSchema } from '../../src/backtest/result.ts';
import { configSchema } from '../../src/config/index.ts';
import { TEXT_KIND } from '../../src/config/schema.ts';
import { METRICS } from '../../src/ops/metrics.ts';
import { ERROR_CODES } from '../../src/domain/index.ts';
import { after as statusAfter, HAPPENINGS, STATES } from '../account/order-life.ts';

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
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

function typeOf(schema: Schema): string {
  const kind = schema[TEXT_KIND];
  if (kind !== undefined) return kind === 'age' ? 'duration, days too' : kind;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => String(one)).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.type === 'array')
    return `list of ${schema.items === undefined ? 'anything' : typeOf(schema.items)}`;
  const bounds = [schema.minimum, schema.maximum].map((bound) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound,
  );
  const range = bounds.every((bound) => bound === undefined) ? '' : ` ${bounds[0] ?? ''}…${bounds[1] ?? ''}`;
  return `${schema.type ?? 'any'}${range}`;
}

function rowsOf(schema: Schema, path: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    const here = path === '' ? key : `${path}.${key}`;
    if (child.properties !== undefined) return rowsOf(child, here);
    if (child.items?.properties !== undefined) return rowsOf(child.items, `${here}[]`);
    return [
      [
        `\`${here}\``,
        typeOf(child),
        child.default === undefined ? '' : `\`${JSON.stringify(child.default)}\``,
        child.description ?? '',
      ],
    ];
  });
}

describe('the reference pages', () => {
  it('docs/errors.md lists every error code', async () => {
    const rows = Object.entries(ERROR_CODES).map(([code, entry]) => [
      `\`${code}\``,
      'exit' in entry ? String(entry.exit) : '',
      entry.means,
      entry.remedy,
    ]);
    const page = `# Errors\n\nEvery refusal, fault and exit of ours. A code with an exit ends the process; the others are logged and the bot goes on.\n\n${table(['code', 'exit', 'meaning', 'what to do'], rows)}\n`;
    await expect(page).toMatchFileSnapshot('../../docs/errors.md');
  });

  it('docs/metrics.md lists every metric', async () => {
    const rows = METRICS.map(({ name, type, label, help }) => [`\`${name}\``, type, label ?? '', help]);
    const page = [
      '# Metrics',
      '',
      'What `/metrics` of the admin port tells Prometheus ([operations.md](operations.md#watching-it)). Counters begin with the run.',
      'Memory, processor time, pauses for garbage and lags of the event loop come on top, as `process_…` and `nodejs_…`.',
      '',
      table(['metric', 'type', 'label', 'what'], rows),
      '',
    ].join('\n');
    await expect(page).toMatchFileSnapshot('../../docs/metrics.md');
  });

  it('docs/backtest-result.schema.json is the schema of result.json', async () => {
    const schema = `${JSON.stringify(z.toJSONSchema(resultSchema), null, 2)}\n`;
    await expect(schema).toMatchFileSnapshot('../../docs/backtest-result.schema.json');
  });

  it('docs/configuration.md lists every key of the YAML file', async () => {
    const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Schema;
    const page = [
      '# Configuration',
      '',
      'One YAML file. Unknown keys are errors; `${NAME}` takes the environment; money is in dollars; durations are written',
      '`250ms`, `5s`, `10m`, `2h`; paths are relative to the file. `oddsmaker check <config>` prints what is in force.',
      'A `${NAME}` that stands alone is a number, true or false where it says one and the key wants one; strategies get text for it in quotes.',
      '',
      table(['key', 'value', 'default', 'meaning'], rowsOf(schema, '')),
      '',
    ].join('\n');
    await expect(page).toMatchFileSnapshot('../../docs/configuration.md');
  });

  it('docs/order-manager.md shows the states and transitions of an own order', async () => {
    const page = readFileSync(new URL('../../docs/order-manager.md', import.meta.url), 'utf8');
    const edges = Object.keys(STATES).flatMap((from) =>
      Object.keys(HAPPENINGS).flatMap((event) => {
        const to = statusAfter(from, event);
        return to === STATES[from]?.status ? [] : [{ from, event, to }];
      }),
    );
    const between = Map.groupBy(edges, ({ from, to }) => `${from} --> ${to}`);
    const diagram = [...between].map(
      ([arrow, some]) => `  ${arrow}: ${some.map(({ event }) => event).join(', ')}`,
    );
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
      '',
      table(
        ['state', 'what happens', 'belief then'],
        edges.map(({ from, event, to }) => [from, event, to]),
      ),
    ].join('\n');
    const [before = '', after = ''] = page.split(/(?<=<!-- states: .*-->\n)[\s\S]*?(?=<!-- \/states -->)/);
    await expect(`${before}${made}\n${after}`).toMatchFileSnapshot('../../docs/order-manager.md');
  });
});
