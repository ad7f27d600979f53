// Every error of a configuration names the place (file, line, column), the key and what was expected.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadExchange } from '../../src/config/index.ts';
import { configFolder, LEAST } from './fixtures.ts';

const { refused, refusal, load, write, folder } = configFolder();
/** A valid configuration of two lines, then the given line as the third. */
const third = (line: string): string => LEAST + line + '\n';
const embedded = (keys: string): string =>
  `exchange: { embedded: {}, ${keys} }\nstrategies: [{ use: ./own.ts, id: main }]\n`;

describe('an unknown key', () => {
  it.each([
    ['at the top', third('riks: {}'), '3:1: riks: unknown key; did you mean risk?'],
    [
      'in a section',
      third('risk: { maxOrderRiks: 5 }'),
      '3:9: risk.maxOrderRiks: unknown key; did you mean maxOrderRisk?',
    ],
    ['in the exchange', embedded('user: x'), '1:27: exchange.user: unknown key'],
    ['in a window', embedded('limits: { place: { burst: 5 } }'), '1:46: exchange.limits.place.burst: unknown key'],
    ['in the profile', embedded('profile: { odds: 5 }'), '1:38: exchange.profile.odds: unknown key'],
    [
      'in a strategy',
      'exchange: { embedded: {} }\nstrategies:\n  - use: ./own.ts\n    id: main\n    parms: {}\n',
      '5:5: strategies.0.parms: unknown key; did you mean params?',
    ],
    [
      'in the embedded exchange',
      'exchange: { embedded: { game: 6 } }\nstrategies: [{ use: a, id: b }]',
      '1:25: exchange.embedded.game: unknown key; did you mean games?',
    ],
  ])('is reported at its key %s', (_where, yaml, message) => {
    expect(refused(yaml)).toEqual([message]);
  });

  it('is reported once for each of several', () => {
    expect(refused(third('risk: { a: 1, b: 2 }')).map((line) => line.replace(/^\d+:\d+: /, ''))).toEqual([
      'risk.a: unknown key',
      'risk.b: unknown key',
    ]);
  });
});

describe('a key name that JavaScript reserves', () => {
  const params = (text: string): string =>
    `exchange: { embedded: {} }\nstrategies:\n  - use: ./own.ts\n    id: main\n    params: ${text}\n`;

  it.each([
    ['a parameter', params('{ __proto__: { edge: 1 } }'), '5:15: strategies.0.params.__proto__: '],
    ['deep in a parameter', params('{ a: [{ constructor: 1 }] }'), '5:21: strategies.0.params.a.0.constructor: '],
    ['a sport', third('sports: { __proto__: { draw: push } }'), '3:11: sports.__proto__: '],
    ['a sport in quotes', third('sports: { "prototype": { draw: push } }'), '3:11: sports.prototype: '],
    ['a section', third('constructor: {}'), '3:1: constructor: '],
  ])('is refused as %s', (_what, yaml, begins) => {
    const [line = '', ...rest] = refused(yaml);
    expect([line.slice(0, begins.length), rest]).toEqual([begins, []]);
    expect(line).toContain('expected another name');
  });
});

