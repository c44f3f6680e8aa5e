/** What is told beside the words of an error's code, in Chinese: every remedy that stands in the code, and the details that lead to them. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorParts, errorText } from '#display/error-text.ts';
import { detailWords, remedyWords } from '#display/remedy-words.ts';
import { inLanguage, words } from '#display/words.ts';
import { notInstalled } from '#companion/runs/not-installed.ts';
import { engines } from '#companion/engines/index.ts';
import { toDiskFault } from '#protocol/disk-faults.ts';
import { CompanionError } from '#protocol/errors.ts';

const [english, chinese] = [inLanguage(words, 'en'), inLanguage(words, 'zh-CN')];

/** Rooms whose remedies only a model reads, or a person on the command line, which speaks English. */
const OTHER_READERS =
  /^companion\/(?:cli|display|tui|mcp|client\/mcp-sessions|browser\/tool-pins|server\/routes\/compat)|^extension\/(?:background\/(?!link-state|page-context)|toolkit|tools|content)/u;

/** Their remedies are made by functions, which are called below. */
const COMPUTED = /^companion\/(?:protocol\/(?:disk-faults|errors|warnings)|runs\/not-installed|store\/keychain-remedy)\.ts$/u;

const STRING = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/gu;

/** Each text that is given as a remedy, with a sample of what is put in. */
const remedies = globSync(['companion/**/*.ts', 'extension/**/*.{ts,tsx}'])
  .filter((file) => !OTHER_READERS.test(file) && !COMPUTED.test(file))
  .flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    return [...source.matchAll(/\bremedy(?::| =)\s*|\bREMEDY = /gu)].flatMap(({ index, 0: { length } }) => {
      const given = source.slice(index + length, endOf(source, index + length));
      return [...given.matchAll(STRING)].map(([, plain, template = '']) => ({
        file,
        text: (plain ?? template)
          .replaceAll(String.raw`\``, '`')
          .replaceAll(/\$\{[A-Z_]+\}/gu, '`pilotfish X`')
          .replaceAll(/\$\{[^}]*\}/gu, '/srv/X'),
      }));
    });
  })
  // The name of a code, which a condition asks for or a sentence has.
  .filter(({ text }) => !/^\w+$/u.test(text));

/** Answers to programs that use the API, other browsers and models: what they did wrong is told in English. */
const TOLD_TO_PROGRAMS =
  /^companion\/(?:toolsets|compat|protocol\/tool-sets|browser\/(?:bridge|remote-door|routing|rpc)|runs\/(?:agent-services|service-\w+)|server\/(?:json-body|patch-stream)|projects\/(?:crossed|handed)-files|store\/uploads|app\/mcp)\b|^extension\/shared\/addresses/u;

/** What is put in here are Pilotfish's own words: each of these sentences is looked at whole below. */
const MADE_OF_WORDS = /^(?:It was \/srv\/X|Looked at \/srv\/X\. |\/srv\/X (?:ended with|reads|is a) \/srv\/X)/u;

/** What a template puts in, also where that is a call with braces of its own. */
const PUT_IN = /\$\{(?:[^{}]|\{[^{}]*\})*\}/gu;

/** Each text that is written beside the code of an error for a person, with a sample of what is put in. */
const details = globSync(['companion/**/*.ts', 'extension/**/*.{ts,tsx}'])
  .filter((file) => !OTHER_READERS.test(file) && !TOLD_TO_PROGRAMS.test(file))
  .flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    return [...source.matchAll(/new CompanionError\(\s*(?:'[A-Z_]+'|\w+),\s*/gu)].flatMap(({ index, 0: { length } }) => {
      const given = source.slice(index + length, endOf(source, index + length));
      // Only what stands there itself: what is computed is said above, or by a provider.
      return /^['`]/u.test(given) ? [{ file, text: given.slice(1, -1).replaceAll(PUT_IN, '/srv/X') }] : [];
    });
  })
  // Names of fields begin what a program is told of its body.
  .filter(
    ({ text }) =>
      !MADE_OF_WORDS.test(text) && !/^(?:browser_tabs|hunk|offset|url|path|mode|document, uploadId|turnId, beforeTurnId)\b/u.test(text),
  );

/** Where an expression ends that begins here. */
function endOf(source: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let at = from; at < source.length; at += 1) {
    const sign = source[at] ?? '';
    if (sign === '\\') at += 1;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === "'" || sign === '`') quote = sign;
    else if ('([{'.includes(sign)) depth += 1;
    else if (depth === 0 && ',;)]}'.includes(sign)) return at;
    else if (')]}'.includes(sign)) depth -= 1;
  }
  return source.length;
}

