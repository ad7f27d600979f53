// Applies reports of the exchange (logins and feeds) to the books, the account and the feed health. The
// trading core and the readers that follow an account through a journal use the same code.
import { recordEvent, shownRun } from '../account/index.ts';
import type { Input, PlayerMode, PositionEvent } from '../domain/index.ts';
import type { Parts } from './parts.ts';
import type { ReplyParts } from './replies.ts';
import { applySession } from './replies.ts';

type Report = Extract<Input, { type: 'session' | 'feed' | 'side' | 'game' | 'position' | 'malformed' | 'oversize' }>;

export function applyReport(input: Report, parts: Parts): void {
  const { buffer, health, market, reconciliation } = parts;
  switch (input.type) {
    case 'session':
      applySession(input, buffer, parts);
      return;
    case 'feed':
      if (input.feed === 'prices') market.applyFeed(input.status, input.epoch);
      else {
        health.applyUserFeed(input.status);
        // frames sent while the user feed was down are lost
        if (input.status === 'up') reconciliation.ask();
      }
      return;
    case 'side':
      market.applySide(input.frame, input.epoch);
      return;
    case 'game':
      market.applyGame(input.game, input.epoch);
      return;
    case 'position':
      applyPosition(input.position, parts);
      return;
    case 'malformed':
      market.applyMalformed(input);
      return;
    case 'oversize':
      market.applyOversize(input);
      if (input.feed !== 'user') return;
      health.applyLostReport();
      reconciliation.ask();
      return;
  }
}

function applyPosition(
  position: PositionEvent,
  { account, buffer, health, market, mirror, reconciliation }: Parts,
): void {
  market.frames += 1;
  const placed = mirror.placeOf(position.gameId, position.place);
  if (!recordEvent(account, position, placed, buffer.now)) reconciliation.applyUnknownOrder(position);
  else if (position.kind === 'posted') health.applyReport();
}

/** Begins a run: applies its name and the orders that former runs left. `t`: Unix ms. */
export function applyRun(
  { run, unanswered = [], resting = [], runs }: Extract<Input, { type: 'boot' }>,
  t: number,
  { account, manager, reconciliation }: Parts,
  playerMode: PlayerMode,
): void {
  const shown = shownRun(run, playerMode);
  account.fills.applyBoot(shown);
  manager.applyBoot(shown);
  reconciliation.applyBoot(shown, { unanswered, resting }, t, runs);
}

/** The parts that handle answers to own requests. */
export function replyPartsOf(parts: Parts, playerMode: PlayerMode): ReplyParts {
  const { account, closing, health, manager, market, mode, reconciliation } = parts;
  return {
    account,
    closing,
    manager,
    market,
    mode,
    reconciliation,
    former: parts.day.former,
    playerMode,
    bothFeedsUpSince: () => {
      const [prices, user] = [market.upSince, health.userFeedUpSince];
      return prices === undefined || user === undefined ? undefined : Math.max(prices, user);
    },
  };
}
