// URLs of --redis that are none, as passwords make them: nothing of them is told.
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
    ['no port', 'redis://bob:s3cr3t@127.0.0.1:99999'],
    ['no number of a database', 'redis://bob:s3cr3t@127.0.0.1:6379/abc'],
  ])('with %s is a wrong command line, by sweep and worker, and says how to write it', async (_what, url) => {
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
  });

  it.each(['redis://127.0.0.1:1', 'redis://:p%25w%23@127.0.0.1:1/3', 'rediss://[::1]:1/'])('%s is one', (url) => {
    new RedisLink(url, 1000).close();
  });
});
