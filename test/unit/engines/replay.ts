/** Plays a recording of an engine to its codec, and tells what came of it in words that fit every engine. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Codec, Effect, EngineEvent, LaunchOptions, ProcessEngine } from '#companion/engines/engine.ts';
import { defaultSettings, SessionSettings } from '#protocol/events.ts';
import { isBackgroundTask, type ItemBody, type ItemPatch, type ItemStatus } from '#protocol/items.ts';
import { RequestOption, type RequestBody } from '#protocol/requests.ts';

export const TRANSCRIPTS = join(import.meta.dirname, '../../transcripts');

const PartialSettings = SessionSettings.partial();

/** What the user does in a scenario: the same for every engine. */
const Input = z.strictObject({
  prompts: z.array(z.string()).min(1),
  /** Answers to the engine's requests in their order: by kind of option, or the texts a question is answered with. */
  answers: z.array(z.union([RequestOption.shape.kind, z.strictObject({ texts: z.array(z.string()) })])).default([]),
  /** Presses stop at the first sign of the first turn's answer. */
  isInterrupted: z.boolean().default(false),
  /** Turns that end, when the engine begins some by itself. */
  ends: z.number().optional(),
  /** Stops each background task when a turn has ended. */
  stopsTasks: z.boolean().default(false),
  settings: PartialSettings.default({}),
  /** How the process ended, when that is what the scenario is about. */
  exit: z.strictObject({ code: z.number().nullable(), signal: z.string().nullable(), stderr: z.string() }).optional(),
});

/** Scenarios that have a recording of this engine. */
export const scenariosOf = (engine: string): string[] =>
  readdirSync(TRANSCRIPTS)
    .filter((scenario) => readdirSync(join(TRANSCRIPTS, scenario)).includes(`${engine}.jsonl`))
    .toSorted();

