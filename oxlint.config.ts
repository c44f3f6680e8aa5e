/** The linter's rules. Who may import whom stands in rooms.ts. */
import { defineConfig, type OxlintOverride } from 'oxlint';
import { owners, rooms } from './rooms.ts';

const RELATIVE = { group: ['../*/**', '../../**'], message: 'cross a room only by its # name, so the import line shows the room' };

/** All that is imported by a name of this package. */
const OURS = [
  '#protocol/**',
  '#display/**',
  '#stream/**',
  '#companion/**',
  '#extension/**',
  '#installer/**',
  '#native-manifests/**',
  '#test/**',
];

/** Rooms of the companion with a short name of their own, since the extension imports them too. */
const ALIASED = ['companion/protocol', 'companion/display', 'companion/stream'];

/** The name by which files of a room are imported. */
const nameOf = (room: string): string => (ALIASED.includes(room) ? room.replace('companion/', '#') : `#${room}`);

/** For each room: every other room is forbidden, then the allowed ones are let in again. */
const roomRules = Object.entries(rooms).map(([room, { imports, without = [] }]): OxlintOverride => {
  const allowed = [room, ...imports];
  const foreign = Object.entries(owners).filter(([, own]) => !own.includes(room));
  return {
    files: [`${room}/**`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [...OURS, ...allowed.map((name) => `!${nameOf(name)}/**`)],
              message: `${room} may import only ${imports.map(nameOf).join(', ') || 'itself'}`,
            },
            RELATIVE,
            ...(without.includes('node:*') ? [{ group: ['node:*'], message: `${room} uses nothing of Node` }] : []),
          ],
          paths: [
            ...foreign.map(([name, own]) => ({ name, message: `${name} belongs to ${own.join(' and ')}` })),
            ...without.filter((name) => name !== 'node:*').map((name) => ({ name, message: `${room} does no I/O of its own` })),
          ],
        },
      ],
    },
  };
});

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'promise', 'oxc'],
  categories: { correctness: 'error' },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
    'typescript/unbound-method': 'off',
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
    'no-restricted-imports': ['error', { patterns: [RELATIVE] }],
  },
  ignorePatterns: ['dist/**', 'build/**', '.cache/**', 'test/transcripts/**'],
  overrides: [
    ...roomRules,
    {
      files: ['companion/main.ts'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                group: [...OURS, '!#protocol/**', '!#companion/host/**', '!#companion/lib/**'],
                message: 'main stays tiny: host and lib only; the application is loaded as an asset',
              },
              RELATIVE,
            ],
          },
        ],
      },
    },
    {
      files: ['companion/app.ts', 'companion/app/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          { patterns: [{ group: ['#extension/**', '#test/**'], message: 'the companion never imports the extension' }, RELATIVE] },
        ],
      },
    },
    {
      files: ['extension/content/**'],
      rules: {
        'no-restricted-properties': [
          'error',
          ...['randomUUID', 'subtle'].map((property) => ({
            object: 'crypto',
            property,
            message: 'a page of an address that is not encrypted has none',
          })),
        ],
      },
    },
    { files: ['*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    { files: ['test/**'], rules: { 'typescript/consistent-type-assertions': 'off', 'max-lines-per-function': 'off' } },
  ],
});
