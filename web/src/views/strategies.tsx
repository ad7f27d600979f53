import { useState } from 'preact/hooks';
import type { Reload } from '../api.ts';
import { command, reload, notice } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { mayCommand, now, rows } from '../stream.ts';
import type { Param, Strategy } from '../wire.ts';

export function StrategiesView() {
  return (
    <>
      {mayCommand.value && <Configuration />}
      {Object.entries(rows.strategies.value).map(([id, strategy]) => (
        <OneStrategy key={id} id={id} strategy={strategy} />
      ))}
    </>
  );
}

/** Reloads the configuration file. It first shows what would change. */
function Configuration() {
  const [found, setFound] = useState<Reload | string | undefined>(undefined);
  const isSame = typeof found === 'object' && found.changed.length + found.replaced.length === 0;
  return (
    <section>
      <h3>Configuration</h3>
      <p class="note">
        {now.value?.config} ({now.value?.configHash})
      </p>
      <div class="buttons">
        <button type="button" onClick={() => void reload(true).then(setFound)}>
          What would a reload do?
        </button>
        {typeof found === 'object' && !isSame && (
          <button
            type="button"
            onClick={() => {
              setFound(undefined);
              void reload(false).then((done) => {
                notice.value =
                  typeof done === 'string'
                    ? { text: done, isBad: true }
                    : { text: 'The file was read again and is in force.', isBad: false };
              });
            }}
          >
            Reload it
          </button>
        )}
      </div>
      {typeof found === 'string' && <p class="bad">It would change nothing: {found}</p>}
      {isSame && <p>Nothing of the file would change live.</p>}
      {typeof found === 'object' && (
        <>
          <Keys title="Would change live" keys={found.changed} />
          <Keys title="Strategies that would start again" keys={found.replaced} />
          <Keys title="Waits for the next start" keys={found.later} />
        </>
      )}
    </section>
  );
}

function Keys({ title, keys }: { readonly title: string; readonly keys: readonly string[] }) {
  if (keys.length === 0) return null;
  return (
    <p>
      {title}: <code>{keys.join(', ')}</code>
    </p>
  );
}

function OneStrategy({ id, strategy }: { readonly id: string; readonly strategy: Strategy }) {
  const { state, offIn, fault } = strategy;
  const isOff = state === 'off' || offIn > 0;
  return (
    <section class={isOff ? 'fault' : ''}>
      <h3>
        {id}{' '}
        <span class={`badge ${isOff ? 'bad' : state === 'runs' ? 'good' : 'wait'}`}>
          {state === 'off' ? 'OFF' : isOff ? `OFF in ${offIn} of its markets` : state}
        </span>
      </h3>
      <p class="note">
        {strategy.name}, one for each {strategy.scope} · {strategy.file} · wants {strategy.wanted} quotes,{' '}
        {strategy.orders} orders
      </p>
      {fault !== null && (
        <p class="bad">
          {fault.code}: {fault.text} {fault.place === null ? '' : `(${fault.place})`}
        </p>
      )}
      {mayCommand.value && (
        <div class="buttons">
          {isOff && (
            <Confirm
              label={`Resume ${id}`}
              kind="danger"
              question={`${id} was disabled because of its own error. Let it quote again? It is disabled again while the error remains.`}
              yes={`Let ${id} quote`}
              onYes={() => void command({ command: 'resume', strategy: id }, `${id} is on again.`)}
            />
          )}
          {state === 'runs' && (
            <button
              type="button"
              onClick={() =>
                void command({ command: 'pause', strategy: id }, `${id} is paused: its quotes are pulled.`)
              }
            >
              Pause {id}
            </button>
          )}
          {state === 'paused' && !isOff && (
            <button
              type="button"
              onClick={() => void command({ command: 'resume', strategy: id }, `${id} quotes again.`)}
            >
              Resume {id}
            </button>
          )}
        </div>
      )}
      <Params key={JSON.stringify(strategy.params)} id={id} params={strategy.params} mayEdit={mayCommand.value} />
    </section>
  );
}

function Params({
  id,
  params,
  mayEdit,
}: {
  readonly id: string;
  readonly params: readonly Param[];
  readonly mayEdit: boolean;
}) {
  const [edited, setEdited] = useState<Readonly<Record<string, string>>>({});
  const changes = params.filter(({ name, value }) => edited[name] !== undefined && edited[name] !== textOf(value));
  const apply = (event: Event): void => {
    event.preventDefault();
    const values: Record<string, unknown> = {};
    for (const { name } of changes) {
      const value = valueOf(edited[name] ?? '');
      if (value === undefined) {
        notice.value = {
          text: `${name}: ${edited[name] ?? ''} is neither a number, true, false, null nor JSON`,
          isBad: true,
        };
        return;
      }
      values[name] = value;
    }
    void command({ command: 'params', strategy: id, params: values }, `${id} goes on with ${JSON.stringify(values)}.`);
  };
  if (params.length === 0) return <p class="note">It takes no parameters.</p>;
  return (
    <form class="params" onSubmit={apply}>
      {params.map(({ name, value, isSet, description }) => (
        <label key={name} class={isSet ? 'set' : ''}>
          <span>{name}</span>
          <input
            name={name}
            disabled={!mayEdit}
            value={edited[name] ?? textOf(value)}
            onInput={({ currentTarget }) => setEdited({ ...edited, [name]: currentTarget.value })}
          />
          <small>{description ?? ''}</small>
        </label>
      ))}
      {mayEdit && (
        <div class="buttons">
          <button type="submit" disabled={changes.length === 0}>
            {changes.length === 0
              ? 'Change a value to apply it'
              : `Apply ${changes.map(({ name }) => name).join(', ')}`}
          </button>
        </div>
      )}
    </form>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Reads a value as YAML does: a bare word is text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return /^[A-Za-z][\w .:-]*$/.test(text) ? text : undefined;
  }
}
