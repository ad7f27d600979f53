// The registry of error codes: every refusal, fault and exit of ours is named here, with what it means and what to do.
// docs/reference/errors.md is made from it, and a test keeps the two equal.

export const EXIT = {
  done: 0,
  /** A check that was asked for does not hold. */
  failed: 1,
  usage: 2,
  badData: 65,
  bug: 70,
  notConfirmed: 74,
  gaveUp: 75,
  /** Stopped clean, and the ledger has not all of it. */
  ledgerUnwritten: 76,
  refused: 77,
  badConfig: 78,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const ERROR_CODES = {
  CONFIG_INVALID: {
    exit: 78,
    means: 'The YAML file has a wrong key, type or value.',
    remedy: 'Mend the line named in the message.',
  },
  ENV_FILE_UNREADABLE: {
    exit: 78,
    means: 'The file of --env-file cannot be read.',
    remedy: 'Name a file with a line NAME=value for each variable of the configuration.',
  },
  STRATEGY_NOT_FOUND: {
    exit: 78,
    means: 'A strategy file named in the YAML cannot be read.',
    remedy: 'Check `use`; paths are relative to the YAML file.',
  },
  STRATEGY_INVALID: {
    exit: 78,
    means: 'A strategy file does not export a defineStrategy result by default, or throws when loaded.',
    remedy: 'Mend the strategy file.',
  },
  DESK_NOT_EMPTY: {
    exit: 2,
    means: '`init` or `new` would write where something is already.',
    remedy: 'Name another folder, or another strategy.',
  },
  DESK_FAILED: {
    exit: 75,
    means: 'A folder to work in could not be made; nothing of it was left.',
    remedy: 'Install npm, make room, or mend the permissions, and say it again.',
  },
  RELOADED: {
    means: 'The file of a strategy was changed, and the new one took over.',
    remedy: 'None.',
  },
  RELOAD_FAILED: {
    means: 'The file of a strategy was changed, and cannot run; the former one goes on.',
    remedy: 'Mend what the message names, and save the file again.',
  },
  STRATEGY_IMPURE: {
    exit: 78,
    means: 'A strategy of a backtest reads a clock, draws a random number, sets a timer, or reaches outside.',
    remedy: 'Take what the view, the scheduler or a signal gives; or say `impure: true` of it in the YAML.',
  },
  STRATEGY_PARAMS: {
    exit: 78,
    means: 'A strategy parameter is missing, unknown or out of range.',
    remedy: 'Mend `params` of that strategy.',
  },
  TAPE_INVALID: {
    exit: 65,
    means: 'A tape is torn, is not NDJSON or has a line that is not a tape record.',
    remedy: 'Cut the tape at the line named, or record it again.',
  },
  TAPE_UNWRITABLE: {
    exit: 75,
    means: 'The folder for tapes cannot be written, or the disk refused the end of a tape.',
    remedy: 'Make room or mend the permissions of `record.dir`. What is on the disk can be read.',
  },
  SWEEP_INVALID: {
    exit: 2,
    means: 'What a sweep is asked for cannot be: a parameter that is none, too many points, too few days to hold out.',
    remedy: 'Mend the flag that the message names.',
  },
  SWEEP_CHANGED: {
    exit: 2,
    means: 'A sweep was to go on, and its inputs are not those it began with.',
    remedy: 'Put back what the message names, or begin anew in another --out.',
  },
  POINT_OVERRAN: {
    exit: 78,
    means: 'A point of a sweep ran longer than --budget, and was ended. The others go on.',
    remedy: 'Look for a loop in the strategy at those parameters, or give a longer --budget.',
  },
  POINTS_DIFFER: {
    exit: 1,
    means: 'A point of a sweep was played twice, and came to different results.',
    remedy:
      'Look for what a strategy keeps outside of `create`, or takes from the machine: nothing of such a sweep can be trusted.',
  },
  POINT_LOST: {
    exit: 78,
    means: 'A point of a sweep was begun by several workers, and each of them died of it or meanwhile.',
    remedy: 'Give the workers more memory, or leave these parameters out; --resume tries it again.',
  },
  KEY_INVALID: {
    exit: 78,
    means: 'The key file that sweeps and workers share cannot be used.',
    remedy: 'Make one of at least 32 bytes that nobody else can read, and give every worker a copy.',
  },
  QUEUE_UNREACHABLE: {
    exit: 75,
    means: 'Redis did not answer for longer than --wait.',
    remedy: 'Start it or mend the network; what was played is kept, and --resume goes on.',
  },
  QUEUE_REFUSED: {
    exit: 77,
    means: 'Redis refuses the user or the password of --redis, or what they may do.',
    remedy: 'Check the URL, and the rights of the user there.',
  },
  QUEUE_UNTRUSTED: {
    exit: 77,
    means: 'The certificate of a Redis over TLS is not trusted, or is that of another host.',
    remedy: 'Name the file of its CA in NODE_EXTRA_CA_CERTS, and the host as the certificate does.',
  },
  QUEUE_INVALID: {
    exit: 65,
    means: 'Something else writes into the keys of oddsmaker in Redis.',
    remedy: 'Remove the key that the message names, or take a Redis of your own; --resume goes on.',
  },
  QUEUE_FULL: {
    exit: 75,
    means: 'Redis takes nothing more: its memory is full.',
    remedy: 'Give it a higher maxmemory, or remove what is not needed; --resume goes on.',
  },
  RESULTS_INVALID: {
    exit: 65,
    means: 'The file of results for a backtest cannot be read, or is not what is expected.',
    remedy:
      'Write {"<gameId>": {"home": 101, "away": 97}}, one entry a game; docs/reference/results.md has every form.',
  },
  TABLE_INVALID: {
    exit: 65,
    means: 'A table (CSV) of a backtest cannot be read.',
    remedy: 'Make it again: run the backtest with the same flags.',
  },
  NOT_IN_SOURCE: {
    exit: 65,
    means: 'What `export` was asked for is not in that file or folder.',
    remedy: 'The message names what has it: a journal, a backtest with --journal, or a tape.',
  },
  STATE_INVALID: {
    exit: 65,
    means: 'A state file of the paper exchange cannot be read, or belongs to other flags.',
    remedy: 'Start with the flags it was made with, or name another file.',
  },
  STATE_IN_USE: {
    exit: 77,
    means: 'Another paper exchange writes this state file.',
    remedy: 'Stop the other one; if none runs, remove the `.lock` file beside it.',
  },
  STATE_UNWRITABLE: {
    exit: 75,
    means: 'The state file of the paper exchange cannot be written, so nothing more can be promised.',
    remedy: 'Make room or mend the permissions, then start again: what was answered is in the file.',
  },
  JOURNAL_INVALID: {
    exit: 65,
    means: 'A journal is torn, was changed after it was written, or is of a version that this one cannot read.',
    remedy: 'Use an intact journal, and the version that wrote it.',
  },
  LOGIN_REFUSED: {
    exit: 77,
    means: 'The exchange refused username and password, or the account.',
    remedy: 'Check the credentials; banned or closed accounts need the operator of the exchange.',
  },
  EXCHANGE_UNREACHABLE: {
    exit: 75,
    means: 'The exchange did not answer within startTimeout.',
    remedy: 'Check restUrl, socketUrl and the network.',
  },
  ACCOUNT_REFUSED: {
    exit: 77,
    means: 'The exchange answers 403 to the account itself: it is banned or closed.',
    remedy: 'Ask the operator of the exchange; `oddsmaker panic` may still cancel what is open.',
  },
  MODE_MISMATCH: {
    exit: 77,
    means: 'The account is in another player mode than the configuration, and switching is not allowed.',
    remedy: 'Switch the account, or set exchange.allowModeSwitch.',
  },
  MODE_CHANGED: {
    exit: 77,
    means: 'The player mode changed while the bot was running.',
    remedy: 'Find out who switched it, then start again.',
  },
  PERSPECTIVE_MISMATCH: {
    exit: 78,
    means: 'The public book does not read as exchange.profile.bookPerspective says.',
    remedy: 'Set exchange.profile.bookPerspective to the other value, as a whole or for odds, side or line.',
  },
  STOP_NOT_CONFIRMED: {
    exit: 74,
    means: 'It could not be confirmed that no own order is open.',
    remedy: 'Run `oddsmaker panic <config>`.',
  },
  INSTANCE_RUNNING: {
    exit: 77,
    means: 'Another bot of this account is running: its lease file names a living process.',
    remedy: 'Stop the other one; a lease whose process is dead is taken over by itself.',
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
  PLAY_NOT_TOLD: {
    means: 'A play that is listed no longer could not be looked up; it counts until it is graded. Told once.',
    remedy:
      'See that `exchange.profile.playPath` is right, or `ctl settle` its game; of a game that is not known nothing is booked then.',
  },
  THROWN_OUTSIDE: {
    means:
      'A timer or a promise threw outside of a step. A strategy whose file it was is taken off; else the run stops in order, with 70.',
    remedy: 'Mend the strategy file; timers are the `scheduler`’s, and promises have no place in a strategy.',
  },
  GUARD_RUNNING: {
    exit: 77,
    means: 'A guard of this account runs already, on the same files.',
    remedy: 'One is enough; stop that one first to replace it.',
  },
  LEDGER_LOST: {
    exit: 65,
    means:
      'The ledger that keeps the loss of the day is gone, replaced, incomplete or cannot be read. A run that loses it goes on and counts in memory; none starts without it.',
    remedy:
      'Restore the file of `ledger.file`, make it again from the journals (`oddsmaker pnl <config> --rebuild`), or say what the account lost since `risk.dayStartsAt`: `oddsmaker run <config> --day-loss <dollars>`.',
  },
  LEDGER_UNWRITTEN: {
    exit: 76,
    means:
      'Another program kept the ledger locked, or the disk refused it, for 10 s at the end of the run: rows of the run are not in it. Its journal has them.',
    remedy:
      'End what locks the file. The next start takes in from the journal what is missing, and so does `oddsmaker pnl <config> --rebuild`.',
  },
  LEDGER_LOCKED: {
    exit: 75,
    means: 'Another program kept the ledger locked for 10 s at the start. Nothing was sent.',
    remedy: 'End what locks the file of `ledger.file`, and start again.',
  },
  LEDGER_UNREADABLE: {
    exit: 65,
    means: 'A command that asks the ledger found none, or one that it cannot read.',
    remedy: 'See `ledger.file` of the configuration; a run with that file writes it.',
  },
  PORT_UNOPENED: {
    exit: 75,
    means: 'A port that a command or a bot was to listen on cannot be opened.',
    remedy:
      'Name another one with `--port`, or leave it out: then any free one is taken. For a bot set `ops.port`, one for each bot of a host, or `ops.required: false` to run without.',
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
  RUN_FOLDER_FULL: {
    exit: 75,
    means: 'The disk has no room for lease, heartbeat and fence beside the journal.',
    remedy: 'Make room; a start after that succeeds.',
  },
  HEARTBEAT_FAILED: {
    means:
      'The heartbeat cannot be written, so a guard takes the bot for dead; under a guard the bot halts before that.',
    remedy: 'Mend the disk beside the journal, then `oddsmaker ctl <config> resume`.',
  },
  RUN_FOLDER_UNWRITABLE: {
    exit: 78,
    means: 'Lease, heartbeat or control socket cannot be kept in `journal.dir`.',
    remedy: 'Mend the permissions of the folder, or name another one.',
  },
  REPORT_INVALID: {
    exit: 65,
    means: 'The folder has no figures that this version can tell.',
    remedy: 'Play the backtest again, or name the folder that `backtest --out` wrote.',
  },
  FILL_MODEL_INVALID: {
    exit: 65,
    means: 'The file of `--fill-model` is not one that `fit-fills` wrote, or not of this version.',
    remedy: 'Fit it anew with `oddsmaker fit-fills`, or leave the flag out: a model ships.',
  },
  OUT_IS_INPUT: {
    exit: 2,
    means: 'The file of `--out` is one of those that the command reads.',
    remedy: 'Name another: a recording that is written over is gone.',
  },
  OUT_UNWRITABLE: {
    exit: 78,
    means: 'The results cannot be written into the folder of `--out`, or what a command prints where it goes.',
    remedy: 'Name a folder that may be written, and has no folder in the place of a result; make room on the disk.',
  },
  BOT_UNREACHABLE: {
    exit: 75,
    means: 'No bot answers on the control socket of this account.',
    remedy: 'Start it, or check that config and user are the same; what is open goes with `oddsmaker panic <config>`.',
  },
  EMBEDDED_EXCHANGE_DIED: {
    exit: 70,
    means: 'The embedded paper exchange ended by itself.',
    remedy: 'Its last lines in the log say why.',
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
  LEASE_LOST: {
    exit: 77,
    means: 'The lease of the account names another process now: this bot cancels its orders and ends.',
    remedy: 'Find out who started the other one, and how the lease file came to be its.',
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
  FOREIGN_ORDER: {
    exit: 77,
    means: 'The account has an open order that no run of this instance placed.',
    remedy: 'Cancel it by hand, or set orders.foreign to leave (it is counted) or cancel.',
  },
} as const satisfies Readonly<
  Record<string, { readonly exit?: ExitCode; readonly means: string; readonly remedy: string }>
>;
export type ErrorCode = keyof typeof ERROR_CODES;

/** What the system calls an error, such as `EEXIST`; undefined when it is none of its errors. */
export const systemCodeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** What is said of a failure, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A failure that ends the process with a stated code: boot failures and lost resources, never an expected outcome. */
export class OddsmakerError extends Error {
  readonly code: ErrorCode;
  readonly exit: ExitCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OddsmakerError';
    this.code = code;
    const entry = ERROR_CODES[code];
    this.exit = 'exit' in entry ? entry.exit : EXIT.bug;
  }
}