/** Names, addresses, what is typed, and what was put in. */
const NAMES =
  /`[^`]*`|[\w-]+:\/\/\S+|\/srv(?:\/X)?|[Pp]ilotfish|Ollama|LM Studio|llama\.cpp|MCP|PNG|JPEG|GIF|WebP|UTF-8|JSON|NUL|GiB|IDs?|PILOTFISH_HOME|\bgit\b|\btoken\b|projectId|Claude Code|Codex|ENOSPC|session\/prompt/gu;
const englishIn = (text: string): string[] => text.replaceAll(NAMES, '').match(/[a-z]{2,}/giu) ?? [];

describe('a remedy of its own', () => {
  test('has its Chinese, wherever in the code it stands', () => {
    const missing = remedies.filter(({ text }) => {
      const { remedy, detail } = errorText(new CompanionError('TOOL_FAILED', '', { remedy: text }).toBody(), chinese);
      return detail !== '' || !/\p{Script=Han}/u.test(remedy) || englishIn(remedy).length > 0;
    });

    expect(remedies.length).toBeGreaterThan(60);
    expect(missing).toEqual([]);
  });

  test('has it for every fault of the disk, with and without a file', () => {
    for (const code of ['ENOSPC', 'EROFS', 'EACCES', 'EBUSY', 'EMFILE', 'EIO', 'ENOTDIR']) {
      for (const file of [null, '/srv/X']) {
        const { cause, remedy } = toDiskFault(code, file) ?? { cause: '', remedy: '' };
        const text = errorText(new CompanionError('DISK_FAILED', `${cause} (${code})`, { remedy }).toBody(), chinese);

        expect([code, ...englishIn(text.remedy), ...englishIn(text.detail.replace(code, ''))]).toEqual([code]);
        expect(text.detail).toContain(code);
      }
    }
  });

  test('has it for an agent that is not there, with the command as it is typed', () => {
    const engine = engines.find(({ name }) => name === 'claude');
    if (engine?.type !== 'process') throw new Error('claude is a program');
    const bodies = [
      notInstalled(engine, '/srv/X', false),
      notInstalled(engine, '/srv/X', true),
      notInstalled(engine, '/srv/X', false, { path: '/srv/X', why: 'in a project' }),
      notInstalled(engine, '/srv/X', false, { path: '/srv/X', why: 'open to others' }),
    ].map((error) => errorText(error.toBody(), chinese));

    expect(bodies.flatMap(({ remedy, detail }) => englishIn(remedy + detail))).toEqual([]);
    expect(bodies[0]?.remedy).toBe(`请安装：\`${engine.finding.installCommand}\`。`);
  });
});

describe('the words beside an error', () => {
  test.each(Object.entries({ ...remedyWords, ...detailWords }))('%s keep what is put in, and every command', (english, said) => {
    const placesIn = (text: string): string[] => (text.match(/\{\w+\}/gu) ?? []).toSorted();
    const commandsIn = (text: string): string[] => (text.match(/`pilotfish [^`]+`/gu) ?? []).toSorted();

    expect(placesIn(said)).toEqual(placesIn(english));
    expect(commandsIn(said)).toEqual(commandsIn(english));
  });

  test('have their Chinese, wherever in the code they stand', () => {
    const missing = details.filter(
      ({ text }) => englishIn(errorText(new CompanionError('TOOL_FAILED', text).toBody(), chinese).detail).length > 0,
    );

    expect(details.length).toBeGreaterThan(60);
    expect(missing).toEqual([]);
  });

  test.each(Object.entries(detailWords))('%s is itself and no other, in both languages', (form, said) => {
    const fill = (text: string): string => text.replaceAll(/\{(\w+)\}/gu, (_, name: string) => `/srv/${name}`);
    const body = new CompanionError('TOOL_FAILED', fill(form)).toBody();

    expect(errorParts(body, english)).toMatchObject({ detail: fill(form) });
    expect(errorParts(body, chinese)).toMatchObject({ detail: fill(said) });
    expect(englishIn(fill(said).replaceAll(/\/srv\/\w+/gu, ''))).toEqual([]);
  });

  test.each([
    ['ENGINE_CRASHED', 'Claude Code ended with exit code 3.', 'Claude Code 以退出码 3 结束。'],
    ['ENGINE_CRASHED', 'Codex ended with signal SIGKILL. It said: out of memory', 'Codex 被信号 SIGKILL 结束。其输出：out of memory'],
    ['ENGINE_BUDGET_REACHED', 'It was 2.5 US dollars.', '上限是 2.5 美元。'],
    ['FOLDER_TAKEN', 'It is claude in the session "Fix the tide".', 'claude 正在会话“Fix the tide”中工作。'],
    ['WORKSPACE_OUTSIDE_ROOTS', '/srv/link leads to /etc.', '/srv/link 指向 /etc。'],
  ] as const)('are said with %s: %s', (code, english, said) => {
    expect(errorText(new CompanionError(code, english).toBody(), chinese).detail).toBe(said);
  });

  test('stay as they came where a provider or a program said them, however long', () => {
    const said = `529 {"type":"overloaded_error"} ${'is a folder. '.repeat(2_000)}`;

    expect(errorText(new CompanionError('ENGINE_API_ERROR', said).toBody(), chinese).detail).toBe(said.trim());
  });
});
