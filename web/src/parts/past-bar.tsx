// The time of a past run: a slider over its profit and loss, with its fills and alerts.
import { useEffect } from 'preact/hooks';
import { clock, day } from '../format.ts';
import { isPlaying, jump, play, problem, seek, speed, SPEEDS, step } from '../past.ts';
import { past, runTime } from '../stream.ts';
import type { Past } from '../wire.ts';

const WIDTH = 1000;
const HEIGHT = 40;

export function PastBar() {
  const run = past.value;
  useEffect(() => {
    const pressed = ({ key, target }: KeyboardEvent): void => {
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
      if (key === 'ArrowLeft') step(-1);
      else if (key === 'ArrowRight') step(1);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  if (run === undefined) return null;
  const now = runTime.value;
  return (
    <div class="past">
      <p class="past-buttons">
        <button type="button" onClick={() => jump(-1)} aria-label="Former fill or alert" title="former fill or alert">
          |◀
        </button>
        <button type="button" onClick={() => step(-1)} aria-label="One frame back" title="left arrow">
          ◀
        </button>
        <button type="button" onClick={play} aria-pressed={isPlaying.value}>
          {isPlaying.value ? 'Pause' : 'Play'}
        </button>
        <button type="button" onClick={() => step(1)} aria-label="One frame on" title="right arrow">
          ▶
        </button>
        <button type="button" onClick={() => jump(1)} aria-label="Next fill or alert" title="next fill or alert">
          ▶|
        </button>
        <select
          aria-label="Speed"
          value={speed.value}
          onChange={({ currentTarget }) => (speed.value = Number(currentTarget.value))}
        >
          {SPEEDS.map((factor) => (
            <option key={factor} value={factor}>
              {factor}×
            </option>
          ))}
        </select>
        <time class="number">
          {day(now)}
          {clock(now).slice(5)} UTC
        </time>
      </p>
      <div class="past-line">
        <Strip run={run} />
        <input
          type="range"
          aria-label="Time in the run"
          aria-valuetext={`${clock(now)} UTC`}
          min={run.from}
          max={run.to}
          step={1}
          value={now}
          onInput={({ currentTarget }) => {
            isPlaying.value = false;
            seek(Number(currentTarget.value));
          }}
        />
      </div>
      {problem.value !== undefined && (
        <p class="banner bad" role="alert">
          {problem.value}
        </p>
      )}
      {run.ends !== null && <p class="note">{run.ends}</p>}
    </div>
  );
}

/**
 * The marked profit and loss of the run; below it a stroke for each fill, above it a stroke for each alert.
 */
function Strip({ run: { from, to, curve, marks } }: { readonly run: Past }) {
  const x = (t: number): number => ((t - from) / Math.max(1, to - from)) * WIDTH;
  const values = curve.map(([, marked]) => marked);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const y = (value: number): number => 6 + (HEIGHT - 12) * (1 - (value - low) / Math.max(1e-9, high - low));
  const points = curve.map(([t, marked]) => `${x(t).toFixed(1)},${y(marked).toFixed(1)}`).join(' ');
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points} class="curve" />
      {marks.map(([t, kind]) => (
        <line
          key={`${t}${kind}`}
          class={kind}
          x1={x(t)}
          x2={x(t)}
          y1={kind === 'fill' ? HEIGHT - 8 : 0}
          y2={kind === 'fill' ? HEIGHT : 8}
        />
      ))}
    </svg>
  );
}
