// Alerts of a bot besides those of its log: standing conditions, a daily sign of life, and a bad end.
import type { LoadedConfig } from '../config/index.ts';
import { dayStartOf, moneyText, parseTimeOfDay } from '../domain/index.ts';
import type { BotState, SafetyNet, AlertCause } from '../ops/index.ts';
import { AlertWatch } from '../ops/index.ts';
import type { Alerting } from '../setup/index.ts';
import type { Bot } from './bot.ts';
import type { BotResult } from '../run/index.ts';
import type { BotSignals } from './bot-signals.ts';
import type { Problems } from './ready-watch.ts';

/** Watches the conditions of a running bot, and sends the daily note at `risk.dayStartsAt`. */
export function alertOfBot(
  alerting: Alerting,
  { config: { exchange, risk } }: LoadedConfig,
  {
    bot,
    net,
    problems,
    signals,
  }: {
    readonly bot: Bot;
    readonly net: SafetyNet;
    readonly problems: Problems;
    readonly signals: BotSignals;
  },
): void {
  const watch = new AlertWatch({
    lateArrivalMs: exchange.lateArrival,
    mode: exchange.playerMode,
    haltAtLoss: risk.haltAtLoss ?? undefined,
    needsGuard: exchange.embedded === undefined,
  });
  const startsAtMs = parseTimeOfDay(risk.dayStartsAt) ?? 0;
  let day = dayStartOf(Date.now(), startsAtMs);
  alerting.watch(() => {
    const today = dayStartOf(Date.now(), startsAtMs);
    if (today > day) alerting.note(dailyNote(net.state, bot));
    day = today;
    const { state, guardPid, standingFence } = net;
    return watch.causesOf(
      {
        ...bot.view,
        state,
        problems: problems(),
        guardPid,
        fence: standingFence?.why,
        sources: signals.problems,
        gaps: signals.gaps,
      },
      performance.now(),
    );
  });
}

/** Sends an alert when the exit code of a run is not 0. */
export function alertOfEnd(alerting: Alerting, { code, reason }: Pick<BotResult, 'code' | 'reason'>): void {
  if (code !== 0)
    alerting.note({
      alert: 'ENDED',
      level: 'error',
      text: `the run has ended: ${reason}`,
      fields: { exit: code },
    });
}

function dailyNote(state: BotState, bot: Bot): AlertCause {
  const { resting, wanted, pnl, fills } = bot.status;
  const text = `${state}: ${resting} of ${wanted} quotes rest, ${moneyText(pnl.marked)} marked, ${fills} fills`;
  return { alert: 'ALIVE', level: 'info', text };
}
