// Imports go one way (docs: the table of rooms). A room lists the rooms it may use, the rooms it may use for types
// only, and the libraries that live there; everything else is an error.
const rooms = {
  domain: {},
  pricing: { uses: ['domain'] },
  wire: { uses: ['domain'], npm: ['zod'] },
  exchange: { uses: ['domain', 'wire'], npm: ['axios', 'socket.io-client', 'bottleneck', 'rxjs'] },
  mirror: { uses: ['domain', 'wire'] },
  strategy: { uses: ['domain'], types: ['mirror'], npm: ['rxjs', 'zod'] },
  account: { uses: ['domain'], types: ['mirror'] },
  risk: { uses: ['domain'], types: ['account', 'mirror'] },
  orders: { uses: ['domain', 'account', 'risk'], types: ['wire', 'mirror'], npm: ['tinyqueue'] },
  engine: { uses: ['domain', 'wire', 'mirror', 'account', 'strategy', 'risk', 'orders'] },
  signals: { uses: ['domain', 'pricing'], npm: ['ioredis'] },
  paper: { uses: ['domain', 'wire'], npm: ['fastify', 'socket.io', 'tinyqueue', 'zod'] },
  record: { uses: ['domain', 'wire'], npm: ['rxjs', 'seek-bzip', 'tar-stream', 'hyparquet-writer'] },
  backtest: {
    uses: [
      'domain',
      'wire',
      'exchange',
      'account',
      'strategy',
      'engine',
      'paper',
      'record',
      'config',
      'report',
    ],
    npm: ['rxjs', 'zod'],
  },
  report: { uses: ['domain'] },
  sweep: {
    uses: ['domain', 'backtest', 'report', 'record'],
    npm: ['bullmq', 'ioredis'],
  },
  ops: {
    uses: ['domain', 'engine', 'report'],
    types: ['account'],
    npm: ['fastify', 'socket.io', 'pino', 'prom-client', 'rxjs'],
  },
  config: { uses: ['domain', 'pricing', 'wire'], npm: ['yaml', 'zod'] },
  cli: { uses: 'any', npm: ['commander', 'acorn', 'eslint-scope', 'piscina', 'rxjs', 'typescript'] },
};

/** Records that name each other: an order its account, its book and its fills, and these their orders. */
const RECURSIVE = [
  '^src/account/(name|order|fill)\\.ts$',
  '^src/paper/venue/(account|order|market-book)\\.ts$',
];

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
      name: 'src-stands-alone',
      comment: 'Nothing in src imports tests, benches or the strategies that ship.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|strategies|bin)/' },
    },
    {
      name: 'pure-rooms-no-node',
      comment:
        'The core reads no file, no socket, no clock. The strategy loader, with its trap, is the one exception.',
      severity: 'error',
      from: {
        path: [
          '^src/(domain|pricing|wire|mirror|strategy|risk|orders)/',
          '^src/(account|engine)/',
          '^src/exchange/[^/]+\\.ts$',
          '^src/paper/(venue|traders|api|faults|world|in-process)',
        ],
        pathNot: '^src/strategy/(loader|exit-trap)\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'strategies-use-the-package',
      comment:
        'A strategy must work anywhere on disk: oddsmaker/strategy, oddsmaker/pricing, rxjs and zod, nothing else.',
      severity: 'error',
      from: { path: '^strategies/' },
      to: { pathNot: ['^src/(strategy|pricing)/index\\.ts$', packages(['rxjs', 'zod'])] },
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
      from: { pathNot: RECURSIVE },
      to: { circular: true },
    },
    {
      name: 'no-cycles-at-run-time',
      comment: 'Records that name each other may do so as types, and in no other way.',
      severity: 'error',
      from: { path: RECURSIVE },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
