// What the exchange reports by itself, logins and feeds: into the books, the account, and what is believed of the feeds. The same for
// the core that trades, and for whoever follows an account through a journal.
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
        // frames sent while it was down are lost
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

/** A run begins: its name, and what former runs left unanswered. `t`: Unix ms. */
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

/** Whom answers to our requests concern. */
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
