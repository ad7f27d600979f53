// The files for operators in `ops`: rules for Prometheus, checked by promtool, and a dashboard made from the
// metrics.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ERROR_CODES } from '../../src/domain/index.ts';
import { METRICS, OTHER_METRICS } from '../../src/page/server/metrics.ts';
import { ROOT } from '../support/children.ts';
import { dashboard } from '../support/grafana.ts';

const OPS = join(ROOT, 'ops');
const NAMES = new Set([...METRICS, ...OTHER_METRICS].map(({ name }): string => name));
const read = (file: string): string => readFileSync(join(OPS, file), 'utf8');

describe('the rules for Prometheus', () => {
  it.each([
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('pass promtool %s %s %s', (...args) => {
    expect(execFileSync('promtool', args, { cwd: OPS, encoding: 'utf8' })).toContain('SUCCESS');
  });

  it('query metrics that exist', () => {
    const asked = [...read('alerts.yml').matchAll(/oddsmaker_\w+/g)].map(([name]) => name);
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.filter((name) => !NAMES.has(name))).toEqual([]);
  });
});

describe('the runbook', () => {
  const text = readFileSync(join(ROOT, 'docs/runbook-alerts.md'), 'utf8');
  const named = new Set([...text.matchAll(/\b[A-Z][A-Z_]{3,}\b|\bOddsmaker[A-Z]\w+/g)].map(([name]) => name));

  it('names each alert', () => {
    const codes = Object.entries(ERROR_CODES).flatMap(([code, entry]) => ('exit' in entry ? [] : [code]));
    const rules = [...read('alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
    const standing = [...readFileSync(join(ROOT, 'src/ops/alert-rules.ts'), 'utf8').matchAll(/\('([A-Z_]{4,})'/g)];
    const all = [...codes, ...rules, ...standing.map(([, name = '']) => name)];
    expect(all.length).toBeGreaterThan(60);
    expect(all.filter((name) => !named.has(name))).toEqual([]);
  });

  it('names only alerts that exist', () => {
    const sources = [
      'src/domain/end-codes.ts',
      'src/domain/alert-codes.ts',
      'src/ops/alert-rules.ts',
      'src/live/bot-alerts.ts',
      'src/cli/guard.ts',
      'src/ops/guard.ts',
      'src/cli/alert.ts',
      'src/ops/safety-net.ts',
      'src/ops/journal-health.ts',
      'ops/alerts.yml',
    ];
    const known = sources.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
  });
});

it('ops/docker has a Prometheus configuration that promtool accepts', () => {
  const workFolder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  try {
    cpSync(join(OPS, 'alerts.yml'), join(workFolder, 'alerts.yml'));
    const text = read('docker/prometheus.yml');
    expect(text).toContain('/run/secrets/view-token');
    writeFileSync(join(workFolder, 'view-token'), 'x');
    writeFileSync(join(workFolder, 'prometheus.yml'), text.replace('/run/secrets/', ''));
    const output = execFileSync('promtool', ['check', 'config', 'prometheus.yml'], {
      cwd: workFolder,
      encoding: 'utf8',
    });
    expect(output).toContain('SUCCESS');
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
});

it('ops/docker has an Alertmanager configuration whose routes name existing receivers', () => {
  const { route, receivers } = parse(read('docker/alertmanager.yml')) as {
    readonly route: { readonly receiver: string; readonly routes: readonly { readonly receiver: string }[] };
    readonly receivers: readonly { readonly name: string }[];
  };
  const names = new Set(receivers.map(({ name }) => name));
  expect([route, ...route.routes].filter(({ receiver }) => !names.has(receiver))).toEqual([]);
  expect(read('docker/compose.yaml')).toContain('alert-url: { file: ./secrets/alert-url }');
  expect(read('docker/prometheus.yml')).toContain('alertmanager:9093');
});

it('ops/grafana.json has six sections of status numbers with valid queries, and no overlapping panels', () => {
  const { panels, annotations } = dashboard() as {
    readonly panels: readonly {
      readonly type: string;
      readonly title: string;
      readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
      readonly targets?: readonly { readonly expr: string }[];
    }[];
    readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  };
  expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
    ...['Is it quoting?', 'Is it safe?', 'What did it make?', 'Why not?', 'The exchange', 'The process'],
  ]);
  expect(panels.filter(({ type }) => type === 'stat')).toHaveLength(36);
  // each metric of a query exists, and promtool accepts each query
  const queries = [...panels.flatMap(({ targets = [] }) => targets), ...annotations.list].map(({ expr }) =>
    expr.replaceAll('$instance', '.+').replaceAll('$__rate_interval', '1m'),
  );
  const asked = queries.flatMap((expr) => [...expr.matchAll(/oddsmaker_\w+/g)].map(([name]) => name));
  expect(asked.filter((name) => !NAMES.has(name.replace(/_bucket$/, '')))).toEqual([]);
  const workFolder = mkdtempSync(join(tmpdir(), 'queries-'));
  try {
    const rules = queries.map((expr, index) => ({ record: `query_${index}`, expr }));
    writeFileSync(join(workFolder, 'queries.yml'), JSON.stringify({ groups: [{ name: 'queries', rules }] }));
    const output = execFileSync('promtool', ['check', 'rules', join(workFolder, 'queries.yml')], { encoding: 'utf8' });
    expect(output).toContain('SUCCESS');
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
  // no two panels overlap
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

it('ops/grafana.json has a panel for each metric', async () => {
  const made = dashboard() as {
    readonly panels: readonly { readonly type: string; readonly targets?: unknown }[];
  };
  expect(made.panels.filter(({ type }) => type === 'timeseries')).toHaveLength(NAMES.size);
  const text = JSON.stringify(made.panels);
  for (const name of NAMES) expect(text).toMatch(new RegExp(`${name}(_bucket)?\\{`));
  await expect(`${JSON.stringify(made, null, 2)}\n`).toMatchFileSnapshot('../../ops/grafana.json');
});
