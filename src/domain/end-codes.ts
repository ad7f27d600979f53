// Codes of errors that end a process, with its exit code: their meaning, and what to do (errors.ts).
export const END_CODES = {
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
  WORKSPACE_NOT_EMPTY: {
    exit: 2,
    means: '`init` or `new` would write where something is already.',
    remedy: 'Name another folder, or another strategy.',
  },
  WORKSPACE_FAILED: {
    exit: 75,
    means: 'A folder to work in could not be made; nothing of it was left.',
    remedy: 'Install npm, make room, or mend the permissions, and say it again.',
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
  RUN_FOLDER_FULL: {
    exit: 75,
    means: 'The disk has no room for lease, heartbeat and fence beside the journal.',
    remedy: 'Make room; a start after that succeeds.',
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
  LEASE_LOST: {
    exit: 77,
    means: 'The lease of the account names another process now: this bot cancels its orders and ends.',
    remedy: 'Find out who started the other one, and how the lease file came to be its.',
  },
  FOREIGN_ORDER: {
    exit: 77,
    means: 'The account has an open order that no run of this instance placed.',
    remedy: 'Cancel it by hand, or set orders.foreign to leave (it is counted) or cancel.',
  },
} as const;
