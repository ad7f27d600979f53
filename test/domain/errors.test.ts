import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/domain/index.ts';
import { bad, ERROR_CODES, EXIT, ok, OddsmakerError } from '../../src/domain/index.ts';

const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe('the error registry', () => {
  it.each(codes)('says what %s means and what to do', (code) => {
    const entry: { readonly means: string; readonly remedy: string; readonly exit?: number } = ERROR_CODES[code];
    expect(code).toMatch(/^[A-Z][A-Z_]+$/);
    expect(entry.means).toMatch(/\.$/);
    expect(entry.remedy).toMatch(/\.$/);
    if (entry.exit !== undefined) expect(Object.values(EXIT)).toContain(entry.exit);
  });

  it('has the exit codes of the CLI contract', () => {
    expect(EXIT).toEqual({
      done: 0,
      failed: 1,
      usage: 2,
      badData: 65,
      bug: 70,
      notConfirmed: 74,
      gaveUp: 75,
      ledgerUnwritten: 76,
      refused: 77,
      badConfig: 78,
    });
  });
});

describe('OddsmakerError', () => {
  it('has the exit code of the registry, and that of a bug for codes without one', () => {
    expect(new OddsmakerError('LOGIN_REFUSED', 'x').exit).toBe(77);
    expect(new OddsmakerError('FRAME_MALFORMED', 'x').exit).toBe(70);
    expect(new OddsmakerError('LOGIN_REFUSED', 'no', { cause: 'c' })).toMatchObject({
      name: 'OddsmakerError',
      code: 'LOGIN_REFUSED',
      message: 'no',
      cause: 'c',
    });
  });
});

describe('a Result', () => {
  it('is a value or a problem', () => {
    expect(ok(1)).toEqual({ ok: true, value: 1 });
    expect(bad('why')).toEqual({ ok: false, problem: 'why' });
  });
});