describe('a wrong value', () => {
  const WRONG: readonly (readonly [yaml: string, place: string, key: string, expected: RegExp])[] = [
    [third('risk: { maxOrderRisk: lots }'), '3:23', 'risk.maxOrderRisk', /expected number/],
    [third('risk: { maxOrderRisk: 1001 }'), '3:23', 'risk.maxOrderRisk', /<=1000/],
    [third('risk: { maxCreditUse: 1.5 }'), '3:23', 'risk.maxCreditUse', /<=1/],
    [third('risk: { maxOpenOrders: 1.5 }'), '3:24', 'risk.maxOpenOrders', /int/],
    [third('risk: { staleAfter: soon }'), '3:21', 'risk.staleAfter', /duration such as .*"soon"/],
    [third('risk: { staleAfter: 10 }'), '3:21', 'risk.staleAfter', /duration such as/],
    [third('risk: { staleAfter: 25h }'), '3:21', 'risk.staleAfter', /at most 24h/],
    [third('risk: 5'), '3:7', 'risk', /expected object/],
    [third('risk: [1]'), '3:1', 'risk', /expected object/],
    [third('markets: { types: [moneyline, moneylines] }'), '3:31', 'markets.types.1', /"moneyline"/],
    [third('markets: { types: [] }'), '3:12', 'markets.types', />=1/],
    [third('markets: { leagues: NBA }'), '3:21', 'markets.leagues', /expected array/],
    [third('markets: { lines: some }'), '3:19', 'markets.lines', /"main"\|"all"/],
    [third('markets: { live: 1 }'), '3:18', 'markets.live', /expected boolean/],
    [third('markets: { games: 5 }'), '3:19', 'markets.games', /all/],
    [third('markets: { select: { by: width } }'), '3:26', 'markets.select.by', /"value"\|"all"/],
    [third('markets: { select: { most: -3 } }'), '3:28', 'markets.select.most', />=1/],
    [third('markets: { select: { most: 2.5 } }'), '3:28', 'markets.select.most', /int/],
    [third('markets: { select: { gates: { pinned: 0.6 } } }'), '3:39', 'markets.select.gates.pinned', /<=0.5/],
    [third('markets: { select: { gates: { pinned: -1 } } }'), '3:39', 'markets.select.gates.pinned', />=0/],
    [third('markets: { select: { gates: { maxSpread: 8 } } }'), '3:42', 'markets.select.gates.maxSpread', /<=1/],
    [
      third('markets: { select: { gates: { maxPriceAge: 5 } } }'),
      '3:44',
      'markets.select.gates.maxPriceAge',
      /null, or a duration/,
    ],
    [third('orders: { tolerance: 0.6 }'), '3:22', 'orders.tolerance', /<=0.5/],
    [third('orders: { instance: A }'), '3:21', 'orders.instance', /lower-case/],
    [third('orders: { expiry: soon }'), '3:19', 'orders.expiry', /duration such as/],
    [third('orders: { foreign: take }'), '3:20', 'orders.foreign', /"leave"\|"cancel"\|"refuse"/],
    [third('log: { level: loud }'), '3:15', 'log.level', /"info"/],
    [third('ops: { port: 70000 }'), '3:14', 'ops.port', /<=65535/],
    [third('onExit: now'), '3:9', 'onExit', /"cancel"\|"leave"/],
    [embedded('playerMode: gold'), '1:39', 'exchange.playerMode', /"cash"\|"coins"/],
    [embedded('limits: { place: { requests: 0 } }'), '1:56', 'exchange.limits.place.requests', />=1/],
    [embedded('profile: { bookPerspective: bogus }'), '1:55', 'exchange.profile.bookPerspective', /offerer/],
    [embedded('profile: { oddsStep: 0 }'), '1:48', 'exchange.profile.oddsStep', />=0.1/],
    [
      'exchange: { embedded: { traders: many } }\nstrategies: [{ use: a, id: b }]',
      '1:34',
      'exchange.embedded.traders',
      /"synthetic"/,
    ],
    [
      'exchange: { embedded: { from: nonsense } }\nstrategies: [{ use: a, id: b }]',
      '1:31',
      'exchange.embedded.from',
      /ISO time|offset/,
    ],
    ['exchange: { embedded: }\nstrategies: [{ use: a, id: b }]', '1:23', 'exchange.embedded', /expected object/],
    ['exchange: { embedded: {} }\nstrategies: []', '2:1', 'strategies', />=1/],
    ['exchange: { embedded: {} }\nstrategies:\n  - { id: b }', '3:5', 'strategies.0.use', /expected string/],
    ['exchange: { embedded: {} }\nstrategies:\n  - { use: a, id: b c }', '3:19', 'strategies.0.id', /1 to 24 letters/],
    [
      'exchange: { embedded: {} }\nstrategies:\n  - { use: a, id: b, params: 5 }',
      '3:30',
      'strategies.0.params',
      /expected record/,
    ],
  ];
  it.each(WRONG.map(([yaml, place, key, expected]) => [key, place, yaml, expected] as const))(
    'of %s is reported with its place (%s), key and what was expected',
    (key, place, yaml, expected) => {
      const [line = ''] = refused(yaml);
      expect(line).toMatch(expected);
      expect(line).toContain(` ${key}: `);
      expect(line.startsWith(`${place}: `), line).toBe(true);
    },
  );

  it('is reported for each of several at once', () => {
    const lines = refused(third('risk: { maxOrderRisk: lots }\nlog: { level: loud }\nonExit: now'));
    expect(lines.map((line) => /^\d+/.exec(line)?.[0]).toSorted()).toEqual(['3', '4', '5']);
  });

  it('is reported at its own line in a long file', () => {
    const yaml = `# a comment\n\n${LEAST}\n# more\nrisk:\n  maxOrderRisk: 10\n\n  priceBand: wide # oops\n`;
    expect(refused(yaml)).toEqual([expect.stringMatching(/^10:14: risk\.priceBand: /)]);
  });
});

