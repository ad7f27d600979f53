import { expect, it } from 'vitest';
import { PermitWindow } from '../../src/exchange/index.ts';

it('fetches all 25 permits ahead, so that a burst waits for nothing', async () => {
  const window = new PermitWindow({ requests: 25, windowMs: 5000, marginMs: 20 }, () => performance.now());
  try {
    const permits: number[] = [];
    window.permits$.subscribe((permit) => permits.push(permit));
    await expect.poll(() => permits.length, { timeout: 2000, interval: 5 }).toBe(25);
    expect(new Set(permits).size).toBe(25);
  } finally {
    window.close();
  }
});
