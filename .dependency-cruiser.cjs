// Imports go one way (docs: the table of rooms). A room lists the rooms it may use, the rooms it may use for types
// only, and the libraries that live there; everything else is an error.
const rooms = {
  domain: {},
  pricing: { uses: ['domain'] },
  wire: { uses: ['domain'], npm: ['zod'] },
  exchange: { uses: ['domain', 'wire'], npm: ['axios', 'socket.io-client', 'bottleneck', 'rxjs'] },
  mirror: { uses: ['domain', 'wire'] },
  strategy: { uses: ['domain', 'pricing', 'files'], types: ['mirror'], npm: ['rxjs', 'zod'] },
  account: { uses: ['domain'], types: ['mirror'] },
  risk: { uses: ['domain', 'pricing'], types: ['account', 'mirror'] },
  orders: { uses: ['domain', 'account', 'risk'], types: ['wire', 'mirror', 'pricing'], npm: ['tinyqueue'] },
  measure: { uses: ['domain'] },
  engine: { uses: ['domain', 'wire', 'measure', 'mirror', 'account', 'pricing', 'strategy', 'risk', 'orders'] },
  pipeline: { uses: ['domain', 'wire'], types: ['engine'], npm: ['rxjs'] },
  signals: { uses: ['domain', 'pricing'], npm: ['ioredis'] },
  config: { uses: ['domain', 'pricing', 'wire'], npm: ['yaml', 'zod'] },
  terminal: { uses: ['domain'] },
  files: { uses: ['domain'] },
  journal: { uses: ['domain', 'files', 'terminal'] },
  table: { uses: ['domain', 'files', 'journal'], npm: ['csv-parse', 'hyparquet-writer'] },
  tape: { uses: ['domain', 'wire', 'files', 'journal'] },
  import: {
    uses: ['domain', 'wire', 'mirror', 'signals', 'files', 'journal', 'tape', 'history'],
    npm: ['seek-bzip', 'tar-stream'],
  },
  venue: { uses: ['domain', 'wire'], npm: ['tinyqueue'] },
  traders: { uses: ['domain', 'venue', 'tape'], npm: ['zod'] },
  paper: {
    uses: ['domain', 'wire', 'files', 'venue', 'traders', 'tape'],
    npm: ['fastify', 'socket.io', 'tinyqueue', 'zod'],
  },
  ops: { uses: ['domain'], types: ['engine'], npm: ['pino', 'rxjs'] },
  setup: {
    uses: ['domain', 'config', 'strategy', 'exchange', 'journal', 'files', 'ops'],
    types: ['account', 'engine'],
    npm: ['acorn', 'eslint-scope', 'typescript'],
  },
  run: {
    uses: ['domain', 'pricing', 'wire', 'account', 'measure', 'terminal', 'journal', 'replay'],
    types: ['engine', 'config', 'setup', 'exchange'],
  },
  conform: { uses: ['domain', 'wire', 'run'], types: ['journal', 'config'] },
  page: {
    uses: ['domain', 'journal', 'ops', 'run'],
    types: ['engine', 'account'],
    npm: ['fastify', 'socket.io', 'prom-client'],
  },
  replay: { uses: ['domain', 'wire', 'config', 'strategy', 'engine', 'files', 'journal', 'setup'] },
  report: { uses: ['domain', 'pricing', 'files', 'journal', 'terminal', 'setup', 'run', 'replay'] },
  ledger: {
    uses: ['domain', 'wire', 'account', 'config', 'files', 'journal', 'ops', 'setup', 'run', 'replay'],
    types: ['engine'],
  },
  history: {
    uses: ['domain', 'pricing', 'signals', 'table', 'journal', 'run', 'report'],
  },
  export: { uses: ['domain', 'journal', 'tape', 'setup', 'run', 'ledger'], types: ['table'] },
  guard: { uses: ['domain', 'wire', 'config', 'exchange', 'ops', 'setup'] },
  backtest: {
    uses: [
      ...['domain', 'wire', 'exchange', 'account', 'strategy', 'engine', 'pipeline', 'config', 'setup'],
      ...['files', 'terminal', 'journal', 'table', 'tape', 'measure', 'venue', 'traders', 'paper', 'run', 'report'],
    ],
    npm: ['rxjs', 'zod', 'piscina'],
  },
  sweep: {
    uses: [
      ...['domain', 'config', 'strategy', 'pricing', 'setup', 'files', 'terminal', 'journal', 'tape', 'run', 'report'],
      'backtest',
    ],
    npm: ['bullmq', 'ioredis'],
  },
  live: {
    uses: [
      ...['domain', 'wire', 'config', 'strategy', 'engine', 'exchange', 'pipeline', 'signals', 'ops', 'setup'],
      ...['files', 'terminal', 'journal', 'tape', 'run', 'ledger', 'page', 'guard', 'paper'],
    ],
    types: ['venue'],
    npm: ['rxjs'],
  },
  cli: { uses: 'any', npm: ['commander', 'rxjs'] },
};

