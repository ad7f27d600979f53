import { expect, it, vi } from 'vitest';
import { PermitWindow } from '../../src/exchange/live/index.ts';

it('a permit window grants all 25 permits ahead, so that a burst does not wait', async () => {
  const window = new PermitWindow({ requests: 25, windowMs: 5000, marginMs: 20 }, () => performance.now());
  try {
    const permits: number[] = [];
    window.open((permit) => permits.push(permit));
    await expect.poll(() => permits.length, { timeout: 2000, interval: 5 }).toBe(25);
    expect(new Set(permits).size).toBe(25);
  } finally {
    window.close();
  }
});

it('a permit window grants permits at the same pace while the wall clock is set back and forth', async () => {
  const rule = { requests: 2, windowMs: 100, marginMs: 20 };
  const window = new PermitWindow(rule, () => performance.now());
  let granted = 0;
  window.open((permit) => {
    granted += 1;
    window.spend(permit, performance.now());
    window.endRequest(permit, performance.now());
  });
  await expect.poll(() => granted, { timeout: 2000, interval: 5 }).toBeGreaterThan(2);
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    for (const step of [-40_000, -3_600_000, 3_600_000]) {
      vi.setSystemTime(Date.now() + step);
      const before = granted;
      await expect.poll(() => granted, { timeout: 2000, interval: 5 }).toBeGreaterThan(before + 4);
    }
  } finally {
    vi.useRealTimers();
    window.close();
  }
});
