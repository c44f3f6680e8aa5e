import { describe, expect, test } from 'vitest';
import { readAllowedTools, readMaxCost, readMaxTurns, readMinutes, readSystemPrompt, showMinutes } from '#display/settings-text.ts';

describe('settings as they are typed', () => {
  test.for([
    ['', null],
    [' 3 ', 3],
    ['0', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['many', undefined],
    ['99999999', undefined],
  ] as const)('%j answers', ([text, turns]) => {
    expect(readMaxTurns(text)).toBe(turns);
  });

  test.for([
    ['', null],
    ['2.50', 2.5],
    ['$ 3', 3],
    ['$', undefined],
    ['0', undefined],
    ['0.00', undefined],
    ['2,50', undefined],
    ['-2', undefined],
    ['Infinity', undefined],
    ['2.', undefined],
  ] as const)('%j dollars', ([text, cost]) => {
    expect(readMaxCost(text)).toBe(cost);
  });

  test.for([
    ['', null],
    ['10', 600_000],
    ['1.5 min', 90_000],
    ['0.02', 1200],
    ['0.01', undefined],
    ['0', undefined],
    ['min', undefined],
    ['1,5', undefined],
    ['10 h', undefined],
  ] as const)('%j minutes', ([text, ms]) => {
    expect(readMinutes(text)).toBe(ms);
  });

  test('a time is shown as it is typed', () => {
    expect([600_000, 90_000, 1200, null].map(showMinutes)).toEqual(['10', '1.5', '0.02', '']);
  });

  test.for([
    ['', []],
    ['Read\n\n Bash(git log --pretty=a,b:*), Read ', ['Read', 'Bash(git log --pretty=a,b:*)']],
    ['mcp__my-server__tool\nmcp__other__*', ['mcp__my-server__tool', 'mcp__other__*']],
  ] as const)('tools %j', ([text, tools]) => {
    expect(readAllowedTools(text)).toEqual({ tools });
  });

  test.for([
    ['Read Edit', 'Read Edit'],
    ['Read, *', '*'],
    ['Bash(', 'Bash('],
    ['Bash()', 'Bash()'],
    ['--dangerously-skip-permissions', '--dangerously-skip-permissions'],
  ] as const)('%j has no tool in %j', ([text, wrong]) => {
    expect(readAllowedTools(text)).toEqual({ wrong });
  });

  test('instructions of blanks are none', () => {
    expect([readSystemPrompt(' \n'), readSystemPrompt(' Be brief. ')]).toEqual([null, 'Be brief.']);
  });
});
