// The log writes to the stderr of its own process, so it is tested from outside.
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const SECRET = 'hunter2-very-secret';

async function logged(script: string): Promise<{ stdout: string; lines: Record<string, unknown>[]; text: string }> {
  const code = `const { createLog } = await import(process.env.OPS);\nconst SECRET = '${SECRET}';\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, OPS: new URL('../../src/ops/index.ts', import.meta.url).href },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  expect(await new Promise((resolve) => child.once('close', resolve)), text).toBe(0);
  const lines = text.split('\n').filter((line) => line !== '');
  return { stdout, text, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('the log', () => {
  it('writes JSON lines on stderr and nothing on stdout: a sentence, its fields, level and time', async () => {
    const { stdout, lines } = await logged(`
      const log = createLog('info');
      log.info('an order was placed', { orderId: 'o1', ref: 'r1' });
      log.warn('slow');
      log.error('broken', { code: 'X' });
      log.debug('not shown');
      process.exit(0);
    `);
    expect(stdout).toBe('');
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        orderId: 'o1',
        ref: 'r1',
        msg: 'an order was placed',
      },
      { level: 'warn', time: expect.any(String) as string, msg: 'slow' },
      { level: 'error', time: expect.any(String) as string, code: 'X', msg: 'broken' },
    ]);
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['silent', []],
  ])('at level %s writes %j', async (level, levels) => {
    const { lines } = await logged(`
      const log = createLog('${level}');
      for (const at of ['debug', 'info', 'warn', 'error']) log[at](at);
    `);
    expect(lines.map((line) => line['level'])).toEqual(levels);
  });

  it('beside a status line writes only warnings and errors', async () => {
    const { lines } = await logged(`
      for (const level of ['debug', 'info', 'error']) {
        const log = createLog(level, true);
        for (const at of ['debug', 'info', 'warn', 'error']) log[at](at);
      }
    `);
    expect(lines.map((line) => line['level'])).toEqual(['warn', 'error', 'warn', 'error', 'error']);
  });

  it.each([
    ['a field', '{ password: SECRET, token: SECRET, auth: SECRET, Authorization: SECRET, authorization: SECRET }'],
    [
      'one level down',
      '{ headers: { Authorization: SECRET, authorization: SECRET }, user: { auth: SECRET, password: SECRET, token: SECRET } }',
    ],
    ['deeper', '{ config: { exchange: { password: SECRET }, ops: { token: SECRET } } }'],
    ['in a list', '{ accounts: [{ password: SECRET }] }'],
  ])('hides secrets that are %s', async (_where, fields) => {
    const { text } = await logged(`createLog('info').warn('a sentence', ${fields});`);
    expect(text).toContain('a sentence');
    expect(text).toContain('[hidden]');
    expect(text).not.toContain(SECRET);
  });
});
