// URLs of --redis that passwords make invalid: no message shows a part of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RedisLink } from '../../src/sweep/queue/redis-link.ts';
import { command, folder } from '../support/children.ts';

describe('--redis', () => {
  it.each([
    ['a % in the password', 'redis://bob:s3cr3t%pw@127.0.0.1:6379'],
    ['a % in the user', 'redis://s3cr3t%:x@127.0.0.1:6379'],
    ['a # in the password', 'redis://bob:s3cr3t#x@127.0.0.1:6379'],
    ['a # after digits', 'redis://bob:1234#s3cr3t@127.0.0.1:6379'],
    ['a / after digits', 'redis://bob:1234/s3cr3t@127.0.0.1:6379'],
    ['a port above 65535', 'redis://bob:s3cr3t@127.0.0.1:99999'],
    ['a database that is not a number', 'redis://bob:s3cr3t@127.0.0.1:6379/abc'],
  ])(
    'with %s is a wrong command line for sweep and worker, and the message says how to write the URL',
    async (_fault, url) => {
      const key = join(folder(), 'sweep.key');
      writeFileSync(key, 'k'.repeat(32), { mode: 0o600 });
      for (const args of [
        ['sweep', '--status', '--redis', url],
        ['worker', '--redis', url, '--key', key],
      ]) {
        const ended = await command(args);
        expect(ended.stderr).toMatch(/^oddsmaker: --redis: this is not a Redis URL: .* write % as %25, # as %23,/);
        expect(ended.stderr).not.toContain('s3cr3t');
        expect(ended.code).toBe(2);
      }
    },
  );

  it.each(['redis://127.0.0.1:1', 'redis://:p%25w%23@127.0.0.1:1/3', 'rediss://[::1]:1/'])('accepts %s', (url) => {
    new RedisLink(url, 1000).close();
  });
});