describe('the exchange section', () => {
  const account = 'username: a, password: b';
  const yamlOf = (exchange: string): string => `exchange: { ${exchange} }\nstrategies: [{ use: a, id: b }]\n`;
  it.each([
    [
      'both embedded and a URL',
      `embedded: {}, restUrl: "http://x", ${account}`,
      /^1:\d+: exchange\.embedded: expected either .* not both/,
    ],
    ['neither', account, /^1:\d+: exchange\.restUrl: expected a URL \(or exchange\.embedded/],
    ['only the REST URL', `restUrl: "http://x", ${account}`, /^1:\d+: exchange\.socketUrl: expected a URL/],
    ['only the socket URL', `socketUrl: "http://x", ${account}`, /^1:\d+: exchange\.restUrl: expected a URL/],
    ['no username', 'restUrl: "http://x", socketUrl: "http://x", password: b', /exchange\.username: expected/],
    ['no password', 'restUrl: "http://x", socketUrl: "http://x", username: a', /exchange\.password: expected/],
    [
      'a URL of another kind',
      `restUrl: "ftp://x", socketUrl: "http://x", ${account}`,
      /exchange\.restUrl: expected an http or https URL/,
    ],
    ['no URL', `restUrl: there, socketUrl: "http://x", ${account}`, /exchange\.restUrl: expected an http or https URL/],
  ])('is refused with %s', (_what, exchange, says) => {
    expect(refused(yamlOf(exchange))[0]).toMatch(says);
  });
});

it('a configuration with two strategies of one id is refused', () => {
  const yaml = 'exchange: { embedded: {} }\nstrategies:\n  - { use: a, id: one }\n  - { use: b, id: one }\n';
  expect(refused(yaml)).toEqual([
    expect.stringMatching(/^4:19: strategies\.1\.id: expected an id of its own, "one" is taken/),
  ]);
});

describe('variables of the environment in a configuration', () => {
  const yaml = third('ops: { token: "${TOKEN}", host: "x-${A}-${B}" }');
  it('fill ${NAME} in any text', () => {
    const { ops } = load(yaml, { TOKEN: 't', A: '1', B: '2' }).config;
    expect(ops).toMatchObject({ token: 't', host: 'x-1-2' });
  });

  it('are not expanded again', () => {
    expect(load(yaml, { TOKEN: '${A}', A: '1', B: '$&' }).config.ops).toMatchObject({
      token: '${A}',
      host: 'x-1-$&',
    });
  });

  it('give numbers, true and false where they are wanted, and text where text is wanted', () => {
    const config = load(
      `exchange:
  embedded: { games: "\${GAMES}" }
  username: \${NAME}
  password: \${WORD}
  allowModeSwitch: \${MAY}
strategies:
  - use: ./own.ts
    id: main
    params:
      risk: \${RISK}
      note: "\${RISK}"
      more: x\${RISK}
ops: { port: '\${PORT}' }
`,
      { GAMES: '3', NAME: '007', WORD: 'true', MAY: 'true', RISK: '-12.5', PORT: '9000' },
    ).config;
    expect(config.exchange).toMatchObject({
      embedded: { games: 3 },
      username: '007',
      password: 'true',
      allowModeSwitch: true,
    });
    expect(config.strategies[0]?.params).toEqual({ risk: -12.5, note: '-12.5', more: 'x-12.5' });
    expect(config.ops.port).toBe(9000);
  });

  it('with a wrong number are refused like the number itself', () => {
    const wrong = (port: string): readonly string[] => refused(third('ops: { port: "${P}" }'), { P: port });
    expect(wrong('99999')).toEqual(refused(third('ops: { port: "99999" }')));
    expect(wrong('many')).toEqual(refused(third('ops: { port: "many" }')));
    expect(refused(third('ops:\n  port: ${P}'), { P: '99999' })).toEqual(refused(third('ops:\n  port: 99999')));
  });

  it('are reported with place, key and name when they are not set', () => {
    const [line = '', ...rest] = refused(yaml, { A: '1', B: '2' });
    expect(rest).toEqual([]);
    expect(line).toMatch(/^3:15: /);
    expect(line).toContain('TOKEN');
    expect(line).toContain('ops.token');
  });

  it('are not looked for after a dollar sign without braces', () => {
    expect(load(third('ops: { host: "$5 {x} $NAME" }')).config.ops.host).toBe('$5 {x} $NAME');
  });

  it.each(['${NAME', '${}', '${A-B}', 'x${NAME}${', '$${NAME'])('are refused without a valid name: %s', (text) => {
    expect(refused(third(`ops: { host: "${text}" }`), { NAME: 'x' })).toEqual([
      expect.stringMatching(/^3:14: ops\.host: expected a name and \} after each \$\{, as in \$\{NAME\}$/),
    ]);
  });

  it('may have values that look like a variable', () => {
    expect(load(third('ops: { host: "${NAME}" }'), { NAME: '${' }).config.ops.host).toBe('${');
  });

  it('do not show a secret in an error', () => {
    const lines = refused('exchange:\n  embedded: {}\n  password: "${P}"\n  limits: "${P}"\nstrategies: 5\n', {
      P: 'hunter2',
    });
    expect(lines.join('\n')).not.toContain('hunter2');
  });
});

describe('a file that is no valid configuration', () => {
  it.each([
    ['a tab', third('risk:\n\tmaxOrderRisk: 5'), /^4:/],
    ['an open bracket', third('risk: { maxOrderRisk: 5'), /^[34]:/],
    ['a key twice', third('risk: {}\nrisk: {}'), /^4:1: /],
    ['an alias without anchor', third('risk: *nowhere'), /^3:7: /],
    ['two documents', `${LEAST}---\n${LEAST}`, /^3:/],
  ])('is refused with its place when it is no YAML: %s', (_what, yaml, place) => {
    const [line = ''] = refused(yaml);
    expect(line).toMatch(place);
    expect(line).toMatch(/not YAML|alias/);
  });

  it.each([
    ['an empty file', '', /^1:1: exchange: .*expected object/],
    ['a word', 'hello', /^1:1: .*expected object/],
    ['a list', '- 1\n', /^1:1: .*expected object/],
  ])('is refused when it holds no configuration: %s', (_what, yaml, says) => {
    expect(refused(yaml)[0]).toMatch(says);
  });

  it.each([
    ['a word', 'hello'],
    ['a list', '- 1\n'],
    ['an invalid exchange', 'exchange: 5\n'],
    ['an embedded exchange without a value', 'exchange: { embedded: }\nstrategies: [{ use: a, id: b }]\n'],
  ])('is refused in the same way when the command line changes it: %s', (_what, yaml) => {
    expect(refused(yaml, {}, [{ path: ['exchange', 'embedded', 'speed'], value: 2 }])[0]).toMatch(
      /^1:\d+: .*expected object/,
    );
  });

  it('is refused when it does not exist', () => {
    expect(refusal(() => loadExchange(`${folder}/none.yaml`, {}))[0]).toMatch(/none\.yaml: the file cannot be read/);
  });
});

describe('the exchange section alone', () => {
  const section = 'exchange:\n  restUrl: http://x\n  socketUrl: http://x\n  username: a\n  password: ${P}\n';
  const alone = (yaml: string) => loadExchange(write(yaml), { P: 'p' });

  it.each([
    ['wrong values', 'risk: [5]\nstrategies: 7\nonExit: never\n'],
    ['unknown keys', 'riks: 5\n'],
    ['nothing', ''],
    ['a variable that is not set', 'ops: { token: "${NOT_SET}" }\n'],
    ['a key twice', 'risk: {}\nrisk: {}\n'],
    ['a broken end', 'risk: { maxOrderRisk: 5\n'],
  ])('is read although the rest has %s', (_what, rest) => {
    expect(alone(section + rest)).toMatchObject({ username: 'a', password: 'p', playerMode: 'coins' });
  });

  it('is checked, with place and key', () => {
    expect(refusal(() => alone(`${section}  restUlr: x\n`))).toEqual([
      expect.stringMatching(/^6:\d+: exchange\.restUlr: unknown key/),
    ]);
  });
});

describe('aliases of aliases', () => {
  it('are refused without unfolding when they would grow without end', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const { 0: inner, 1: name } of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi'])
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${inner}`).join(', ')}]`);
    expect(refused(`${LEAST}${bomb.join('\n')}\n`)).toEqual([expect.stringMatching(/alias count/)]);
  });
});