const oneOf = (names) => `(${names.map((name) => name.replaceAll('.', '\\.')).join('|')})`;
const inRooms = (names) => `^src/${oneOf(names)}/`;
const packages = (names) => `(^|/)node_modules/${oneOf(names)}/`;

function rulesOf([room, { uses = [], types = [], npm = [] }]) {
  const from = { path: `^src/${room}/` };
  const rules = [
    {
      name: `${room}-libraries`,
      comment: `src/${room} may use ${npm.length > 0 ? npm.join(', ') : 'no library'}: one library has one home.`,
      severity: 'error',
      from,
      to: {
        dependencyTypesNot: ['local', 'core', 'aliased'],
        ...(npm.length > 0 && { pathNot: packages(npm) }),
      },
    },
  ];
  if (uses === 'any') return rules;
  const allowed = [room, ...uses];
  rules.push({
    name: `${room}-rooms`,
    comment: `src/${room} may import ${[...uses, ...types.map((name) => `${name} (types)`)].join(', ') || 'nothing'}.`,
    severity: 'error',
    from,
    to: { path: '^(src|strategies|test|bench|bin)/', pathNot: inRooms([...allowed, ...types]) },
  });
  if (types.length > 0) {
    rules.push({
      name: `${room}-types-only`,
      comment: `src/${room} may import types, and nothing that runs, from ${types.join(', ')}.`,
      severity: 'error',
      from,
      to: { path: inRooms(types), dependencyTypesNot: ['type-only'] },
    });
  }
  return rules;
}

module.exports = {
  forbidden: [
    ...Object.entries(rooms).flatMap(rulesOf),
    {
      name: 'known-room',
      comment: 'A new folder in src needs a line in the table of rooms.',
      severity: 'error',
      from: { path: '^src/', pathNot: [inRooms(Object.keys(rooms)), '^src/index\\.ts$'] },
      to: {},
    },
    {
      name: 'by-its-face',
      comment: 'A room is entered by its index.ts, or by one of a folder of it that is loaded on its own.',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/', pathNot: ['^src/$1/', '/index[.]ts$', '^src/strategy/(testkit|indicators)\\.ts$'] },
    },
    {
      name: 'src-stands-alone',
      comment: 'Nothing in src imports tests, benches or the strategies that ship.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|strategies|bin)/' },
    },
    {
      name: 'pure-rooms-no-node',
      comment: 'The core reads no file, no socket, no clock. The strategy loader, with its trap, is the one exception.',
      severity: 'error',
      from: {
        path: [
          '^src/(domain|pricing|wire|mirror|strategy|risk|orders)/',
          '^src/(account|engine)/',
          '^src/exchange/[^/]+\\.ts$',
          '^src/(venue|traders)/',
          '^src/paper/(api|faults|world|in-process)',
        ],
        pathNot: '^src/strategy/host/(loader|exit-trap)\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'strategies-use-the-package',
      comment:
        'A strategy must work anywhere on disk: oddsmaker/strategy, oddsmaker/pricing, oddsmaker/indicators, rxjs and zod, nothing else.',
      severity: 'error',
      from: { path: '^strategies/' },
      to: {
        pathNot: ['^src/(strategy|pricing)/index\\.ts$', '^src/strategy/indicators\\.ts$', packages(['rxjs', 'zod'])],
      },
    },
    {
      name: 'strategies-by-package-name',
      comment: 'Import oddsmaker/strategy, not the file behind it.',
      severity: 'error',
      from: { path: '^strategies/' },
      to: { dependencyTypes: ['local'] },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that need each other, if only for a type, are one file, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['oddsmaker-source', 'import', 'node', 'default', 'types'],
    },
  },
};
