/**
 * Keeps git from starting anything that a repository names: our own calls come before the person has said that they trust the project.
 * The person's own configuration, outside the repository, is theirs and stays. Pure.
 */

export type ConfigEntry = readonly [key: string, value: string];

/** A folder in which there is no hook, on every system. */
const NOWHERE = '/dev/null';

/** These go before every file of configuration: https://git-scm.com/docs/git-config#Documentation/git-config.txt-GITCONFIGCOUNT. */
const GUARD: readonly ConfigEntry[] = [
  ['core.hooksPath', NOWHERE],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.quotePath', 'false'],
  ['core.safecrlf', 'false'],
  ['core.splitIndex', 'false'],
  ['color.ui', 'false'],
  ['commit.gpgSign', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['diff.noprefix', 'false'],
  ['diff.orderFile', NOWHERE],
  ['fetch.recurseSubmodules', 'false'],
  ['gc.auto', '0'],
  ['log.showSignature', 'false'],
  ['maintenance.auto', 'false'],
  ['merge.verifySignatures', 'false'],
  ['submodule.recurse', 'false'],
];

export const GUARD_ENV: Readonly<Record<string, string>> = {
  // No program is asked anything.
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_ASKPASS: 'true',
  GIT_PAGER: 'cat',
  // Nothing is fetched: an empty list allows no protocol, whatever the configuration says.
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_LAZY_FETCH: '1',
  GIT_SSH_COMMAND: 'false',
  GIT_LFS_SKIP_SMUDGE: '1',
  // Looking does not write into the person's index.
  GIT_OPTIONAL_LOCKS: '0',
  // The names of files are taken as they are, not as patterns.
  GIT_LITERAL_PATHSPECS: '1',
};

/** The settings of one call, as variables. A name that holds `=` could not be given as an argument. */
export const configEnv = (more: readonly ConfigEntry[]): Record<string, string> => {
  const entries = [...GUARD, ...more];
  return {
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
};

/** What is asked of a repository's configuration, to switch off what it names. */
export const PROGRAM_KEYS = '^(filter\\..*\\.(clean|smudge|process|required)|merge\\..*\\.driver)$';

/** The answer of `git config -z --show-scope --get-regexp PROGRAM_KEYS` as settings that switch off what the repository itself names. */
export const switchedOff = (listed: string): readonly ConfigEntry[] => {
  const parts = listed.split('\0');
  const own = new Set<string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const scope = parts[index];
    const key = parts[index + 1]?.split('\n', 1)[0] ?? '';
    if (scope === 'local' || scope === 'worktree') own.add(key);
  }
  return [...own].map((key): ConfigEntry => {
    // A driver that fails leaves a conflict, which a person sees; without one git would merge as text.
    if (key.startsWith('merge.')) return [key, 'false'];
    return [key, key.endsWith('.required') ? 'false' : ''];
  });
};
