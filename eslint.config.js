import { defineConfig } from 'eslint/config';
import rxjsX from 'eslint-plugin-rxjs-x';
import tseslint from 'typescript-eslint';

// The rooms that only compute: the same inputs must give the same outputs, so time and chance come in as input.
const pureCore = [
  'src/{domain,pricing,wire,mirror,strategy,risk,orders}/**/*.ts',
  'src/engine/core*.ts',
  'src/engine/core*/**/*.ts',
  'src/{venue,traders}/**/*.ts',
  'src/paper/{api,faults}/**/*.ts',
  'src/paper/{world,in-process}.ts',
  'strategies/**/*.ts',
];
// What reading a strategy from disk takes belongs to the shell.
const shellInPureRooms = ['src/strategy/host/{loader,exit-trap}.ts'];

/** Of both, a time without a zone is in that of the machine, and 30 February is 2 March. */
const READER_OF_TIMES = 'src/domain/durations.ts';
const ONE_READER_OF_TIMES = `Text becomes a time only in parseTime (${READER_OF_TIMES}).`;
const timeFromText = {
  object: 'Date',
  property: 'parse',
  message: ONE_READER_OF_TIMES,
};
const dateFromText = {
  selector: 'NewExpression[callee.name="Date"] > :matches(Literal[raw=/^\\D/], TemplateLiteral)',
  message: ONE_READER_OF_TIMES,
};

const impureGlobals = [
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'process',
  'crypto',
  'fetch',
  'console',
].map((name) => ({
  name,
  message: 'The core reads no clock, no chance and no environment: take it as input.',
}));

const impureProperties = [
  { object: 'Date', property: 'now', message: 'The core reads no clock: time is in the input.' },
  { object: 'Math', property: 'random', message: 'The core draws no chance: take a seeded source.' },
];

/** They say nothing of what they hold. */
const UNNAMED = new Set(['of', 'one', 'at', 'told']);
const plainNames = {
  create: (context) => ({
    'Program:exit': () => {
      for (const scope of context.sourceCode.scopeManager.scopes)
        for (const { name, defs } of scope.variables)
          if (UNNAMED.has(name))
            for (const def of defs)
              if (def.type !== 'ImportBinding')
                context.report({ node: def.name, message: `Say what it holds: \`${name}\` may be anything.` });
    },
  }),
};

export default defineConfig(
  { ignores: ['**/dist/**', '**/coverage/**', 'data/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['{src,strategies,examples,test,bench,site}/**/*.ts', 'web/**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, rxjsX.configs.recommended],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'object-shorthand': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      // `-micros` is a plain number again, which is what is meant; the rule calls every branded number unsafe.
      '@typescript-eslint/no-unsafe-unary-minus': 'off',
      // Checks at the border look needless to the type system, which trusts what was cast there.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // Ports are async where one adapter needs it, not where each does.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      // A room is imported by its index.ts.
      'rxjs-x/no-index': 'off',
      'rxjs-x/no-exposed-subjects': 'error',
    },
  },
  {
    files: ['{src,strategies,examples,test,bench,site}/**/*.ts', 'web/**/*.{ts,tsx}'],
    plugins: { words: { rules: { 'plain-names': plainNames } } },
    rules: { 'words/plain-names': 'error' },
  },
  {
    files: ['{src,strategies}/**/*.ts', 'web/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-properties': ['error', timeFromText],
      'no-restricted-syntax': ['error', dateFromText],
    },
  },
  {
    files: ['{src,strategies}/**/*.ts'],
    rules: { 'max-lines': ['error', { max: 500 }], 'max-lines-per-function': ['error', { max: 80 }] },
  },
  {
    files: pureCore,
    ignores: shellInPureRooms,
    rules: {
      'no-restricted-globals': ['error', { globals: impureGlobals, checkGlobalObject: true }],
      'no-restricted-properties': ['error', ...impureProperties, timeFromText],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0], CallExpression[callee.name="Date"]',
          message: 'The core reads no clock: time is in the input.',
        },
        dateFromText,
      ],
    },
  },
  {
    // what version 0.3 exported stays for one version
    files: ['src/pricing/{index,score-model}.ts', 'test/pricing/score-model.test.ts'],
    rules: { '@typescript-eslint/no-deprecated': 'off' },
  },
  {
    files: [READER_OF_TIMES],
    rules: { 'no-restricted-properties': ['error', ...impureProperties] },
  },
  {
    // Tests stub and poke; what they must keep is types and awaited promises.
    files: ['{test,bench}/**/*.ts'],
    rules: {
      '@typescript-eslint/unbound-method': 'off',
      'rxjs-x/no-exposed-subjects': 'off',
    },
  },
);
