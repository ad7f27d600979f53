// clients/python: the client of a bot for notebooks, with the standard library alone and with Debian's pandas.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BIN, folder, ROOT } from '../support/children.ts';
import { eventually, scene } from '../guard/fixtures.ts';

const CLIENT = join(ROOT, 'clients/python');
const SAMPLE = join(ROOT, 'examples/sample.ndjson.zst');
const CONFIG = join(ROOT, 'examples/sample.yaml');
/** The Python of Debian, for which its package of pandas is. */
const PANDAS = '/usr/bin/python3';
const hasPandas = spawnSync(PANDAS, ['-c', 'import pandas']).status === 0;
const ENV = {
  ...process.env,
  PYTHONPATH: CLIENT,
  PYTHONDONTWRITEBYTECODE: '1',
  ODDSMAKER: `${process.execPath} --conditions=oddsmaker-source ${BIN}`,
};

const python = async (code: string, { bin = 'python3', env = ENV } = {}): Promise<string> =>
  (await promisify(execFile)(bin, ['-c', code], { env, maxBuffer: 1 << 24 })).stdout;
/** Runs code that sees no data frames, and prints JSON. */
const plain = async (code: string): Promise<unknown> =>
  JSON.parse(
    await python(`import sys\nsys.modules["pandas"] = sys.modules["polars"] = None\nimport json, oddsmaker\n${code}`),
  );

function file(name: string, text: string): string {
  const path = join(folder(), name);
  writeFileSync(path, text);
  return path;
}

describe('tables', () => {
  it('are lists of dicts without pandas: numbers, UTC times, flags, texts; an empty cell is None', async () => {
    const csv = file(
      'fills.csv',
      `time,market,side,order,odds,risk,in_play,reason,f0\n2030-11-16T18:00:00.000Z,g/moneyline,home,0071,-110,20,true,"'=fair",\n`,
    );
    expect(
      await plain(`rows = oddsmaker.read_fills(${JSON.stringify(csv)})
rows[0]["time"] = rows[0]["time"].isoformat()
print(json.dumps(rows))`),
    ).toEqual([
      {
        ...{ time: '2030-11-16T18:00:00+00:00', market: 'g/moneyline', side: 'home', order: '0071', odds: -110 },
        ...{ risk: 20, in_play: true, reason: '=fair', f0: null },
      },
    ]);
  });

  it('have the series that strategies logged, with names as texts', async () => {
    const csv = file(
      'series.csv',
      'scenario,time,strategy,game,market,name,value,run\nlive,2030-11-16T18:00:00.000Z,main,g1,,7,0.5,r1\n',
    );
    expect(
      await plain(`rows = oddsmaker.read_series(${JSON.stringify(csv)})
print(json.dumps([rows[0]["name"], rows[0]["value"], rows[0]["market"]]))`),
    ).toEqual(['7', 0.5, null]);
  });

  it.skipIf(!hasPandas)('are data frames with pandas, with a backtest by parameters', async () => {
    const code = `import json, oddsmaker
run = oddsmaker.run_backtest(${JSON.stringify(CONFIG)}, tape=${JSON.stringify(SAMPLE)}, out=${JSON.stringify(folder())},
  params={"main.edge": 0.03}, fills="pessimistic", to="2030-11-16T18:00Z")
fills = run.fills
print(json.dumps([type(fills).__module__, str(fills.time.dtype), len(fills), run.result["scenarios"]["pessimistic"]["fills"],
  run.report["scenarios"]["pessimistic"]["identity"]["fills"] + run.report["scenarios"]["pessimistic"]["identity"]["open"]]))`;
    const [module, dtype, rows, fills, reported] = JSON.parse(
      await python(code, { bin: PANDAS }),
    ) as readonly unknown[];
    expect([module, dtype]).toEqual(['pandas.core.frame', 'datetime64[ns, UTC]']);
    expect(rows).toBeGreaterThan(0);
    expect([fills, reported]).toEqual([rows, rows]);
  });

  it('name a table of another kind, a missing file and a failing command clearly', async () => {
    const failing = async (code: string): Promise<string> =>
      python(
        `import sys\nsys.modules["pandas"] = None\nimport oddsmaker\ntry:\n  ${code}\nexcept Exception as error:\n  print(type(error).__name__, error)`,
      );
    expect(await failing('oddsmaker.read_fills("nothing")')).toContain(
      'FileNotFoundError nothing: there is no such file',
    );
    expect(await failing(`oddsmaker.read_fills(${JSON.stringify(SAMPLE)})`)).toMatch(
      /^CommandError .*ended with 65: .*a tape has no fills/,
    );
    const parquet = file('fills.parquet', 'PAR1 of another schema');
    expect(await failing(`oddsmaker.read_fills(${JSON.stringify(parquet)})`)).toMatch(
      /Parquet needs pyarrow|ArrowInvalid/,
    );
    const other = [file('other.csv', 'a,odds\n1,-110\n'), file('other.jsonl', '{"a": 1, "odds": -110}\n')];
    for (const path of other)
      expect(await failing(`oddsmaker.read_fills(${JSON.stringify(path)})`)).toBe(
        `ValueError ${path}: this is no table of fills: it has no column market, side, risk; its columns are a, odds\n`,
      );
    // a stand-in for pyarrow, which Debian 12 does not have
    const readable = (names: string): string =>
      `import types; table = types.SimpleNamespace(column_names=${names}, to_pylist=lambda: [{"market": "m"}]); pq = types.ModuleType("pyarrow.parquet"); pq.read_table = lambda path: table; arrow = types.ModuleType("pyarrow"); arrow.parquet = pq; sys.modules.update({"pyarrow": arrow, "pyarrow.parquet": pq}); `;
    const read = (names: string): Promise<string> =>
      failing(`${readable(names)}print(oddsmaker.read_fills(${JSON.stringify(parquet)}))`);
    expect(await read('["time", "odds"]')).toBe(
      `ValueError ${parquet}: this is no table of fills: it has no column market, side, risk; its columns are time, odds\n`,
    );
    expect(await read('["market", "side", "odds", "risk"]')).toBe("[{'market': 'm'}]\n");
    expect(await failing('oddsmaker.read_fills("nothing.parquet")')).toContain('there is no such file');
    expect(await failing('oddsmaker.connect("http://127.0.0.1:1", "nothing")')).toContain(
      'nothing: there is no such file',
    );
  });
});