describe('a URL with user and password', () => {
  it('is refused, because the exchange would get them instead of the token', () => {
    const section = `exchange: { restUrl: "http://me:secret@127.0.0.1:1", socketUrl: "http://127.0.0.1:1", username: a, password: b }\n`;
    const problems = refused(`${section}strategies: [{ use: ./own.ts, id: main }]\n`);
    expect(problems).toEqual([
      expect.stringMatching(/^1:22: exchange\.restUrl: expected a URL without user and password/),
    ]);
    expect(problems.join()).not.toContain('secret');
  });
});

describe('a parameter that is a file', () => {
  const yaml = (name: string): string =>
    `exchange: { embedded: {} }\nstrategies:\n  - use: ./own.ts\n    id: main\n    params: { quotes: { file: ${name} } }\n`;

  it('is the content of the file', () => {
    writeFileSync(join(folder, 'quotes.json'), '{"quotes": 1}');
    expect(load(yaml('quotes.json')).config.strategies[0]?.params).toEqual({ quotes: { quotes: 1 } });
  });

  it('is read for a league too', () => {
    writeFileSync(join(folder, 'epl.json'), '{"quotes": 2}');
    const ofLeague = (name: string): string =>
      `${yaml('quotes.json')}    by: { league: { EPL: { quotes: { file: ${name} } } } }\n`;
    expect(load(ofLeague('epl.json')).config.strategies[0]?.by.league).toEqual({ EPL: { quotes: { quotes: 2 } } });
    expect(refused(ofLeague('none.json'))).toEqual([
      expect.stringMatching(/^6:\d+: strategies\.0\.by\.league\.EPL\.quotes\.file: .*ENOENT/),
    ]);
  });

  it.each([
    ['is missing', 'none.json', /^5:31: strategies\.0\.params\.quotes\.file: .*none\.json: ENOENT/],
    ['is no JSON', 'text.json', /^5:31: strategies\.0\.params\.quotes\.file: .*text\.json: Unexpected token/],
  ])('and %s is an error that names it', (_what, name, message) => {
    writeFileSync(join(folder, 'text.json'), 'text');
    expect(refused(yaml(name))).toEqual([expect.stringMatching(message)]);
  });
});
