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
    remedy: 'Write one of the spellings that the alert lists into `markets.leagues`.',
  },
  LEAGUE_EMPTY: {
    means: 'The exchange lists no game of a league in `markets.leagues`. Reported once.',
    remedy: 'Nothing to do out of season. In season, write the league as the exchange writes it.',
  },
  ORDER_ELSEWHERE: {
    means:
      'An open order of an earlier run is in a market whose book the bot does not receive: the market is closed, or its league is no longer in the configuration. Its largest possible loss counts in the limits, and a stop cancels it.',
    remedy: 'Nothing to do if the market opens again; otherwise cancel the order by hand.',
  },
  PLAYS_UNREAD: {
    means: 'Nothing is open at the end of the run, but the list of fills could not be read from the exchange.',
    remedy: 'Compare the summary with the account: it may lack fills of the last seconds.',
  },
  FILL_NOT_REPORTED: {
    means:
      'The exchange no longer lists a fill, and the request for this one fill failed. The fill counts in the limits until its result is known. Reported once.',
    remedy:
      'Check `exchange.profile.playPath`, or settle the game with `ctl settle`. If the bot does not know the game of the fill, it books no result.',
  },
  THROWN_OUTSIDE: {
    means:
      'A timer or a promise threw an error while no input was being processed. If it belongs to a strategy file, that strategy is disabled; otherwise the run stops in order with exit code 70.',
    remedy: 'Fix the strategy file: use the given `scheduler` for timers, and do not use promises in a strategy.',
  },
  RELOAD_LATER: {
    means: 'The configuration was read again, and some changed keys cannot take effect while the bot runs.',
    remedy: 'Restart the bot to apply the keys that the alert names.',
  },
  ALERT_LOST: {
    means: 'An alert could not be delivered to a target of `alerts` after three more attempts.',
    remedy:
      'The field `to` names the target, and `problem` the reason: fix it. `oddsmaker alert test <config>` sends a test to every target.',
  },
  LEDGER_FAILED: {
    means: 'The ledger cannot be written at the moment. Rows wait in memory and are written later.',
    remedy: 'Free disk space, or fix the permissions of `ledger.file`.',
  },
  STANDING_FAILED: {
    means:
      'A halt, pause, reduce-only or count of crashes could not be saved beside the journal. It is in force now, but a restart forgets it.',
    remedy: 'Free disk space or fix the permissions of `journal.dir`, then give the command again before you restart.',
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
      'A feed frame was longer than `exchange.maxFrame` and was dropped unread. On the price feed, the side of the book in that frame is unknown until it has been read by REST. On the user feed, nothing is quoted until the account has been read by REST. Reported once per feed and event; a metric counts all.',
    remedy: 'Ask the operator of the exchange. If its books are really that long, raise `exchange.maxFrame`.',
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
    means:
      'A strategy emitted an intent from a promise, or from a timer without the given scheduler. The strategy is disabled in all markets.',
    remedy: 'Pass `scheduler` to every time operator of rxjs, and use no promises.',
  },
  SERIES_DROPPED: {
    means:
      'A strategy logged a value with `log.series` that is not valid, or one too many. Such values are dropped; the strategy goes on.',
    remedy: 'Log finite numbers, with at most 50 names of 1 to 40 characters.',
  },
  STRATEGY_STRIKE: {
    means:
      'A strategy exceeded its budget for one input (`strategies[].budget`: CPU time of the thread, or elapsed time). Each excess is a strike; `budget.strikes` strikes within `budget.in` disable the strategy.',
    remedy: 'Make the strategy faster, move the work out of the bot, or raise its budget.',
  },
  STRATEGY_OVERRUN: {
    means: 'A strategy exceeded its budget too often and is disabled in all markets.',
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
      'A request was not sent: the guard or `panic` has raised the fence, another process has the lease, or there is no connection.',
    remedy:
      'The field `reason` names the cause; `oddsmaker ctl <config> status` shows fence and lease. Once the cause is fixed, `oddsmaker ctl <config> resume` removes a fence.',
  },
  RATE_LIMITED: {
    means:
      'The exchange answered 429 (too many requests). The bot pauses that request window, widens its margin, and uses fewer permits.',
    remedy: 'Check that no other program uses the account. If none does, raise `exchange.limits.margin`.',
  },
  ORDER_RECOGNISED: {
    means:
      'An order whose request got no answer was found by market, side, odds, size and time, because the exchange sent no reference.',
    remedy: 'Nothing to do: the bot now follows the order by its id.',
  },
  FATE_UNKNOWN: {
    means:
      'A request got no readable answer. Its orders count in the exposure until evidence shows what became of them.',
    remedy:
      'Nothing to do: evidence usually follows. Orders that are still unknown when the bot stops are listed then: compare these with the account.',
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
      'Four requests to cancel an order had no effect: the exchange still shows it as open. It counts in the limits. The bot cancels it again at growing intervals. Reported once.',
    remedy:
      'Look at the order on the website of the exchange. If it is open, cancel it there. If not, the list that the bot reads is late: wait.',
  },
  VIEWS_DIFFER: {
    means:
      'The bot believes that an order is open, but the exchange does not list it. The bot requests that order alone and believes the answer.',
    remedy: 'Nothing to do if it is rare. Otherwise check the user feed.',
  },
  ORDER_ADOPTED: {
    means: 'At the start, the bot adopted an open order of an earlier run of this instance.',
    remedy: 'Nothing to do.',
  },
  SECOND_BOT: {
    means:
      'An open order has the name of this `orders.instance`, but no journal in `journal.dir` contains it. Another bot of the same instance trades on the account from another folder or machine, or left the order behind. Before its first order, this bot waits until no such order is open. If it has already placed orders, the bot that began later halts: the one whose first order is later by the time of the exchange. If that time is unknown, both halt. Neither cancels the orders of the other.',
    remedy:
      'Stop one of the bots, or give each its own `orders.instance` and its share of `exchange.limits`. If no other bot runs, `oddsmaker ctl <config> resume` adopts the open orders.',
  },
  KILL_SWITCH: {
    means:
      'The trading state changed: an operator, the configuration or a rule set it. The field `state` is the new state, such as `halted`; `reason` says who or what set it.',
    remedy:
      'Nothing to do if `state` is `active`. Otherwise fix what `reason` names, then run `oddsmaker ctl <config> resume`.',
  },
  LOSING_FILLS: {
    means:
      'A strategy had `risk.losingFills.count` losing fills within `risk.losingFills.within`. It is paused for `risk.losingFills.pause`.',
    remedy:
      'Nothing to do now: it resumes by itself. If it happens often, widen its edge, or change `risk.losingFills`.',
  },
  STALLED: {
    means: 'The bot did nothing for 2 s or more. Its quotes are cancelled until the books are current again.',
    remedy: 'Give the process more CPU, and look for strategies that compute for a long time.',
  },
  FENCED: {
    means: 'The guard or `oddsmaker panic` raised the fence of this account. The bot halts and places nothing.',
    remedy:
      'Read the reason in the alert or in the fence file, fix the cause, then run `oddsmaker ctl <config> resume`.',
  },
  PLACE_HELD: {
    means:
      'Place and edit requests are held back: the guard or `panic` has raised the fence, the event loop stood still, or the bot cannot use its lease or journal.',
    remedy:
      'Nothing to do if it passes at once. Otherwise the field `reason` names the cause. Once it is fixed, `oddsmaker ctl <config> resume` removes a fence.',
  },
  BLIND: {
    means:
      'The journal, its folder or the lease is missing, was replaced, or cannot be written. The bot cancels its orders and quotes nothing. The message names the path and the problem.',
    remedy:
      'Restore the file or folder, or free disk space; then quoting continues by itself. If the lease was removed, run `oddsmaker ctl <config> resume`. If the journal was removed, start a new run.',
  },
  DEGRADED: {
    means:
      'The bot may quote but is not ready: too few of its wanted quotes rest (`ops.readyShare`), permits do not return, or most answers are errors. `/ready` says which.',
    remedy: 'Fix what `/ready` names. The alert ends by itself.',
  },
  LOOP_STALLED: {
    means:
      'The event loop of the process stood still for 200 ms or more. From 2 s on, `STALLED` follows and quotes are cancelled.',
    remedy: 'Give the process more CPU, and look for strategies that compute for a long time.',
  },
  CLOCK_STEPPED: {
    means:
      'The wall clock of the machine jumped by more than a second while the bot ran, or differs from the clock of the exchange. Permits and time-outs are not affected. Until the exchange has sent its time, the bot quotes no game whose start is nearer than the size of the jump: after a jump of 5 minutes, none that starts within 5 minutes.',
    remedy: 'Run a time daemon (chrony, ntpd) that slews the clock, and find out what set it.',
  },
  FEED_SUSPECT: {
    means:
      'The user feed did not report an accepted order (positionUpdate) within 3 s, so the bot does not trust this feed. Quotes are cancelled; then the bot tries a single one. Once that is reported, all return.',
    remedy:
      'Nothing to do if the next such alert says that all quotes return. Otherwise check on the website of the exchange which orders are open, and the network of the user feed.',
  },
  ORDER_CANCELLED: {
    means:
      'An own order was cancelled without a request of this bot: an operator cancelled it, or the exchange did (liability, a game that ended). It is quoted again if it is still wanted.',
    remedy: 'Nothing to do if you know the cause. Otherwise ask the exchange, and name the order id.',
  },
  SPORT_UNKNOWN: {
    means:
      'The settlement rules of this league or sport are not known. No two market types hedge each other, and a draw counts as a loss for both sides of a moneyline. For a part of a game, only the draw rule is unknown. Reported once for each.',
    remedy:
      'Write the YAML line of the field `set` into the configuration (`sports`), and correct it for the sport. docs/reference/results.md explains the columns.',
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
    remedy:
      'Send the signals of the game for the new sides. If you enter a result with `ctl settle`, enter it for the new sides, too.',
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
  SCORE_BACK: {
    means:
      'The clock of a game in play ran up, or its score fell (signals `clock:` and `scored:`). The game has no price of a model until its score has held for `signals.scoreAge`.',
    remedy: 'Nothing to do after a corrected score. If it repeats, check the program that sends the scores.',
  },
  HELD_EXPIRED: {
    means:
      'The values of what is held on other exchanges (signals `held:<market>:first` and `:second`) have expired in some markets, or a team there was replaced. The limits count the last values only where they are a loss. The alert lasts until fresh values arrive or the values are withdrawn.',
    remedy:
      'Check the program that sends the values. If the positions are closed, withdraw them with `null`, or with `ctl signal <name>=`.',
  },
  SIGNALS_LEFT_OUT: {
    means:
      'More than 10,000 signals are valid at once, or positions elsewhere are reported for more than 5,000 markets. Signals with further names are dropped.',
    remedy: 'Send signals with a shorter `ttl`, or withdraw those of games that are over.',
  },
} as const;
