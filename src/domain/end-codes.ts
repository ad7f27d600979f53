// Codes of errors that end a process, with its exit code: what each means, and what to do (errors.ts).
export const END_CODES = {
  CONFIG_INVALID: {
    exit: 78,
    means: 'The YAML file has an unknown key, or a value of the wrong type or range.',
    remedy: 'Fix the line that the message names.',
  },
  ENV_FILE_UNREADABLE: {
    exit: 78,
    means: 'The file named by --env-file cannot be read.',
    remedy: 'Name a file with one line `NAME=value` for each variable that the configuration uses.',
  },
  STRATEGY_NOT_FOUND: {
    exit: 78,
    means: 'A strategy file named in the YAML file cannot be read.',
    remedy: 'Check `use`. Its path is relative to the YAML file.',
  },
  STRATEGY_INVALID: {
    exit: 78,
    means: 'A strategy file has no default export made by defineStrategy, or throws when it is loaded.',
    remedy: 'Fix the strategy file.',
  },
  WORKSPACE_NOT_EMPTY: {
    exit: 2,
    means: '`init` or `new` would overwrite existing files.',
    remedy: 'Choose another folder, or another strategy name.',
  },
  WORKSPACE_FAILED: {
    exit: 75,
    means: 'A workspace could not be created. Partly written files were removed.',
    remedy: 'Install npm, free disk space or fix the permissions, then run the command again.',
  },
  STRATEGY_IMPURE: {
    exit: 78,
    means: 'A strategy of a backtest reads a clock, draws a random number, sets a timer, or does I/O.',
    remedy: 'Use the view, the scheduler or a signal instead, or set `impure: true` for the strategy in the YAML file.',
  },
  STRATEGY_PARAMS: {
    exit: 78,
    means: 'A strategy parameter is missing, unknown or out of range.',
    remedy: 'Fix `params` of that strategy.',
  },
  TAPE_INVALID: {
    exit: 65,
    means: 'A tape is cut off at its end, is not NDJSON, or has a line that is not a tape record.',
    remedy:
      'Remove that line, which the message names, and all after it; or record the tape again. `backtest --lenient` leaves out unreadable lines.',
  },
  ODDS_INVALID: {
    exit: 65,
    means: 'A file of odds cannot be read, or has no list of events in the format of the odds vendors.',
    remedy: 'Compare the file with the format that `docs/odds-feed.md` shows. The message names the line.',
  },
  ODDS_UNREACHABLE: {
    exit: 75,
    means: 'The vendor of `signals.odds.url` does not answer, or refuses the key.',
    remedy: 'Check the address, the key and how many requests of it are left.',
  },
  TAPE_UNWRITABLE: {
    exit: 75,
    means: 'The folder for tapes cannot be written, or the end of a tape could not be written to the disk.',
    remedy: 'Free disk space, or fix the permissions of `record.dir`. What is already written can be read.',
  },
  SWEEP_INVALID: {
    exit: 2,
    means:
      'The parameter sweep is not possible: an unknown parameter, too many points, or too few days of games for --holdout or --walk-forward.',
    remedy: 'Fix the flag that the message names.',
  },
  SWEEP_CHANGED: {
    exit: 2,
    means: 'A parameter sweep cannot be resumed, or repeated with --like, because its inputs changed since it began.',
    remedy: 'Restore what the message names, or start a new sweep with another --out.',
  },
  POINT_OVERRAN: {
    exit: 78,
    means:
      'A point of a parameter sweep (one setting) ran longer than --budget and was stopped. The other points continue.',
    remedy: 'Look for an endless loop in the strategy at those parameters, or raise --budget.',
  },
  POINTS_DIFFER: {
    exit: 1,
    means: 'A point of a parameter sweep was run twice with different results.',
    remedy:
      'Find state that a strategy keeps outside `create`, or that depends on the machine. Do not trust any result of this sweep.',
  },
  POINT_LOST: {
    exit: 78,
    means: 'Three workers died while they ran the same point of a parameter sweep.',
    remedy: 'Give the workers more memory, or leave these parameters out. --resume tries the point again.',
  },
  KEY_INVALID: {
    exit: 78,
    means: 'The key file shared by sweeps and workers cannot be used.',
    remedy: 'Create a file of at least 32 bytes that only you can read, and give every worker a copy.',
  },
  QUEUE_UNREACHABLE: {
    exit: 75,
    means: 'Redis did not answer within --wait.',
    remedy: 'Start Redis or fix the network. Finished points are kept, and --resume continues.',
  },
  QUEUE_REFUSED: {
    exit: 77,
    means: 'Redis refused the user or the password of --redis, or the user lacks a permission.',
    remedy: 'Check the URL and the permissions of the user in Redis.',
  },
  QUEUE_UNTRUSTED: {
    exit: 77,
    means: 'The TLS certificate of Redis is not trusted, or belongs to another host.',
    remedy: 'Set NODE_EXTRA_CA_CERTS to the file of its CA, and use the host name of the certificate.',
  },
  QUEUE_INVALID: {
    exit: 65,
    means: 'Another program writes to the Redis keys of oddsmaker.',
    remedy: 'Remove the key that the message names, or use a separate Redis. --resume continues.',
  },
  QUEUE_FULL: {
    exit: 75,
    means: 'Redis has no memory left and refuses writes.',
    remedy: 'Raise its `maxmemory`, or remove unneeded data. --resume continues.',
  },
  RESULTS_INVALID: {
    exit: 65,
    means: 'The results file of a backtest cannot be read, or has the wrong form.',
    remedy:
      'Write {"<gameId>": {"home": 101, "away": 97}} with one entry per game. docs/reference/results.md lists every form.',
  },
  TABLE_INVALID: {
    exit: 65,
    means: 'A CSV table of a backtest cannot be read.',
    remedy: 'Create it again: run the backtest with the same flags.',
  },
  NOT_IN_SOURCE: {
    exit: 65,
    means: 'The file or folder does not contain what `export` was asked to write.',
    remedy: 'Use the source that the message names: a journal, a backtest with --journal, or a tape.',
  },
  STATE_INVALID: {
    exit: 65,
    means: 'A state file of the paper exchange cannot be read, or was written with other flags.',
    remedy: 'Start with the flags that the file was written with, or name another file.',
  },
  STATE_IN_USE: {
    exit: 77,
    means: 'Another paper exchange uses this state file.',
    remedy: 'Stop the other one. If none runs, remove the `.lock` file beside it.',
  },
  STATE_UNWRITABLE: {
    exit: 75,
    means: 'The state file of the paper exchange cannot be written, so the exchange stops.',
    remedy: 'Free disk space or fix the permissions, then start again. Every answered request is in the file.',
  },
  JOURNAL_INVALID: {
    exit: 65,
    means: 'A journal is cut off, was changed after it was written, or has a version that this program cannot read.',
    remedy: 'Use an undamaged journal, and the version of oddsmaker that wrote it.',
  },
  LOGIN_REFUSED: {
    exit: 77,
    means: 'The exchange refused the user name, the password or the account.',
    remedy: 'Check the credentials. If the account is banned or closed, contact the exchange.',
  },
  EXCHANGE_UNREACHABLE: {
    exit: 75,
    means: 'The exchange did not answer within `exchange.startTimeout`.',
    remedy: 'Check restUrl, socketUrl and the network.',
  },
  ACCOUNT_REFUSED: {
    exit: 77,
    means: 'The exchange answers 403 to every request of the account: it is banned or closed.',
    remedy: 'Contact the exchange. `oddsmaker panic` may still cancel open orders.',
  },
  MODE_MISMATCH: {
    exit: 77,
    means:
      'The player mode of the account (cash or coins) is not that of `exchange.playerMode`, and the bot may not switch it.',
    remedy: 'Switch the account to the mode of the configuration, or set `exchange.allowModeSwitch: true`.',
  },
  MODE_CHANGED: {
    exit: 77,
    means: 'The player mode changed while the bot was running.',
    remedy: 'Find out who switched it, then start again.',
  },
  PERSPECTIVE_MISMATCH: {
    exit: 78,
    means: 'The public book does not match `exchange.profile.bookPerspective`.',
    remedy:
      'Set exchange.profile.bookPerspective to the other value, or set `odds`, `side` or `line` of it separately. The message or its field `setting` names what differs.',
  },
  STOP_NOT_CONFIRMED: {
    exit: 74,
    means: 'The bot stopped, but could not confirm that all its orders are cancelled: some may still be open.',
    remedy:
      'Run `oddsmaker panic <config>`. It cancels everything on the account, and exits with 0 once nothing is open.',
  },
  INSTANCE_RUNNING: {
    exit: 77,
    means: 'Another bot of this account is running: its lease file names a running process.',
    remedy: 'Stop the other bot. The lease of a dead process is replaced automatically.',
  },
  GUARD_RUNNING: {
    exit: 77,
    means: 'A guard of this account is already running on the same files.',
    remedy: 'One guard is enough. To replace it, stop it first.',
  },
  LEDGER_LOST: {
    exit: 65,
    means:
      'The ledger, from which `risk.maxDailyLoss` is counted, is missing, replaced, incomplete or unreadable. A running bot continues and counts in memory; a new run does not start.',
    remedy:
      'Restore the file of `ledger.file`, rebuild it from the journals (`oddsmaker pnl <config> --rebuild`), or give the loss since `risk.dayStartsAt` with `oddsmaker run <config> --day-loss <dollars>`.',
  },
  LEDGER_UNWRITTEN: {
    exit: 76,
    means:
      'At the end of the run, the ledger could not be written for 10 s: another program locked it, or the disk refused writes. Rows of the run are missing from the ledger; its journal has them.',
    remedy:
      'Stop the program that locks the file. The next start adds the missing rows from the journal; so does `oddsmaker pnl <config> --rebuild`.',
  },
  LEDGER_LOCKED: {
    exit: 75,
    means: 'Another program locked the ledger for 10 s at the start. Nothing was sent.',
    remedy: 'Stop the program that locks `ledger.file`, and start again.',
  },
  LEDGER_UNREADABLE: {
    exit: 65,
    means: 'The command needs the ledger, but found none or could not read it.',
    remedy: 'Check `ledger.file` in the configuration. A run with that file writes it.',
  },
  SITE_NOT_BUILT: {
    exit: 65,
    means: 'The site that `docs` serves is not there: a checkout has it only once it was built.',
    remedy: 'Run `npm run site` in the checkout. An installed package has it.',
  },
  PORT_UNOPENED: {
    exit: 75,
    means: 'A command or a bot could not open its port.',
    remedy:
      'Choose another port with `--port`, or omit it to use any free port. For a bot, set `ops.port` to a different value for each bot of a host, or set `ops.required: false` to run without the port.',
  },
  RUN_FOLDER_FULL: {
    exit: 75,
    means: 'The disk of `journal.dir` is full: the bot cannot write the files lease, heartbeat and fence.',
    remedy: 'Free disk space, then start again.',
  },
  RUN_FOLDER_UNWRITABLE: {
    exit: 78,
    means: 'Lease, heartbeat or control socket cannot be written to `journal.dir`.',
    remedy: 'Fix the permissions of the folder, or name another one.',
  },
  REPORT_INVALID: {
    exit: 65,
    means: 'The folder contains no figures that this version can read.',
    remedy: 'Run the backtest again, or name the folder that `backtest --out` wrote.',
  },
  FILL_MODEL_INVALID: {
    exit: 65,
    means: 'The file of `--fill-model` was not written by `fit-fills`, or by another version of it.',
    remedy: 'Run `oddsmaker fit-fills` again, or omit the flag to use the included model.',
  },
  QUOTES_UNKNOWN: {
    exit: 65,
    means:
      'The inputs of `fit-quotes` contain no quote or no fill with a fair price, or no quote times by market type.',
    remedy:
      'Name journals or backtests of this version in which quotes rested and filled. Play a backtest again, or with a smaller `edge`.',
  },
  OUT_IS_INPUT: {
    exit: 2,
    means: 'The file of `--out` is also an input of the command.',
    remedy: 'Choose another file, so that the recording is not overwritten.',
  },
  OUT_UNWRITABLE: {
    exit: 78,
    means: 'The results cannot be written to the folder of `--out`, or the output of a command cannot be written.',
    remedy:
      'Choose a writable folder, and free disk space. If a subfolder has the name of a result file, such as `fills.csv`, remove it.',
  },
  BOT_UNREACHABLE: {
    exit: 75,
    means: 'No bot answers on the control socket of this account.',
    remedy:
      'Start the bot, or use the configuration and the system user of the bot. `oddsmaker panic <config>` cancels what is open.',
  },
  EMBEDDED_EXCHANGE_DIED: {
    exit: 70,
    means: 'The embedded paper exchange ended unexpectedly.',
    remedy: 'Read its last lines in the log, fix the cause that they name, and start again.',
  },
  LEASE_LOST: {
    exit: 77,
    means: 'The lease of the account now names another process. This bot cancels its orders and ends.',
    remedy: 'Find out who started the other process, and how it replaced the lease file.',
  },
  FOREIGN_ORDER: {
    exit: 77,
    means: 'The account has an open order that no run of this bot (`orders.instance`) placed.',
    remedy:
      'Cancel it by hand, or set `orders.foreign` to `leave` (it stays open and counts in the limits) or `cancel` (the bot cancels it).',
  },
} as const;
