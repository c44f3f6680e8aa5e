/** What is told beside the words of an error's code: it is said by its code wherever a person reads it, and is Chinese in Chinese. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorParts, errorText } from '#display/error-text.ts';
import { inLanguage, words } from '#display/words.ts';
import { notInstalled } from '#companion/runs/not-installed.ts';
import { engines } from '#companion/engines/index.ts';
import { CompanionError, ErrorBody, errorSaying, fromErrorBody, toErrorBody, withRemedy } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { explainInFront } from '#protocol/front-faults.ts';

const [english, chinese] = [inLanguage(words, 'en'), inLanguage(words, 'zh-CN')];

/** Rooms whose remedies only a model reads, or a person on the command line, which speaks English. */
const OTHER_READERS =
  /^companion\/(?:protocol\/errors|cli|display|tui|mcp|client\/mcp-sessions|browser\/tool-pins|server\/routes\/compat)|^extension\/(?:background\/(?!link-state|page-context)|toolkit|tools|content)/u;

const STRING = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/gu;

/** Each text that is given as a remedy. */
const remedies = globSync(['companion/**/*.ts', 'extension/**/*.{ts,tsx}'])
  .filter((file) => !OTHER_READERS.test(file))
  .flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    return [...source.matchAll(/\bremedy(?::| =)\s*|\bREMEDY = /gu)].flatMap(({ index, 0: { length } }) => {
      const given = source.slice(index + length, endOf(source, index + length));
      return [...given.matchAll(STRING)].map(([, plain, template = '']) => ({ file, text: plain ?? template }));
    });
  })
  // The name of a code, which a condition asks for or a sentence has.
  .filter(({ text }) => /^\p{Lu}.* /u.test(text));

/** Answers to programs that use the API, other browsers and models: what they did wrong is told in English. */
const TOLD_TO_PROGRAMS =
  /^companion\/(?:toolsets|compat|protocol\/tool-sets|browser\/(?:bridge|remote-door|routing|rpc)|runs\/(?:agent-services|service-\w+)|server\/(?:json-body|patch-stream)|projects\/(?:crossed|handed)-files|store\/uploads|app\/mcp)\b|^extension\/shared\/addresses/u;

/** What a template puts in, also where that is a call with braces of its own. */
const PUT_IN = /\$\{(?:[^{}]|\{[^{}]*\})*\}/gu;

