/**
 * Every codec of the list against recordings with random faults in them: whatever an agent writes, what comes of it
 * has the form the log takes, a turn ends once, and nothing stays open after the process has ended.
 */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Codec, Effect, EngineEvent, ProcessEngine } from '#companion/engines/engine.ts';
import { engines } from '#companion/engines/index.ts';
import { CommandInfo, ModeInfo, ModelInfo } from '#protocol/engines.ts';
import { ErrorBody, ERRORS, isErrorCode } from '#protocol/errors.ts';
import { defaultSettings, SessionSettings, Usage } from '#protocol/events.ts';
import { ItemBody, ItemPatch, ItemStatus } from '#protocol/items.ts';
import { RequestBody, Saying } from '#protocol/requests.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { spoilLines, type Random } from './fuzz.ts';
import { launchOptions, linesOf, scenariosOf } from './replay.ts';
import { launchedFor } from './transcripts.ts';

/** Times that each recording is played. In `npm test` all of an engine's together are played about so often. */
const ROUNDS = 25;
const SHORT_RUNS = 150;

const id = { itemId: z.string() };
/** What a codec may say, nothing more. */
const Said = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('ready'),
    version: z.string().optional(),
    account: z.string().nullish(),
    models: z.array(ModelInfo.strict()).optional(),
    modes: z.array(ModeInfo.strict()).optional(),
    defaultMode: z.string().optional(),
    commands: z.array(CommandInfo.strict()).optional(),
  }),
  z.strictObject({ type: z.literal('commands.told'), commands: z.array(CommandInfo.strict()) }),
  z.strictObject({ type: z.literal('bound'), engineSessionId: z.string().nullable() }),
  z.strictObject({ type: z.literal('item.started'), ...id, parentItemId: z.string().optional(), item: ItemBody }),
  z.strictObject({ type: z.literal('item.delta'), ...id, text: z.string() }),
  z.strictObject({ type: z.literal('item.updated'), ...id, patch: ItemPatch.strict() }),
  z.strictObject({ type: z.literal('item.completed'), ...id, status: ItemStatus, patch: ItemPatch.strict().optional() }),
  z.strictObject({ type: z.literal('item.dropped'), ...id }),
  z.strictObject({
    type: z.literal('request.opened'),
    requestId: z.string(),
    itemId: z.string().optional(),
    request: RequestBody.strict(),
  }),
  z.strictObject({ type: z.literal('request.withdrawn'), requestId: z.string() }),
  z.strictObject({ type: z.literal('usage.updated'), usage: Usage.strict(), isOfProcess: z.literal(true).optional() }),
  z.strictObject({ type: z.literal('retrying'), text: z.string(), retryAt: z.number().optional() }),
  z.strictObject({
    type: z.literal('settings.changed'),
    settings: SessionSettings.pick({ model: true, mode: true, effort: true }).partial().strict(),
  }),
  z.strictObject({ type: z.literal('turn.started'), reason: z.string() }),
  z.strictObject({
    type: z.literal('notice'),
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
    saying: Saying.strict().optional(),
    code: z.string().refine(isErrorCode).optional(),
  }),
  z.strictObject({
    type: z.literal('turn.completed'),
    outcome: z.enum(['completed', 'cancelled', 'failed']),
    error: ErrorBody.strict().optional(),
  }),
  z.strictObject({ type: z.literal('malformed'), line: z.string(), reason: z.string() }),
]);

