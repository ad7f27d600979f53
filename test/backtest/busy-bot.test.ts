// The order of things while strategies take virtual time.
import { Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { BusyBot } from '../../src/backtest/strategy-time/busy-bot.ts';
import { timesOf } from '../../src/backtest/strategy-time/strategy-times.ts';
import { timersOf } from '../../src/backtest/in-process-door.ts';
import type { GameId, Input, StrategyId } from '../../src/domain/index.ts';
import { InProcessExchange } from '../../src/paper/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';

const SLOW = 'slow' as StrategyId;
const TICK: Input = { type: 'tick' };

const sideOf = (side: 'over' | 'under', total: number): Input => ({
  type: 'side',
  epoch: 1,
  frame: {
    gameId: 'g' as GameId,
    league: undefined,
    type: 'total',
    participantId: undefined,
    side,
    line: 200,
    live: undefined,
    mainHomeSpread: undefined,
    mainTotal: total,
    offers: [],
  },
});

/** What an input is called in the log: a frame by its side and number. */
const nameOf = (input: Input): string =>
  input.type === 'side' ? `${input.frame.side} ${input.frame.mainTotal}` : input.type;

/** A bot whose strategy takes `ms` for each input that `isSlow` names. It sends one command a step. */
function made(ms: number, isSlow: (name: string) => boolean) {
  const exchange = new InProcessExchange({
    startMs: 0,
    leaps: true,
    traders: 'tape',
    profile: DEFAULT_PROFILE,
    sports: {},
    limits: { place: { requests: 25, windowMs: 5000 }, cancel: { requests: 30, windowMs: 2000 } },
    accounts: [],
  });
  const bot = new BusyBot(
    exchange,
    timesOf({ kind: 'given', ms, byStrategy: {} }, () => 0),
  );
  const log: string[] = [];
  const inputs = new Subject<Input>();
  let seq = 0;
  bot.held(inputs).subscribe((input) => {
    const name = nameOf(input);
    log.push(`${exchange.nowMs} reads ${name}`);
    if (isSlow(name)) {
      bot.enter(SLOW);
      // a call within a call is no call of its own
      bot.enter(SLOW);
      bot.leave();
      bot.leave();
    }
    bot.endStep((seq += 1));
    bot.send(() => log.push(`${exchange.nowMs} sends for ${name}`));
  });
  const arrive = (time: number, ...arrived: readonly Input[]): void =>
    exchange.at(time, () => arrived.forEach((input) => inputs.next(input)));
  return { exchange, bot, log, arrive };
}

it('reads and sends at once what no strategy works on', () => {
  const { exchange, log, arrive } = made(10, () => false);
  arrive(1, TICK);
  arrive(2, sideOf('over', 1));
  exchange.advanceTo(100);
  expect(log).toEqual(['1 reads tick', '1 sends for tick', '2 reads over 1', '2 sends for over 1']);
});

it('sends when the time is over, and then reads the newest frame of each side, in the order of arrival', () => {
  const { exchange, log, arrive } = made(10, (name) => name === 'over 1');
  arrive(1, sideOf('over', 1));
  arrive(3, sideOf('over', 2), sideOf('under', 1), TICK);
  arrive(5, sideOf('over', 3));
  exchange.advanceTo(100);
  expect(log).toEqual([
    '1 reads over 1',
    '11 sends for over 1',
    ...['11 reads under 1', '11 sends for under 1', '11 reads tick', '11 sends for tick'],
    ...['11 reads over 3', '11 sends for over 3'],
  ]);
});

it('takes the time of each waiting input before it reads the next', () => {
  const { exchange, log, arrive } = made(10, (name) => name !== 'tick');
  arrive(1, sideOf('over', 1), sideOf('under', 1), TICK);
  arrive(15, sideOf('under', 2));
  exchange.advanceTo(100);
  expect(log).toEqual([
    ...['1 reads over 1', '11 sends for over 1', '11 reads under 1', '21 sends for under 1'],
    ...['21 reads tick', '21 sends for tick', '21 reads under 2', '31 sends for under 2'],
  ]);
});

it('rings a timer when the bot is free, unless it was cancelled meanwhile', () => {
  const { exchange, bot, log, arrive } = made(10, () => true);
  const timers = bot.timersOf(timersOf(exchange, 1000));
  timers.after(4, () => log.push(`${exchange.nowMs} rings`));
  const cancel = timers.after(5, () => log.push('rings although it was cancelled'));
  arrive(1, TICK);
  exchange.at(6, cancel);
  exchange.advanceTo(100);
  expect(log).toEqual(['1 reads tick', '11 sends for tick', '11 rings']);
});
