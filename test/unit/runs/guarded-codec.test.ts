import { describe, expect, test } from 'vitest';
import type { Codec, Effect } from '#companion/engines/engine.ts';
import { GuardedCodec } from '#companion/runs/process-run.ts';
import { defaultSettings } from '#protocol/events.ts';
import { promptOf } from '#test/unit/engines/codec-stage.ts';

const fault = new TypeError('a fault of our own');
const throws = (): Effect[] => {
  throw fault;
};
const broken: Codec = {
  start: throws,
  line: throws,
  prompt: throws,
  steer: throws,
  answer: throws,
  interrupt: throws,
  stopTask: throws,
  readTask: throws,
  configure: throws,
  reply: throws,
  exit: throws,
};

const calls: [string, (codec: Codec) => Effect[]][] = [
  ['start', (codec) => codec.start()],
  ['line', (codec) => codec.line('{}')],
  ['prompt', (codec) => codec.prompt(promptOf('x'))],
  ['steer', (codec) => codec.steer(promptOf('x'))],
  ['answer', (codec) => codec.answer('r', { optionId: 'o' })],
  ['interrupt', (codec) => codec.interrupt()],
  ['stopTask', (codec) => codec.stopTask('i')],
  ['readTask', (codec) => codec.readTask?.('i') ?? []],
  ['configure', (codec) => codec.configure(defaultSettings)],
  ['reply', (codec) => codec.reply('c', { result: null })],
];

describe('a guarded codec', () => {
  test.for(calls)('makes a fault in %s the end of the run, and reports it whole', ([, call]) => {
    const reported: unknown[] = [];
    const codec = new GuardedCodec(broken, (error) => reported.push(error));

    expect(codec.ask(call)).toMatchObject([{ type: 'stop', error: { code: 'INTERNAL' } }]);
    expect(reported).toEqual([fault]);
  });

  test('makes a fault at the end of the process the end of the run too', () => {
    const reported: unknown[] = [];
    const codec = new GuardedCodec(broken, (error) => reported.push(error));

    expect(codec.end({ code: 0, signal: null, stderr: '' })).toMatchObject([{ type: 'stop', error: { code: 'INTERNAL' } }]);
    expect(reported).toEqual([fault]);
  });

  test('hears of nothing after a fault but the end of its process', () => {
    const notice: Effect = { type: 'event', event: { type: 'notice', level: 'info', text: 'over' } };
    const codec = new GuardedCodec({ ...broken, prompt: () => [notice], exit: () => [notice] }, () => {});
    codec.ask((inner) => inner.line('{}'));

    expect(codec.ask((inner) => inner.prompt(promptOf('x')))).toEqual([]);
    expect(codec.end({ code: 0, signal: null, stderr: '' })).toEqual([notice]);
  });

  test('cannot read tasks when the inner one cannot', () => {
    const { readTask: _, ...plain } = broken;

    expect(new GuardedCodec(plain, () => {}).canReadTasks).toBe(false);
  });
});