export const linesOf = (scenario: string, engine: string): string[] =>
  readFileSync(join(TRANSCRIPTS, scenario, `${engine}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

export const launchOptions = (settings: z.infer<typeof PartialSettings> = {}): LaunchOptions => ({
  cwd: '<workspace>',
  settings: SessionSettings.parse({ ...defaultSettings, ...settings }),
  engineSessionId: null,
  mcp: {
    serverName: 'lab',
    url: 'http://127.0.0.1:1/mcp',
    token: 'token',
    command: '/pilotfish',
    args: ['mcp'],
    env: {},
    timeoutMs: 600_000,
  },
  runDir: '/run/dir',
  secrets: {},
  userEnv: {},
  isProbe: false,
});

export const eventsOf = (effects: readonly Effect[]): EngineEvent[] =>
  effects.flatMap((effect) => (effect.type === 'event' ? [effect.event] : []));

/** The lines of `expected.jsonl`. `adapt` lets an engine's ids of this replay take the place of the recorded ones. */
export const replay = (
  engine: ProcessEngine,
  scenario: string,
  adapt: (line: string, written: readonly string[]) => string = (line) => line,
): string => {
  const input = Input.parse(JSON.parse(readFileSync(join(TRANSCRIPTS, scenario, 'input.json'), 'utf8')));
  const codec = engine.codec(launchOptions(input.settings));
  const story = createStory();
  const written: string[] = [];
  const prompts = [...input.prompts];
  const answers = [...input.answers];
  let mayInterrupt = input.isInterrupted;

  const promptNext = (): void => {
    const text = prompts.shift();
    if (text !== undefined) apply(codec.prompt({ turnId: `turn-${prompts.length}`, text, attachments: [] }));
  };
  const apply = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.type === 'write') written.push(effect.line);
      if (effect.type !== 'event') continue;
      const { event } = effect;
      story.take(event);
      if (event.type === 'request.opened') answerRequest(codec, event.requestId, event.request);
      if (event.type === 'turn.completed' && input.stopsTasks) for (const itemId of story.tasks) apply(codec.stopTask(itemId));
      if (event.type === 'turn.completed') promptNext();
      if (event.type === 'item.delta' && mayInterrupt) {
        mayInterrupt = false;
        apply(codec.interrupt());
      }
    }
  };
  const answerRequest = (target: Codec, requestId: string, request: RequestBody): void => {
    const answer = answers.shift();
    if (answer === undefined) return;
    const option = typeof answer === 'string' ? request.options.find(({ kind }) => kind === answer) : request.options[0];
    if (option === undefined) throw new Error(`no option of kind ${JSON.stringify(answer)} in ${JSON.stringify(request)}`);
    const texts =
      typeof answer === 'string'
        ? {}
        : { answers: Object.fromEntries((request.questions ?? []).map(({ question }, index) => [question, [answer.texts[index] ?? '']])) };
    story.answer(option.kind);
    apply(target.answer(requestId, { optionId: option.optionId, ...texts }));
  };

  apply(codec.start());
  promptNext();
  for (const line of linesOf(scenario, engine.name)) {
    if (story.ends === (input.ends ?? input.prompts.length) && story.tasks.size === 0) break;
    apply(codec.line(adapt(line, written)));
  }
  apply(codec.exit(input.exit ?? { code: 0, signal: null, stderr: '' }));
  return story
    .lines()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
};

type Line = Record<string, unknown>;

/** Essentials in the order things began, without ids, times, titles and what engines word in their own way. */
const createStory = () => {
  const lines: Line[] = [];
  const items = new Map<string, { line: Line; body: ItemBody }>();
  const tasks = new Set<string>();
  let ends = 0;

  const fill = (entry: { line: Line; body: ItemBody }, status: ItemStatus, patch: ItemPatch = {}): void => {
    entry.body = patched(entry.body, patch);
    Object.assign(entry.line, essentials(entry.body, status));
  };

  return {
    get ends() {
      return ends;
    },
    /** Open items that go on in the background. */
    tasks,
    lines: () => lines,
    answer: (kind: string): void => {
      lines.push({ answer: kind });
    },
    take: (event: EngineEvent): void => {
      switch (event.type) {
        case 'item.started': {
          const parent = event.parentItemId === undefined ? undefined : items.get(event.parentItemId)?.line;
          const line: Line = parent === undefined ? {} : { in: 'task' };
          const entry = { line, body: event.item };
          items.set(event.itemId, entry);
          lines.push(line);
          fill(entry, 'running');
          return;
        }
        case 'item.delta':
        case 'item.updated':
        case 'item.completed': {
          const entry = items.get(event.itemId);
          if (entry === undefined) throw new Error(`${event.type} of an item that never began: ${event.itemId}`);
          if (event.type === 'item.delta')
            entry.body = entry.body.kind === 'plan' ? entry.body : { ...entry.body, text: entry.body.text + event.text };
          else fill(entry, event.type === 'item.completed' ? event.status : 'running', event.patch);
          if (event.type === 'item.completed') tasks.delete(event.itemId);
          else if (isBackgroundTask(entry.body)) tasks.add(event.itemId);
          return;
        }
        case 'item.dropped': {
          const entry = items.get(event.itemId);
          if (entry !== undefined) lines.splice(lines.indexOf(entry.line), 1);
          return;
        }
        case 'request.opened':
          lines.push({ request: event.request.kind });
          return;
        case 'notice':
          lines.push({ notice: event.level, ...(event.code === undefined ? {} : { code: event.code }) });
          return;
        case 'malformed':
          lines.push({ malformed: event.reason });
          return;
        case 'turn.started':
          lines.push({ turn: 'unasked' });
          return;
        case 'turn.completed':
          ends += 1;
          lines.push({ turn: event.outcome, ...(event.error === undefined ? {} : { error: event.error.code }) });
          return;
        case 'ready':
        case 'bound':
        case 'request.withdrawn':
        case 'usage.updated':
        case 'retrying':
        case 'settings.changed':
        case 'commands.told':
      }
    },
  };
};

const essentials = (body: ItemBody, status: ItemStatus): Line => {
  switch (body.kind) {
    // How far a cut text had come is a matter of the recording.
    case 'message':
    case 'thought':
      return { [body.kind]: status === 'completed' || status === 'running' ? body.text : null, status };
    case 'tool':
      return {
        tool: body.toolKind,
        status,
        ...(body.server === undefined ? {} : { server: body.server }),
        ...(isBackgroundTask(body) ? { background: true, text: body.text } : {}),
        ...(body.changes === undefined
          ? {}
          : { changes: body.changes.map(({ change, unified }) => ({ change, lines: changedLines(unified) })) }),
        ...(body.images === undefined ? {} : { images: body.images.map(({ mimeType }) => mimeType) }),
      };
    case 'plan':
      return { plan: body.entries.map(({ content, status: entryStatus }) => `${entryStatus}: ${content}`), status };
    case 'notice':
      return { notice: body.level };
  }
};

const changedLines = (unified: string): string[] => unified.split('\n').filter((line) => /^[+-](?![+-]{2} )/.test(line));

const patched = (body: ItemBody, patch: ItemPatch): ItemBody => {
  switch (body.kind) {
    case 'plan':
      return { ...body, entries: patch.entries ?? body.entries };
    case 'tool':
      return {
        ...body,
        toolKind: patch.toolKind ?? body.toolKind,
        text: patch.text ?? body.text,
        changes: patch.changes ?? body.changes,
        images: patch.images ?? body.images,
        isBackground: patch.isBackground ?? body.isBackground,
      };
    case 'message':
    case 'thought':
    case 'notice':
      return { ...body, text: patch.text ?? body.text };
  }
};
