import { afterEach, describe, expect, vi } from 'vitest';
import { nullLog } from '#companion/lib/log.ts';
import { EngineProposals } from '#companion/catalogue/engine-proposals.ts';
import { EngineSetups } from '#companion/catalogue/engine-setups.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { ConfirmEngine, EngineProposal, ProposalOutcome } from '#protocol/errands.ts';
import { codeOf, test, type Stage } from '#test/unit/sessions/stage.ts';

const add: EngineProposal = { type: 'add', command: '/opt/agent', args: ['--acp', 'a\nb'], env: { REGION: 'eu' } };

/** Proposals to real setups, and what windows were opened for. */
const create = ({ store, catalogue }: Stage) => {
  const setups = new EngineSetups({ store, catalogue, log: nullLog, onChange: () => {} });
  const proposals = new EngineProposals(setups);
  const errands: ConfirmEngine[] = [];
  const signals: AbortSignal[] = [];
  const gone = new AbortController();
  const propose = (name: string, change: EngineProposal): Promise<ProposalOutcome> =>
    proposals.propose({ name, change, language: 'en' }, gone.signal, async (errand, signal) => {
      errands.push(errand);
      signals.push(signal);
    });
  const answerId = (): string => errands.at(-1)?.answerId ?? '';
  return { setups, proposals, propose, errands, signals, gone, answerId, engines: () => store.settings.current().engines };
};

