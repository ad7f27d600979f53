// What ships for operators in `ops`: rules for Prometheus, held by promtool, and a dashboard made from the metrics.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { METRICS, OTHER_METRICS } from '../../src/ops/metrics.ts';
import { ROOT } from '../support/children.ts';
import { dashboard } from '../support/grafana.ts';

const OPS = join(ROOT, 'ops');
const NAMES = new Set([...METRICS, ...OTHER_METRICS].map(({ name }): string => name));
const read = (file: string): string => readFileSync(join(OPS, file), 'utf8');

describe('the rules for Prometheus', () => {
  it.each([
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('hold: promtool %s %s %s', (...args) => {
    expect(execFileSync('promtool', args, { cwd: OPS, encoding: 'utf8' })).toContain('SUCCESS');
  });

  it('ask for metrics that there are', () => {
    const asked = [...read('alerts.yml').matchAll(/oddsmaker_\w+/g)].map(([name]) => name);
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.filter((name) => !NAMES.has(name))).toEqual([]);
  });
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