describe('a running bot', () => {
  it('takes signals, and its events arrive; a wrong token is a clear error', async () => {
    const own = `strategies:\n  - { use: ${join(ROOT, 'strategies/own-price.ts')}, id: own, params: { edge: 0.02, risk: 50 } }\nsignals: { http: true }\n`;
    const { startBot, ctl, quotes, status } = await scene(own);
    const bot = startBot();
    await eventually('markets are quoted', async () => (await status().catch(() => undefined))?.['markets'] === 2);
    const markets = (JSON.parse((await ctl('markets', '--json')).stdout) as readonly { market: string }[]).map(
      ({ market }) => market,
    );
    const [, url = '', token = ''] = /"url":"(http:[^"]+)"[^\n]*#token=([\w-]+)/.exec(bot.output.stderr) ?? [];
    const tokenFile = file('token', `${token}\n`);
    const answer = await plain(`bot = oddsmaker.connect(${JSON.stringify(url)}, ${JSON.stringify(tokenFile)})
sent = bot.signals.push({"fair:" + market: 0.6 for market in ${JSON.stringify(markets)}}, ttl="30s")
event = next(event for event in bot.events(types=["OrderSubmitted", "OrderRested", "Sample"]) if "type" in event)
print(json.dumps([sent, event["type"], bot.status()["markets"]]))`);
    expect(answer).toEqual([{ accepted: 2, unknown: [] }, expect.any(String), 2]);
    await quotes(2);
    const wrong = await python(`import oddsmaker
try:
  oddsmaker.connect(${JSON.stringify(url)}, ${JSON.stringify(file('wrong', 'no'))}).signals.push({})
except oddsmaker.ClientError as error:
  print(error.status)`);
    expect(wrong.trim()).toBe('401');
    bot.child.kill('SIGINT');
    expect((await bot.ended).code).toBe(0);
  }, 60_000);
});

describe('the wheel', () => {
  it('is built by the standard library, the same each time, and holds the typed package', async () => {
    const [first, second] = [folder(), folder()].map((out) => {
      const printed = execFileSync('python3', [join(CLIENT, 'build_backend.py'), out], { encoding: 'utf8' });
      return printed.trim();
    }) as [string, string];
    expect(first).toMatch(/oddsmaker_client-\d+\.\d+\.\d+-py3-none-any\.whl$/);
    expect(readFileSync(first).equals(readFileSync(second))).toBe(true);
    const names = await python(
      `import zipfile, oddsmaker\nprint(oddsmaker.__file__, *sorted(zipfile.ZipFile(${JSON.stringify(first)}).namelist()))`,
      { env: { ...ENV, PYTHONPATH: first } },
    );
    expect(names).toContain(`${first}/oddsmaker/__init__.py`);
    expect(names).toContain('oddsmaker/py.typed');
    expect(names).not.toContain('__pycache__');
  });
});
