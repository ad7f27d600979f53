// Warnings above all views: no connection to the bot, with what its guard does and what to type; a feed that
// is down; a state that needs attention; disabled strategies.
import type { ComponentChildren } from 'preact';
import { age, clock } from '../format.ts';
import { hasEnded, link, now, rows, runTime, silentFor } from '../stream.ts';
import type { Now } from '../wire.ts';
import { isDead, toneOfState } from './identity.tsx';

export function Banner() {
  if (isDead.value) return <Dead />;
  const shown = now.value;
  if (shown === undefined) return null;
  const down = [shown.prices.up ? undefined : 'price feed', shown.user.up ? undefined : 'user feed'].filter(
    (name) => name !== undefined,
  );
  const isQuiet = shown.state === 'quoting';
  return (
    <>
      {down.length > 0 ? (
        <Line tone="bad">
          {down.join(' and ')} DOWN. {shown.why}
        </Line>
      ) : (
        !isQuiet && (
          <Line tone={toneOfState(shown.state)}>
            <b>{shown.state}:</b> {shown.why}
          </Line>
        )
      )}
      <Fenced shown={shown} />
      {shown.state !== 'degraded' && <Off />}
    </>
  );
}

const Line = ({ tone, children }: { readonly tone: string; readonly children: ComponentChildren }) => (
  <p class={`banner ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </p>
);

const Panic = ({ shown }: { readonly shown: Now }) =>
  shown.panic === null ? null : (
    <p>
      To empty the account by hand, type: <code class="type">{shown.panic}</code>
    </p>
  );

/**
 * The warning of a lost bot. What its guard does now is computed from its last known state, because the bot
 * serves the page.
 */
function Dead() {
  const shown = now.value;
  const silentMs = silentFor.value ?? 0;
  return (
    <div class="banner bad dead" role="alert">
      <p>
        Not live:{' '}
        {hasEnded.value
          ? 'the bot has ended'
          : link.value === 'lost'
            ? 'the connection to the bot is lost'
            : 'the bot says nothing'}
        {silentMs === 0 ? '' : `, for ${age(silentMs)}`}. What is shown is old
        {shown === undefined ? '' : `, of ${clock(runTime.value - silentMs)} UTC`}.
      </p>
      {shown !== undefined && (
        <>
          <p>{hasEnded.value ? endOf(shown) : guardOf(shown, silentMs)}</p>
          <Panic shown={shown} />
        </>
      )}
    </div>
  );
}

const openText = ({ orders }: Now): string =>
  orders.open === 0 ? 'none of its orders was open' : `${orders.open} of its orders were open`;

const endOf = (shown: Now): string => `At its last message, ${openText(shown)}.`;

function guardOf(shown: Now, silentMs: number): string {
  if (!shown.needsGuard && shown.guard === null)
    return 'It traded on its own paper exchange: it has no orders anywhere else.';
  if (shown.guard === null)
    return `No guard watched it: its orders stay open. At its last message, ${openText(shown)}.`;
  const guard = `Its guard (pid ${shown.guard})`;
  const leftMs = shown.guardDeadlineMs - silentMs;
  return leftMs > 0
    ? `${guard} waits ${age(leftMs)} more for a sign of life. Then it raises the fence and cancels everything on the account.`
    : `${guard} waited ${age(shown.guardDeadlineMs)} for a sign of life. If the bot hangs or is dead, it has raised the fence and cancels everything on the account until nothing is open: its log says how far it is.`;
}

/** The warning of a restarted bot behind a fence: what the guard did meanwhile. */
function Fenced({ shown }: { readonly shown: Now }) {
  const { fence } = shown;
  if (fence === null) return null;
  const { since, why, hung, cleared } = fence;
  return (
    <div class="banner bad" role="alert">
      <p>
        The guard raised the fence{since === null ? '' : ` at ${clock(since)} UTC`}: {why}.{' '}
        {cleared === null
          ? 'It has cancelled everything on the account, and has not seen it empty yet.'
          : `It has cancelled everything, and saw the account empty at ${clock(cleared)} UTC.`}{' '}
        {hung ? 'Nothing is placed until an operator resumes.' : 'Nothing is placed until the account was seen empty.'}
      </p>
      {cleared === null && <Panic shown={shown} />}
    </div>
  );
}

/** The warning of disabled strategies. A bot that quotes shows them as `degraded` already. */
function Off() {
  const off = Object.entries(rows.strategies.value).filter(([, { state, offIn }]) => state === 'off' || offIn > 0);
  return (
    <>
      {off.map(([id, { state, offIn, fault }]) => (
        <Line key={id} tone="bad">
          strategy {id} is off{state === 'off' ? '' : ` in ${offIn} of its markets`}
          {fault === null ? '' : `: ${fault.code}, ${fault.text}`}. Fix it, then resume it:{' '}
          <a href="#/strategies">strategies</a>
        </Line>
      ))}
    </>
  );
}