/** Names, addresses, what is typed, and what was put in. */
const NAMES =
  /`[^`]*`|[\w-]+:\/\/\S+|\/srv(?:\/X)?|[Pp]ilotfish|Ollama|LM Studio|llama\.cpp|MCP|PNG|JPEG|GIF|WebP|UTF-8|JSON|NUL|GiB|IDs?|PILOTFISH_HOME|\bgit\b|\btoken\b|projectId|Claude Code|Codex|ENOSPC|session\/prompt/gu;
const englishIn = (text: string): string[] => text.replaceAll(NAMES, '').match(/[a-z]{2,}/giu) ?? [];

/** Each text that is written beside the code of an error for a person. */
const details = globSync(['companion/**/*.ts', 'extension/**/*.{ts,tsx}'])
  .filter((file) => !OTHER_READERS.test(file) && !TOLD_TO_PROGRAMS.test(file))
  .flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    return [...source.matchAll(/new CompanionError\(\s*(?:'[A-Z_]+'|\w+),\s*/gu)].flatMap(({ index, 0: { length } }) => {
      const given = source.slice(index + length, endOf(source, index + length));
      return [...given.matchAll(STRING)].map(([, plain, template = '']) => ({
        file,
        text: (plain ?? template).replaceAll(PUT_IN, '/srv/X'),
      }));
    });
  })
  // A sentence has one word for its name; names of fields begin what a program is told of its body.
  .filter(
    ({ text }) =>
      englishIn(text).length > 0 &&
      !/^(?:\w+$|browser_tabs|hunk|offset|url|path|mode|document, uploadId|turnId, beforeTurnId)\b/u.test(text),
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

describe('what is told beside the code of an error', () => {
  test('is said by its code wherever a person reads it', () => {
    expect(remedies).toEqual([]);
    expect(details).toEqual([]);
  });

  test('is Chinese for every fault of the disk, with and without a file', () => {
    for (const code of ['ENOSPC', 'EROFS', 'EACCES', 'EBUSY', 'EMFILE', 'EIO', 'ENOTDIR']) {
      for (const at of [undefined, '/srv/X']) {
        const error = Object.assign(new Error(code), { code, syscall: 'open', ...(at === undefined ? {} : { path: at }) });
        const text = errorText(toErrorBody(error), chinese);

        expect([code, ...englishIn(text.remedy), ...englishIn(text.message.replace(code, ''))]).toEqual([code]);
        expect(text.message).toContain(code);
      }
    }
  });

  test('is Chinese for an agent that is not there, with the command as it is typed', () => {
    const engine = engines.find(({ name }) => name === 'claude');
    if (engine?.type !== 'process') throw new Error('claude is a program');
    const bodies = [
      notInstalled(engine, '/srv/X', false),
      notInstalled(engine, '/srv/X', true),
      notInstalled(engine, '/srv/X', false, { path: '/srv/X', why: 'in a project' }),
      notInstalled(engine, '/srv/X', false, { path: '/srv/X', why: 'open to others' }),
    ].map((error) => errorText(error.toBody(), chinese));

    expect(bodies.flatMap(({ message, remedy, detail }) => englishIn(message + remedy + detail))).toEqual([]);
    expect(bodies[0]?.remedy).toBe(`请安装：\`${engine.finding.installCommand}\`。`);
  });

  test('is one sentence in another where a program said something', () => {
    const ended = explain('ended', { agent: 'Codex', how: explain('signal', { signal: 'SIGKILL' }) });
    const error = new CompanionError('ENGINE_CRASHED', explain('and_said', { what: ended, words: 'out of memory' })).toBody();

    expect(error.message).toBe('The agent stopped unexpectedly. Codex ended with signal SIGKILL. It said: out of memory');
    expect(errorParts(error, english).detail).toBe('Codex ended with signal SIGKILL. It said: out of memory');
    expect(errorParts(error, chinese).detail).toBe('Codex 被信号 SIGKILL 结束。其输出：out of memory');
    expect(errorText(error, chinese)).toMatchObject({
      message: '智能体意外停止。Codex 被信号 SIGKILL 结束。其输出：out of memory',
      detail: '',
    });
  });

  test('travels, and is told again as it came', () => {
    const said = new CompanionError('FOLDER_TAKEN', explain('folder_taken_by', { agent: 'claude', name: 'Fix the tide' }), {
      remedy: explain('start_session'),
    }).toBody();
    const received = toErrorBody(fromErrorBody(ErrorBody.parse(JSON.parse(JSON.stringify(said)))));

    expect(received).toEqual(said);
    expect(errorText(received, chinese)).toMatchObject({
      message: '另一个智能体正在此文件夹中工作。claude 正在会话“Fix the tide”中工作。',
      remedy: '请开始新会话。',
    });
  });

  test('may take the place of the words of the code, or of the usual remedy alone', () => {
    const replaced = errorSaying('INSTALL_FAILED', explainInFront('not_registered'), explainInFront('start_or_install'));
    const mended = withRemedy(new CompanionError('TAB_RESTRICTED', 'chrome://settings').toBody(), explainInFront('go_to_ordinary'));

    expect(errorParts(replaced, english)).toMatchObject({
      title: 'The pilotfish program is not registered with this browser.',
      detail: '',
    });
    expect(errorText(replaced, chinese)).toMatchObject({ message: 'pilotfish 程序尚未在此浏览器中注册。', detail: '' });
    expect(errorText(mended, chinese)).toEqual({
      message: '浏览器不允许扩展在此网页上工作。',
      remedy: '请打开普通网页，然后重试。',
      detail: 'chrome://settings',
    });
  });

  test('stays as it came where a provider or a program said it, or a daemon of another version', () => {
    const words = `529 {"type":"overloaded_error"} ${'is a folder. '.repeat(2_000)}`.trim();
    const older = { ...new CompanionError('GIT_FAILED', 'Its folder is gone.').toBody(), remedy: 'Look for it.' };

    expect(errorText(new CompanionError('ENGINE_API_ERROR', words).toBody(), chinese).detail).toBe(words);
    expect(errorText(older, chinese).detail).toBe('Its folder is gone.\nLook for it.');
  });
});
