import { signal } from '@preact/signals';
import { Fragment } from 'preact';
import { clock } from '../format.ts';
import { rows } from '../stream.ts';
import type { LogLine } from '../wire.ts';

const level = signal('all');
const words = signal('');

export function LogView() {
  const wanted = words.value.toLowerCase();
  const lines = Object.entries(rows.log.value)
    .filter(
      ([, line]) =>
        level.value === 'all' || line.level === 'error' || (level.value === 'warn' && line.level === 'warn'),
    )
    .filter(([, line]) => `${line.text} ${JSON.stringify(line.fields)}`.toLowerCase().includes(wanted))
    // a repeated line keeps the number of its first occurrence
    .sort(([a, first], [b, second]) => second.t - first.t || Number(b) - Number(a));
  return (
    <section>
      <div class="tools">
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter the log"
          value={words.value}
          onInput={({ currentTarget }) => (words.value = currentTarget.value)}
        />
        <select
          aria-label="Level"
          value={level.value}
          onChange={({ currentTarget }) => (level.value = currentTarget.value)}
        >
          <option value="all">all</option>
          <option value="warn">warnings and errors</option>
          <option value="error">errors</option>
        </select>
      </div>
      <ol class="log">
        {lines.map(([number, line]) => (
          <li key={number} class={line.level}>
            <Line line={line} />
          </li>
        ))}
      </ol>
      {lines.length === 0 && <p class="empty">Nothing to show.</p>}
    </section>
  );
}

/** A log line. Its fields are folded. */
function Line({ line }: { readonly line: LogLine }) {
  const { t, text, fields, count, since, former } = line;
  // the command itself says more than the fixed message
  const { code, command = code } = fields;
  const sentence = (
    <>
      <time>{clock(t)}</time> <b>{line.level}</b> {text} {typeof command === 'string' && <code>{command}</code>}
      {count > 1 && <span class="badge">×{count}</span>}
    </>
  );
  if (Object.keys(fields).length === 0 && count === 1) return <p>{sentence}</p>;
  return (
    <details>
      <summary>{sentence}</summary>
      <Fields fields={fields} />
      {count > 1 && (
        <p class="note">
          {count} times since {clock(since)} UTC{former.length > 0 && ', earlier:'}
        </p>
      )}
      {former.map((earlier, index) => (
        <Fields key={index} fields={{ time: clock(earlier.t), ...earlier.fields }} />
      ))}
    </details>
  );
}

const Fields = ({ fields }: Pick<LogLine, 'fields'>) => (
  <dl class="fields">
    {Object.entries(fields).map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
      </Fragment>
    ))}
  </dl>
);
