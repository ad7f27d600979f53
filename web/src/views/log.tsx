import { signal } from '@preact/signals';
import { clock } from '../format.ts';
import { rows } from '../stream.ts';

const level = signal('all');
const words = signal('');

export function LogView() {
  const wanted = words.value.toLowerCase();
  const lines = Object.entries(rows.log.value)
    .filter(
      ([, line]) =>
        level.value === 'all' || line.level === 'error' || (level.value === 'warn' && line.level === 'warn'),
    )
    .map(([number, line]) => ({ number, line, fields: JSON.stringify(line.fields) }))
    .filter(({ line, fields }) => `${line.text} ${fields}`.toLowerCase().includes(wanted))
    .reverse();
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
        {lines.map(({ number, line, fields }) => (
          <li key={number} class={line.level}>
            <time>{clock(line.t)}</time> <b>{line.level}</b> {line.text}{' '}
            <code>{fields === '{}' ? '' : fields}</code>
          </li>
        ))}
      </ol>
      {lines.length === 0 && <p class="empty">Nothing to show.</p>}
    </section>
  );
}
