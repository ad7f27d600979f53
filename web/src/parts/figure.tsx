// One figure with its name, and a gauge.
import type { ComponentChildren } from 'preact';

export function Figure({
  name,
  children,
  tone = '',
  note,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
  readonly tone?: string | undefined;
  readonly note?: ComponentChildren;
}) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class={tone}>{children}</dd>
      {note !== undefined && <dd class="note">{note}</dd>}
    </div>
  );
}

export const toneOf = (dollars: number | null): string =>
  dollars === null || Math.abs(dollars) < 0.005 ? '' : dollars > 0 ? 'good' : 'bad';

export function Gauge({
  name,
  value,
  most,
  text,
}: {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly text: string;
}) {
  return (
    <label class="gauge">
      <span>{name}</span>
      <meter min={0} max={most} low={most * 0.2} optimum={most} value={value} />
      <span class="number">{text}</span>
    </label>
  );
}