/** Plays lines as a runner would, with a restless user, and holds the codec to what a runner relies on. */
const play = (engine: ProcessEngine, lines: readonly string[], random: Random): void => {
  const codec: Codec = engine.codec(launchOptions());
  const items = new Set<string>();
  const background = new Set<string>();
  const requests = new Map<string, string>();
  const services: string[] = [];
  let isReady = false;
  let isTurnOpen = false;
  let isStopped = false;

  const take = (event: EngineEvent): void => {
    Said.parse(event);
    switch (event.type) {
      case 'ready':
        isReady = true;
        return;
      case 'item.started':
        items.add(event.itemId);
        return;
      case 'item.delta':
      case 'item.updated':
        // The runner passes over what is said of an item that is not open, as it does over a second beginning.
        if (event.type === 'item.updated' && items.has(event.itemId) && event.patch.isBackground === true) background.add(event.itemId);
        return;
      case 'item.completed':
      case 'item.dropped':
        items.delete(event.itemId);
        background.delete(event.itemId);
        return;
      case 'request.opened':
        requests.set(event.requestId, event.request.options[0]?.optionId ?? '');
        return;
      case 'request.withdrawn':
        requests.delete(event.requestId);
        return;
      case 'turn.started':
        isTurnOpen = true;
        return;
      case 'turn.completed':
        if (!isTurnOpen) throw new Error('a turn ended that did not run');
        isTurnOpen = false;
        if (event.error !== undefined) {
          expect(event.error.message.startsWith(ERRORS[event.error.code].message)).toBe(true);
          expect(event.error.remedy).not.toBe('');
        }
        return;
      case 'bound':
      case 'usage.updated':
      case 'retrying':
      case 'settings.changed':
      case 'commands.told':
      case 'notice':
      case 'malformed':
    }
  };
  const apply = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.type === 'event') take(effect.event);
      else if (effect.type === 'write') expect(effect.line).not.toContain('\n');
      else if (effect.type === 'service') services.push(effect.callId);
      else isStopped = true;
      if (effect.type === 'stop' && effect.error !== undefined) ErrorBody.strict().parse(effect.error);
    }
  };
  const act = (): void => {
    const prompt = { turnId: `turn-${random(1e6)}`, text: 'hello', attachments: [] };
    const [open] = requests;
    switch (random(8)) {
      case 0:
        if (open !== undefined) {
          requests.delete(open[0]);
          apply(codec.answer(open[0], { optionId: random(2) === 0 ? open[1] : 'none of these' }));
        }
        return;
      case 1:
        if (isTurnOpen) apply(codec.interrupt());
        return;
      case 2:
        if (isTurnOpen && engine.capabilities.canSteer) apply(codec.steer(prompt));
        return;
      case 3:
        apply(codec.configure({ ...defaultSettings, mode: 'plan', model: 'm' }));
        return;
      case 4:
        apply(codec.stopTask([...background][0] ?? 'none'));
        return;
      case 5: {
        const callId = services.pop();
        if (callId !== undefined) apply(codec.reply(callId, random(2) === 0 ? { result: {} } : { result: null }));
        return;
      }
      default:
        if (isReady && !isTurnOpen) {
          isTurnOpen = true;
          apply(codec.prompt(prompt));
        }
    }
  };

  apply(codec.start());
  for (const line of lines) {
    if (isReady && !isTurnOpen) {
      isTurnOpen = true;
      apply(codec.prompt({ turnId: 'turn', text: 'hello', attachments: [] }));
    }
    if (isStopped) break;
    apply(codec.line(line));
    if (random(6) === 0) act();
  }
  const ways = [
    { code: 0, signal: null, stderr: '' },
    { code: 1, signal: null, stderr: 'boom' },
    { code: null, signal: 'SIGKILL', stderr: '' },
  ];
  apply(codec.exit(ways[random(ways.length)] ?? { code: null, signal: null, stderr: '' }));
  // What went on in the background the runner ends, which knows whether the end was wanted.
  expect({ items: [...items].filter((itemId) => !background.has(itemId)), isTurnOpen }).toEqual({ items: [], isTurnOpen: false });
};

const processEngines = engines.filter((engine) => engine.type === 'process');
const everybody = processEngines.flatMap((engine) => scenariosOf(engine.name).map((scenario) => [engine.name, scenario] as const));

describe.for(processEngines.map((engine) => [engine.name, engine] as const))('%s', ([name, engine]) => {
  // One that has none or hardly any recordings of its own gets everybody's.
  const own = everybody.filter(([recorded]) => recorded === name);
  test('no fault in what it writes brings a wrong form, a second end or an open item', () => {
    const played = own.length > 1 ? own : everybody;
    const rounds = isWhole ? ROUNDS : Math.min(ROUNDS, Math.ceil(SHORT_RUNS / played.length));
    let runs = 0;
    for (const [recorded, scenario] of played) {
      const lines = linesOf(scenario, recorded);
      for (let round = 0; round < rounds; round += 1) {
        const seed = runs;
        runs += 1;
        const random = createRandom(seed);
        try {
          play(recorded === name && name !== 'claude' ? launchedFor(engine, scenario) : engine, spoilLines(lines, random), random);
        } catch (error) {
          throw new Error(`${scenario} of ${recorded}, seed ${seed}`, { cause: error });
        }
      }
    }
    expect(runs).toBeGreaterThan(100);
  });
});
