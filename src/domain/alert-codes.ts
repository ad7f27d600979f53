// Codes of alerts after which a process continues: their meaning, and what to do (errors.ts).
export const ALERT_CODES = {
  RELOADED: {
    means: 'The file of a strategy was changed, and the new one took over.',
    remedy: 'None.',
  },
  RELOAD_FAILED: {
    means: 'The file of a strategy was changed, and cannot run; the former one goes on.',
    remedy: 'Mend what the message names, and save the file again.',
  },
  LEAGUE_AMBIGUOUS: {
    means:
      'Several leagues of the exchange differ from a league of `markets.leagues` only in case or accents, and none is written just so: none of them is quoted. Told once.',
    remedy: 'Write the league as the exchange does: the alert names its spellings.',
  },
  LEAGUE_EMPTY: {
    means: 'The exchange lists no game of a league of `markets.leagues`. Told once.',
    remedy: 'None out of season; else write the league as the exchange does.',
  },
  ORDER_ELSEWHERE: {
    means:
      'An open order of a former run is in a game that no book shows: a market that is closed, or a league that is quoted no more.',
    remedy:
      'None when the market opens again; else cancel it by hand. It counts with all it may lose, and a stop cancels it.',
  },
  PLAYS_UNREAD: {
    means: 'At the end of a run nothing is open, but the matched plays could not be read.',
    remedy: 'Compare the summary with the account: what filled in the last seconds may be missing.',
  },
  FILL_NOT_REPORTED: {
    means: 'A play that is listed no longer could not be looked up; it counts until it is graded. Told once.',
    remedy:
      'See that `exchange.profile.playPath` is right, or `ctl settle` its game; of a game that is not known nothing is booked then.',
  },
  THROWN_OUTSIDE: {
    means:
      'A timer or a promise threw outside of a step. A strategy whose file it was is taken off; else the run stops in order, with 70.',
    remedy: 'Mend the strategy file; timers are the `scheduler`’s, and promises have no place in a strategy.',
  },
  RELOAD_LATER: {
    means: 'Some of a configuration that was read again cannot change while the bot runs.',
    remedy: 'The keys are named: they are in force from the next start.',
  },
  ALERT_LOST: {
    means: 'An alert did not arrive at a target of `alerts`, after three more tries.',
    remedy: 'See `problem` and `to`; `oddsmaker alert test <config>` tries all of them.',
  },
  LEDGER_FAILED: {
    means: 'The ledger cannot be written for now; what is to be written waits, and is tried again.',
    remedy: 'Make room on the disk, or mend the permissions of `ledger.file`.',
  },
  STANDING_FAILED: {
    means:
      'What is to hold over restarts (halt, pause, reduce-only, crashes) cannot be written beside the journal; it holds for this run.',
    remedy: 'Make room or mend the permissions of `journal.dir`, and say it again before a restart.',
  },
  AFTER_CRASH: {
    means:
      'The run before was gone without an orderly end. Tells what was found on the account, and whether the run goes on or waits for `ctl resume`.',
    remedy: 'Find out what ended it (its journal, the system log); where it waits, `oddsmaker ctl <config> resume`.',
  },
  HEARTBEAT_FAILED: {
    means:
      'The heartbeat cannot be written, so a guard takes the bot for dead; under a guard the bot halts before that.',
    remedy: 'Mend the disk beside the journal, then `oddsmaker ctl <config> resume`.',
  },
  FRAME_MALFORMED: {
    means: 'A feed frame could not be read and was skipped; its game is read again by REST.',
    remedy: 'If it goes on, compare the wire profile with what the exchange sends.',
  },
  FRAME_OVERSIZE: {
    means:
      'A frame of a feed is longer than exchange.maxFrame and was dropped unread. Its side is unknown until it was read by REST; of the user feed the account is read before anything is quoted. Told once for each feed and event; a metric counts all.',
    remedy: 'Ask the operator of the exchange. Raise exchange.maxFrame where books are truly that long.',
  },
  REPLY_MALFORMED: {
    means: 'A reply under a success status could not be read.',
    remedy: 'Compare the wire profile with what the exchange sends.',
  },
  STRATEGY_THREW: {
    means: 'A strategy threw; its quotes on that market are pulled and that instance stays off.',
    remedy: 'Mend the strategy file.',
  },
  STRATEGY_COMPLETED: {
    means: 'The intents of a strategy ended while its market was quoted; that instance stays off.',
    remedy: 'Mend the strategy file: take(n), first() and the like end a stream.',
  },
  STRATEGY_BAD_INTENT: {
    means: 'A strategy emitted something that is not an intent for its market.',
    remedy: 'Mend the strategy file.',
  },
  ASYNC_EMISSION: {
    means: 'A strategy emitted outside a dispatch: it used a timer that is not the given scheduler.',
    remedy: 'Give `scheduler` to every rxjs time operator.',
  },
  STRATEGY_STRIKE: {
    means:
      'A strategy took longer for one input than its budget (`strategies[].budget`: CPU of the thread, or time by the clock). Each time is a strike; `budget.strikes` of them within `budget.in` take it off.',
    remedy: 'Make it faster, do the work apart from the bot, or give it a larger budget.',
  },
  STRATEGY_OVERRUN: {
    means: 'A strategy took longer than its budget so often that it is quarantined.',
    remedy:
      'Make it faster, do the work apart from the bot, or give it a larger budget; `ctl resume <strategy>` lets it begin anew.',
  },
  STRATEGY_OFF: {
    means:
      'A strategy was taken off for a fault of its own, whole or in some markets. The bot is not ready, and the alert stands until it runs again.',
    remedy: 'Mend the file (`ctl reload`), or `ctl resume <strategy>`, which lets it begin anew.',
  },
  STRATEGY_REVIVED: {
    means: 'An operator resumed a strategy that had been taken off: it begins anew.',
    remedy: 'None.',
  },
  STRATEGY_STUCK: {
    means:
      'A strategy has not returned for half of guard.deadline: a loop without an end. Everything on the account is cancelled, and the run ends with 78, or with 74 when it could not be confirmed that nothing is open.',
    remedy: 'Mend the line named.',
  },
  NOT_SENT: {
    means: 'Requests are held back before they leave: a fence, a lost lease, or no connection.',
    remedy: 'See the reason it gives; `oddsmaker ctl <config> status` tells of fence and lease.',
  },
  RATE_LIMITED: {
    means: 'The exchange answered 429; the bucket is held, its margin widened, and fewer permits go round.',
    remedy: 'Check that nobody else uses the account; widen exchange.limits.margin.',
  },
  ORDER_RECOGNISED: {
    means: 'An order without an answer was found by market, side, odds, size and time: no reference told.',
    remedy: 'None: it is followed by its id from now on.',
  },
  FATE_UNKNOWN: {
    means: 'A request had no readable answer; its orders stay in exposure until evidence settles them.',
    remedy: 'None: it settles itself, or is listed at the stop.',
  },
  NEVER_LANDED: { means: 'An unanswered order was shown never to have reached the book.', remedy: 'None.' },
  ORDER_REFUSED: { means: 'The exchange refused an order.', remedy: 'The fields say why.' },
  SLOT_GAVE_UP: {
    means:
      'A quote was refused five times in a row because the request window was full. It waits for another price or size, or for `orders.giveUpFor`.',
    remedy: 'Does another program use the account? Lower `exchange.limits.place`, or widen `margin`.',
  },
  CANCEL_WITHOUT_EFFECT: {
    means:
      'An order was cancelled four times, and the exchange shows it as open; it counts, and is cancelled again, less and less often. Told once.',
    remedy: 'Look at the order on the exchange: it may rest, or its view may lag.',
  },
  VIEWS_DIFFER: {
    means: 'An order is open in one view and not in another; it is looked up and what the exchange says counts.',
    remedy: 'None if it is rare; otherwise look at the user feed.',
  },
  ORDER_ADOPTED: {
    means: 'An open order of a former run of this instance was taken over at the start.',
    remedy: 'None.',
  },
  SECOND_BOT: {
    means:
      'An order of this `orders.instance` rests that no journal here explains: another bot of the instance trades on the account, from another folder or machine, or left it. Before its first order this bot waits until none rests. Behind that the bot whose first order is younger by the exchange’s time halts; where that is not known, both do. Neither cancels what the other one placed.',
    remedy:
      'Stop one of them, or give each its own `orders.instance` and its share of `exchange.limits`. Where no other bot runs, `oddsmaker ctl <config> resume` takes over what rests.',
  },
  KILL_SWITCH: {
    means: 'The kill switch was set, by an operator, the configuration or a rule.',
    remedy: 'Find out why, then `oddsmaker ctl <config> resume`.',
  },
  LOSING_FILLS: {
    means: 'A strategy had too many losing fills in a while and pauses.',
    remedy: 'It comes back by itself; widen its edge, or risk.losingFills.',
  },
  STALLED: {
    means: 'The process stood still longer than it may; quotes are pulled until the books are fresh.',
    remedy: 'Give the process more of the machine; look for strategies that compute for long.',
  },
  FENCED: {
    means: 'The guard raised the fence of this account: the bot halts and places nothing.',
    remedy: 'Find out what the guard saw (the fence file says), then `oddsmaker ctl <config> resume`.',
  },
  PLACE_HELD: {
    means: 'A place or edit was not sent: a fence stands, the loop stood still, or the lease is lost.',
    remedy: 'None when it passes at once; the reason says what to do.',
  },
  BLIND: {
    means:
      'The journal, its folder or the lease is gone, is another one, or takes nothing more: the bot cancels its orders and quotes nothing. The message names the path and what is true of it.',
    remedy:
      'Bring back what is gone, or make room: quoting goes on by itself where nothing is missing. A lease that was removed comes back by `oddsmaker ctl <config> resume`; a journal that was removed needs a new run.',
  },
  DEGRADED: {
    means:
      'The bot may quote and is not ready: too few of its wanted quotes rest (ops.readyShare), permits do not come back, or most answers are errors. `/ready` says which.',
    remedy: 'Look at what `/ready` names; it passes by itself when that does.',
  },
  LOOP_STALLED: {
    means: 'The event loop stood still for a while, measured by a timer that came late.',
    remedy: 'Give the process more of the machine; look for strategies that compute for long.',
  },
  CLOCK_STEPPED: {
    means:
      'The wall clock of the machine was set by more than a second while the bot ran, or is not the one of the exchange. Permits and time-outs do not notice. Until the exchange has told its time, no game is quoted that starts within the step.',
    remedy: 'Let a daemon (chrony, ntpd) slew the clock, and find out who set it.',
  },
  FEED_SUSPECT: {
    means: 'An accepted order had no positionUpdate within 3 s; quotes are pulled.',
    remedy: 'None if it passes; otherwise check the user feed.',
  },
  ORDER_CANCELLED: {
    means:
      'An order of ours was cancelled, and nobody here asked for it: an operator did, or the exchange (liability, a game that ended). It is quoted again if it is still wanted.',
    remedy: 'None if it is known who did; otherwise ask the exchange, with the order id.',
  },
  SPORT_UNKNOWN: {
    means:
      'It is not known what decides bets of this league or sport: no two market types hedge each other, and a draw loses both sides of a moneyline; of a part of a game the draw alone is unknown. Reported once for each.',
    remedy: 'Set `sports`, as the field `set` shows; docs/reference/results.md has the columns.',
  },
  PERIOD_UNKNOWN: {
    means:
      'A child game has a period that is not known, by its name or none: it is not quoted. Told once for each, and only where markets.periods asks for more than whole games.',
    remedy:
      'None if nobody wants it quoted. The field `period` has the name that the exchange gives it; docs/run/parts-of-games.md lists those that are read.',
  },
  GAME_UNGRADED: {
    means:
      'A game has ended, the exchange does not grade it, and what is held there may still lose; that counts in the limits. Told once.',
    remedy: 'None if it is graded soon; otherwise `ctl settle <game> <home>-<away>`, `winner <side>` or `void`.',
  },
  TEAMS_SWAPPED: {
    means:
      'Home and away of a game changed places. Its orders are cancelled first; bets, prices and records stay with their team, and signals of the game are withdrawn.',
    remedy: 'Whoever sends signals for the game must send them for the new sides; a result has the new sides, too.',
  },
  TEAM_REPLACED: {
    means:
      'A team of a game is another one, found neither by id nor by name: nothing is quoted there any more, and every stake on a team of the game counts as lost.',
    remedy:
      'Look at the exchange what became of the bets; `ctl settle <game> void` where it returned them. It ends when the game shows both teams of before, or at the next start.',
  },
  TEAMS_FOUND: {
    means: 'A game that had lost a team shows both teams of before: it is quoted again.',
    remedy: 'None.',
  },
  SIGNALS_LEFT_OUT: {
    means: 'More than 10,000 signals stand; new names are left out.',
    remedy: 'Give signals a shorter --ttl, or withdraw those of games that are over.',
  },
} as const;
