import { describe, expect, test } from 'vitest';
import { readGitConfig } from '#companion/trust/git-config.ts';

describe('a git configuration', () => {
  test.each([
    '[core]\n\tfsmonitor = ./evil',
    '[core] fsmonitor = ./evil',
    '[CORE]\n\tFsMonitor = "./evil"',
    '[filter "x"]\n\tclean = ./evil',
    '[filter.x]\n\tprocess = ./evil',
    '[diff]\n\texternal = ./evil',
    '[diff "x"]\n\ttextconv = ./evil',
    '[diff "x"]\n\tcommand = ./evil',
    '[pager]\n\tlog = ./evil',
    '[core]\n\tsshCommand = ./evil',
    '[credential]\n\thelper = !./evil',
    '[remote "origin"]\n\tuploadpack = ./evil',
    '[gpg]\n\tprogram = ./evil',
    // A comment does not go on in the next line, whatever it ends with.
    '# \\\n[core]\n\tfsmonitor = ./evil',
    '\uFEFF[core]\n\tfsmonitor = ./evil',
  ])('%j runs a program', (text) => {
    expect(readGitConfig(text).lines.join('\n')).toContain('./evil');
  });

  test.each([
    '[core]\n\tfsmonitor\n\tbare = false ; no',
    '[core]\n\tfsmonitor = "true"',
    '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\trequired = true',
    '[pager]\n\tlog = false',
    '[credential]\n\thelper = store',
    '[alias]\n\tst = status',
    '[remote "a]b"]\n\turl = git@example.com:a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*',
    '# [core]\n; fsmonitor = ./evil',
  ])('%j runs none', (text) => {
    expect(readGitConfig(text)).toEqual({ lines: [], includes: [], hooksPaths: [] });
  });

  test('tells where else git looks', () => {
    const text = '[include]\n\tpath = ../more\n[includeIf "gitdir:~/x/"] path = "~/if more"\n[core]\n\thooksPath = .husky/_ # here\n';

    const { lines, includes, hooksPaths } = readGitConfig(text);

    expect(includes).toEqual(['../more', '~/if more']);
    expect(hooksPaths).toEqual(['.husky/_']);
    expect(lines).toContain('\tpath = ../more');
  });

  test('a value or a line that only git need understand counts', () => {
    expect(readGitConfig('[core]\n\tfsmonitor = tr\\\nue').lines).toEqual(['\tfsmonitor = tr\\']);
    expect(readGitConfig('[core]\n\thooksPath = "a\\tb"').lines).toEqual(['\thooksPath = "a\\tb"']);
    expect(readGitConfig('[core\n\tfsmonitor = no').lines).toEqual(['[core']);
  });
});
