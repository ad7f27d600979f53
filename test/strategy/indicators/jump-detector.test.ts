// Jumps of a price against its usual moves.
import { expect, it } from 'vitest';
import { jumpDetector } from 'oddsmaker/indicators';

it('finds a move that is large for the price within the window, once', () => {
  const jumpOf = jumpDetector({ sigmas: 3, window: 5000, least: 0.01 });
  // 0.001 a second, up and down, for two minutes: σ of 5 s is .0022
  for (let t = 0; t < 120; t++) expect(jumpOf(0.5 + (t % 2) / 1000, t * 1000)).toBeUndefined();
  expect(jumpOf(0.508, 121_000)).toBeUndefined();
  expect(jumpOf(0.513, 122_000)).toBeCloseTo(0.013, 2);
  expect(jumpOf(0.514, 123_000)).toBeUndefined();
});

it('does not call a slow move a jump', () => {
  const jumpOf = jumpDetector({ sigmas: 3, window: 5000, least: 0.01 });
  for (let t = 0; t < 60; t++) expect(jumpOf(0.5 + t / 1000, t * 1000)).toBeUndefined();
});

it('wants more of a price that moves much', () => {
  const calm = jumpDetector({ sigmas: 3, window: 5000 });
  const wild = jumpDetector({ sigmas: 3, window: 5000 });
  for (let t = 0; t < 300; t++) {
    calm(0.5 + (t % 2) / 1000, t * 1000);
    wild(0.5 + (t % 2) / 50, t * 1000);
  }
  expect(calm(0.52, 300_000)).toBeCloseTo(0.02, 2);
  expect(wild(0.52, 300_000)).toBeUndefined();
});
