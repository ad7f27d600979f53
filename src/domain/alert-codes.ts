// Codes of alerts after which a process continues: what each means, and what to do (errors.ts).
export const ALERT_CODES = {
  RELOADED: {
    means: 'A strategy file changed. The new version replaced the old one.',
    remedy: 'Nothing to do.',
  },
  RELOAD_FAILED: {
    means: 'A strategy file changed, but the new version cannot run. The old version continues.',
    remedy: 'Fix what the message names, and save the file again.',
  },
  LEAGUE_AMBIGUOUS: {
    means:
      'Several leagues of the exchange differ from an entry of `markets.leagues` only in case or accents, and none matches exactly. None of them is quoted. Reported once.',
    remedy: 'Write the league as the exchange writes it. The alert lists the spellings.',
  },
  LEAGUE_EMPTY: {
    means: 'The exchange lists no game of a league in `markets.leagues`. Reported once.',
    remedy: 'Nothing to do out of season. In season, write the league as the exchange writes it.',
  },
  ORDER_ELSEWHERE: {
    means:
      'An open order of an earlier run is in a game that no book shows: its market is closed, or its league is no longer quoted.',
    remedy:
      'Nothing to do if the market opens again; otherwise cancel the order by hand. Until then its largest possible loss counts in the limits, and a stop cancels it.',
  },
  PLAYS_UNREAD: {
    means: 'Nothing is open at the end of the run, but the matched plays could not be read.',
    remedy: 'Compare the summary with the account: fills of the last seconds may be missing from the summary.',
  },
  FILL_NOT_REPORTED: {
    means:
      'A fill is no longer listed by the exchange, and its look-up failed. It counts until it is graded. Reported once.',
    remedy:
      'Check `exchange.profile.playPath`, or settle the game with `ctl settle`. If the game is unknown, nothing is booked.',
  },
  THROWN_OUTSIDE: {
    means:
      'A timer or a promise threw an error outside a step. If it belongs to a strategy file, that strategy is disabled; otherwise the run stops in order with exit code 70.',
    remedy: 'Fix the strategy file: use the given `scheduler` for timers, and do not use promises in a strategy.',
  },
  RELOAD_LATER: {
    means: 'The configuration was read again, and some changed keys cannot take effect while the bot runs.',
    remedy: 'Restart the bot to apply the keys that the alert names.',
  },
  ALERT_LOST: {
    means: 'An alert could not be delivered to a target of `alerts` after three more attempts.',
    remedy: 'Read `problem` and `to`. `oddsmaker alert test <config>` sends a test to every target.',
  },
  LEDGER_FAILED: {
    means: 'The ledger cannot be written at the moment. Rows wait in memory and are written later.',
    remedy: 'Free disk space, or fix the permissions of `ledger.file`.',
  },
  STANDING_FAILED: {
    means:
      'State that must survive a restart (halt, pause, reduce-only, crashes) cannot be written beside the journal. It holds for this run only.',
    remedy: 'Free disk space or fix the permissions of `journal.dir`, then repeat the command before you restart.',
  },
  AFTER_CRASH: {
    means:
      'The last run ended without an orderly stop. The alert lists what was found on the account, and says whether the bot continues or waits for `ctl resume`.',
    remedy:
      'Find the cause in the journal of that run and in the system log. If the bot waits, run `oddsmaker ctl <config> resume`.',
  },
  HEARTBEAT_FAILED: {
    means:
      'The heartbeat file cannot be written, so a guard would treat the bot as dead. With a guard, the bot halts before that happens.',
    remedy: 'Fix the disk that holds the journal, then run `oddsmaker ctl <config> resume`.',
  },
  FRAME_MALFORMED: {
    means: 'A feed frame could not be read and was skipped. Its game is read again by REST.',
    remedy: 'If it keeps happening, compare the wire profile with what the exchange sends.',
  },
  FRAME_OVERSIZE: {
    means:
      'A feed frame was longer than `exchange.maxFrame` and was dropped unread. On the price feed, its side of the book is unknown until REST has read it. On the user feed, nothing is quoted until the account is read. Reported once per feed and event; a metric counts all.',
    remedy: 'Ask the exchange. If its books are really that long, raise `exchange.maxFrame`.',
  },
  REPLY_MALFORMED: {
    means: 'The exchange answered with a success status, but the answer could not be read.',
    remedy: 'Compare the wire profile with what the exchange sends.',
  },
  STRATEGY_THREW: {
    means: 'A strategy threw an error. Its quotes on that market are cancelled, and it stays disabled there.',
    remedy: 'Fix the strategy file.',
  },
  STRATEGY_COMPLETED: {
    means: 'The intent stream of a strategy completed while its market was quoted. The strategy stays disabled there.',
    remedy: 'Fix the strategy file: take(n), first() and similar operators complete a stream.',
  },
  STRATEGY_BAD_INTENT: {
    means: 'A strategy emitted a value that is not an intent for its market.',
    remedy: 'Fix the strategy file.',
  },
  ASYNC_EMISSION: {
    means: 'A strategy emitted an intent outside a dispatch: it used a timer other than the given scheduler.',
    remedy: 'Pass `scheduler` to every time operator of rxjs.',
  },
  STRATEGY_STRIKE: {
    means:
      'A strategy exceeded its budget for one input (`strategies[].budget`: CPU time of the thread, or elapsed time). Each excess is a strike; `budget.strikes` strikes within `budget.in` disable the strategy.',
    remedy: 'Make the strategy faster, move the work out of the bot, or raise its budget.',
  },
  STRATEGY_OVERRUN: {
    means: 'A strategy exceeded its budget too often and is quarantined.',
    remedy:
      'Make the strategy faster, move the work out of the bot, or raise its budget. `ctl resume <strategy>` starts it again.',
  },
  STRATEGY_OFF: {
    means:
      'A strategy is disabled because of its own error, entirely or in some markets. The bot is not ready, and the alert lasts until the strategy runs again.',
    remedy: 'Fix the file and run `ctl reload`, or start the strategy again with `ctl resume <strategy>`.',
  },
  STRATEGY_REVIVED: {
    means: 'An operator resumed a disabled strategy. It starts again with fresh state.',
    remedy: 'Nothing to do.',
  },
  STRATEGY_STUCK: {
    means:
      'A strategy has not returned for half of `guard.deadline`, as in an endless loop. Everything on the account is cancelled. The run ends with exit code 78, or with 74 if it could not be confirmed that nothing is open.',
    remedy: 'Fix the line that the message names.',
  },
  NOT_SENT: {
    means:
      'Requests are held back before they are sent: a fence is raised, the lease is lost, or there is no connection.',
    remedy: 'Read the reason in the alert. `oddsmaker ctl <config> status` shows fence and lease.',
  },
  RATE_LIMITED: {
    means:
      'The exchange answered 429 (too many requests). The bot pauses that request window, widens its margin, and uses fewer permits.',
    remedy: 'Check that no other program uses the account. Raise `exchange.limits.margin`.',
  },
  ORDER_RECOGNISED: {
    means:
      'An order whose request got no answer was found by market, side, odds, size and time, because the exchange sent no reference.',
    remedy: 'Nothing to do: the bot now follows the order by its id.',
  },
  FATE_UNKNOWN: {
    means:
      'A request got no readable answer. Its orders count in the exposure until evidence shows what became of them.',
    remedy: 'Nothing to do: evidence usually follows. What is still unknown at the stop is listed there.',
  },
  NEVER_LANDED: {
    means: 'Evidence shows that an unanswered order never reached the book.',
    remedy: 'Nothing to do.',
  },
  ORDER_REFUSED: { means: 'The exchange refused an order.', remedy: 'Read the reason in the fields of the alert.' },
  SLOT_GAVE_UP: {
    means:
      'A quote was refused five times in a row because the request window was full. It is tried again at another price or size, or after `orders.giveUpFor`.',
    remedy: 'Check whether another program uses the account. Lower `exchange.limits.place`, or raise `margin`.',
  },
  CANCEL_WITHOUT_EFFECT: {
    means:
      'An order was cancelled four times, and the exchange still shows it as open. It counts in the limits, and is cancelled again at growing intervals. Reported once.',
    remedy: 'Check the order on the exchange: it may really rest, or the view of the exchange may lag.',
  },
  VIEWS_DIFFER: {
    means:
      'An order is open in one view of the exchange and not in another. The bot looks it up, and the answer counts.',
    remedy: 'Nothing to do if it is rare. Otherwise check the user feed.',
  },
  ORDER_ADOPTED: {
    means: 'At the start, the bot adopted an open order of an earlier run of this instance.',
    remedy: 'Nothing to do.',
  },
  SECOND_BOT: {
    means:
      'An order of this `orders.instance` is open that no journal here explains. Another bot of the same instance trades on the account from another folder or machine, or left the order behind. Before its first order, this bot waits until no such order is open. After that, the bot whose first order is later by the time of the exchange halts; if that is unknown, both halt. Neither cancels the orders of the other.',
    remedy:
      'Stop one of the bots, or give each its own `orders.instance` and its share of `exchange.limits`. If no other bot runs, `oddsmaker ctl <config> resume` adopts the open orders.',
  },
  KILL_SWITCH: {
    means: 'The kill switch was set by an operator, the configuration or a rule.',
    remedy: 'Find the reason, then run `oddsmaker ctl <config> resume`.',
  },
  LOSING_FILLS: {
    means: 'A strategy had too many losing fills within the set time, and pauses.',
    remedy: 'It resumes by itself. Widen its edge, or change `risk.losingFills`.',
  },
  STALLED: {
    means: 'The process stood still for too long. Quotes are cancelled until the books are current again.',
    remedy: 'Give the process more CPU, and look for strategies that compute for a long time.',
  },
  FENCED: {
    means: 'The guard raised the fence of this account. The bot halts and places nothing.',
    remedy: 'Read the reason in the fence file, then run `oddsmaker ctl <config> resume`.',
  },
  PLACE_HELD: {
    means: 'A place or edit was not sent: a fence is raised, the event loop stood still, or the lease is lost.',
    remedy: 'Nothing to do if it passes at once. Otherwise the reason says what to do.',
  },
  BLIND: {
    means:
      'The journal, its folder or the lease is missing, was replaced, or cannot be written. The bot cancels its orders and quotes nothing. The message names the path and the problem.',
    remedy:
      'Restore what is missing, or free disk space; quoting continues by itself once nothing is missing. If the lease was removed, run `oddsmaker ctl <config> resume`. If the journal was removed, start a new run.',
  },
  DEGRADED: {
    means:
      'The bot may quote but is not ready: too few of its wanted quotes rest (`ops.readyShare`), permits do not return, or most answers are errors. `/ready` says which.',
    remedy: 'Fix what `/ready` names. The alert ends by itself.',
  },
  LOOP_STALLED: {
    means: 'The event loop stood still for a while: a timer fired late.',
    remedy: 'Give the process more CPU, and look for strategies that compute for a long time.',
  },
  CLOCK_STEPPED: {
    means:
      'The wall clock of the machine jumped by more than a second while the bot ran, or differs from the clock of the exchange. Permits and time-outs are not affected. Until the exchange has sent its time, the bot quotes no game that starts within the size of the jump.',
    remedy: 'Run a time daemon (chrony, ntpd) that slews the clock, and find out what set it.',
  },
  FEED_SUSPECT: {
    means: 'An accepted order got no positionUpdate within 3 s. Quotes are cancelled.',
    remedy: 'Nothing to do if it passes. Otherwise check the user feed.',
  },
  ORDER_CANCELLED: {
    means:
      'An own order was cancelled without a request of this bot: an operator cancelled it, or the exchange did (liability, a game that ended). It is quoted again if it is still wanted.',
    remedy: 'Nothing to do if you know the cause. Otherwise ask the exchange, and name the order id.',
  },
  SPORT_UNKNOWN: {
    means:
      'The settlement rules of this league or sport are not known. No two market types hedge each other, and a draw counts as a loss for both sides of a moneyline. For a part of a game, only the draw rule is unknown. Reported once for each.',
    remedy: 'Set `sports` as the field `set` shows. docs/reference/results.md explains the columns.',
  },
  PERIOD_UNKNOWN: {
    means:
      'A child game has no period, or one with an unknown name, so it is not quoted. Reported once for each, and only if `markets.periods` selects more than whole games.',
    remedy:
      'Nothing to do if you do not want to quote it. The field `period` has the name that the exchange uses; docs/run/parts-of-games.md lists the known ones.',
  },
  GAME_UNGRADED: {
    means:
      'A game has ended, the exchange has not graded it, and positions in it may still lose. That loss counts in the limits. Reported once.',
    remedy:
      'Nothing to do if it is graded soon. Otherwise run `ctl settle <game>` with `<home>-<away>`, `winner <side>` or `void`.',
  },
  TEAMS_SWAPPED: {
    means:
      'Home and away of a game changed places. The bot first cancels its orders there. Bets, prices and records stay with their team; signals of the game are withdrawn.',
    remedy: 'Send the signals of the game for the new sides. A result is entered for the new sides, too.',
  },
  TEAM_REPLACED: {
    means:
      'A team of a game was replaced by one that matches neither by id nor by name. The bot quotes nothing there, and every stake on a team of the game counts as lost.',
    remedy:
      'Check on the exchange what became of the bets. If it returned them, run `ctl settle <game> void`. The alert ends when the game shows its former teams, or at the next start.',
  },
  TEAMS_FOUND: {
    means: 'A game with a replaced team shows its former teams again, and is quoted again.',
    remedy: 'Nothing to do.',
  },
  SIGNALS_LEFT_OUT: {
    means: 'More than 10,000 signals are in force. New names are ignored.',
    remedy: 'Send signals with a shorter --ttl, or withdraw those of games that are over.',
  },
} as const;