describe('a proposal of a panel', () => {
  afterEach(() => void vi.useRealTimers());

  test('is set after a yes, as it was shown, and by nothing else', async ({ stage }) => {
    const { propose, proposals, errands, answerId, engines } = create(stage);

    const proposed = propose('mine', add);
    expect(errands).toMatchObject([{ type: 'confirm_engine', name: 'mine', change: add, now: null }]);
    expect(engines().custom).toEqual([]);
    expect(await codeOf(proposals.answer('answer_guessed', true))).toBe('ERRAND_GONE');
    expect(engines().custom).toEqual([]);
    await proposals.answer(answerId(), true);

    expect(await proposed).toBe('done');
    expect(engines().custom).toEqual([{ name: 'mine', command: '/opt/agent', args: ['--acp', 'a\nb'], dialect: 'acp' }]);
    expect(engines().byName).toEqual({ mine: { env: { REGION: 'eu' } } });
    expect(await codeOf(proposals.answer(answerId(), true))).toBe('ERRAND_GONE');
  });

  test('changes and removes, and shows what is there now without the values of variables', async ({ stage }) => {
    const { propose, proposals, setups, errands, answerId, engines } = create(stage);
    setups.add({ name: 'mine', command: '/opt/agent', args: ['run.js'] });
    setups.change('mine', { path: '/opt/old', args: ['--old'], env: { KEPT: 'hidden', OLD: 'x' } });

    const changed = propose('mine', { type: 'change', path: '/opt/new', args: null, env: { OLD: null } });
    await proposals.answer(answerId(), true);

    expect(await changed).toBe('done');
    expect(errands[0]?.now).toEqual({
      program: '/opt/old',
      ownCommand: ['/opt/agent', 'run.js'],
      args: ['--old'],
      envNames: ['KEPT', 'OLD'],
    });
    expect(engines().byName).toEqual({ mine: { path: '/opt/new', env: { KEPT: 'hidden' } } });
    const removed = propose('mine', { type: 'remove' });
    await proposals.answer(answerId(), true);
    expect(await removed).toBe('done');
    expect(engines()).toEqual({ byName: {}, custom: [] });
  });

  test('sets nothing after a no', async ({ stage }) => {
    const { propose, proposals, answerId, engines } = create(stage);

    const proposed = propose('mine', add);
    await proposals.answer(answerId(), false);

    expect(await proposed).toBe('refused');
    expect(engines().custom).toEqual([]);
  });

  test('ends after three minutes, and a yes that comes later sets nothing', async ({ stage }) => {
    vi.useFakeTimers();
    const { propose, proposals, answerId, engines, signals } = create(stage);

    const proposed = propose('mine', add);
    const awaited = proposals.waitForEnd(answerId(), new AbortController().signal);
    await vi.advanceTimersByTimeAsync(3 * 60_000);

    expect(await proposed).toBe('expired');
    await awaited;
    expect(signals[0]?.aborted).toBe(true);
    expect(await codeOf(proposals.answer(answerId(), true))).toBe('ERRAND_GONE');
    expect(engines().custom).toEqual([]);
  });

  test('is withdrawn when the panel goes away: the window asks no longer, and a yes sets nothing', async ({ stage }) => {
    const { propose, proposals, answerId, engines, gone, signals } = create(stage);

    const proposed = codeOf(propose('mine', add));
    const awaited = proposals.waitForEnd(answerId(), new AbortController().signal);
    gone.abort();

    expect(await proposed).toBe('ERRAND_GONE');
    await awaited;
    expect(signals[0]?.aborted).toBe(true);
    expect(await codeOf(proposals.answer(answerId(), true))).toBe('ERRAND_GONE');
    expect(engines().custom).toEqual([]);
  });

  test('is refused when its window is closed', async ({ stage }) => {
    const { propose, proposals, answerId } = create(stage);
    const window = new AbortController();

    const proposed = propose('mine', add);
    const awaited = proposals.waitForEnd(answerId(), window.signal);
    window.abort();

    expect(await proposed).toBe('refused');
    await awaited;
  });

  test('waits alone: a second one opens no window, and the first goes on', async ({ stage }) => {
    const { propose, proposals, answerId, errands } = create(stage);

    const first = propose('mine', add);
    expect(await codeOf(propose('other', add))).toBe('PROPOSAL_OPEN');
    expect(errands).toHaveLength(1);
    await proposals.answer(answerId(), false);

    expect(await first).toBe('refused');
    const second = propose('other', add);
    await proposals.answer(answerId(), true);
    expect(await second).toBe('done');
  });

  test('ends where no window could be opened, and the next one may come', async ({ stage }) => {
    const { proposals, propose, answerId } = create(stage);
    const { signal } = new AbortController();

    const failed = proposals.propose({ name: 'mine', change: add, language: 'en' }, signal, () =>
      Promise.reject(new CompanionError('DESKTOP_FAILED')),
    );

    expect(await codeOf(failed)).toBe('DESKTOP_FAILED');
    const next = propose('mine', add);
    await proposals.answer(answerId(), false);
    expect(await next).toBe('refused');
  });

  test('sets nothing when the agent is not as the window showed it', async ({ stage }) => {
    const { propose, proposals, setups, answerId, engines } = create(stage);
    setups.add({ name: 'mine', command: '/opt/agent', args: [] });

    const proposed = codeOf(propose('mine', { type: 'change', args: ['--fast'] }));
    setups.change('mine', { path: '/tmp/other' });
    const answered = await codeOf(proposals.answer(answerId(), true));

    expect([answered, await proposed]).toEqual(['PROPOSAL_STALE', 'PROPOSAL_STALE']);
    expect(engines().byName['mine']).toEqual({ path: '/tmp/other' });
  });

  test.for([
    ['fake', add, 'INPUT_INVALID'],
    ['My Agent', add, 'INPUT_INVALID'],
    ['nobody', { type: 'change', path: '/x' }, 'ENGINE_UNKNOWN'],
    ['nobody', { type: 'remove' }, 'ENGINE_UNKNOWN'],
    ['fake', { type: 'remove' }, 'INPUT_INVALID'],
  ] as const satisfies readonly (readonly [string, EngineProposal, string])[])(
    'for %s that cannot be set asks nobody: %j is %s',
    async ([name, change, code], { stage }) => {
      const { propose, errands } = create(stage);

      expect(await codeOf(propose(name, change))).toBe(code);
      expect(errands).toEqual([]);
    },
  );
});
