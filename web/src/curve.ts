// The curve of the run so far: dense points for the last minutes, sparse points before.
import { computed } from '@preact/signals';
import { rows } from './stream.ts';
import type { Point } from './wire.ts';

export const recent = computed(() => Object.values(rows.recent.value));
export const recentTimes = computed(() => recent.value.map(([t]) => t));

const whole = computed((): readonly Point[] => {
  const [first] = recent.value;
  const older = Object.values(rows.curve.value).filter(([t]) => first === undefined || t < first[0]);
  return [...older, ...recent.value];
});
export const wholeTimes = computed(() => whole.value.map(([t]) => t));
export const marked = computed(() => ({
  label: 'marked',
  color: 'good',
  values: whole.value.map((point) => point[5]),
}));
export const worst = computed(() => ({
  label: 'worst',
  color: 'bad',
  values: whole.value.map((point) => point[6]),
}));
