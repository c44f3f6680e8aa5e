/**
 * Changes of what starts an agent that a panel has proposed. One at a time waits for the person, who sees it in a terminal window; what
 * is written after a yes is what is kept here, and not what anybody has sent since.
 */
import { isDeepStrictEqual } from 'node:util';
import { randomId } from '#companion/lib/random-id.ts';
import { type EngineSetup, EngineName } from '#protocol/engine-setup.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { ConfirmEngine, EngineProposal, ProposalOutcome, SetNow } from '#protocol/errands.ts';
import { explain } from '#protocol/faults.ts';
import type { EngineSetups } from './engine-setups.ts';

/** As long as a window is waited for. */
const HOLDS_MS = 3 * 60_000;

export interface Proposal {
  readonly name: string;
  readonly change: EngineProposal;
  readonly language: 'en' | 'zh';
}

interface Open {
  readonly errand: ConfirmEngine;
  /** What was set when it was proposed. */
  readonly settings: EngineSetup['settings'] | null;
  readonly resolve: (outcome: ProposalOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** Aborted when nobody waits for the answer any more. */
  readonly ended: AbortController;
}

export class EngineProposals {
  readonly #setups: Pick<EngineSetups, 'list' | 'add' | 'change' | 'checkChange' | 'ownCommand' | 'remove'>;
  #open: Open | null = null;

  constructor(setups: Pick<EngineSetups, 'list' | 'add' | 'change' | 'checkChange' | 'ownCommand' | 'remove'>) {
    this.#setups = setups;
  }

  /**
   * Resolves with what the person said, and rejects where it cannot be asked or set. `send` opens the window; the proposal ends with `gone`,
   * when the panel has cancelled it.
   */
  async propose(
    { name, change, language }: Proposal,
    gone: AbortSignal,
    send: (errand: ConfirmEngine, signal: AbortSignal) => Promise<void>,
  ): Promise<ProposalOutcome> {
    if (this.#open !== null) throw new CompanionError('PROPOSAL_OPEN');
    const setup = this.#find(name);
    this.#check(name, change, setup);
    const errand: ConfirmEngine = {
      type: 'confirm_engine',
      answerId: randomId('answer'),
      name,
      label: setup?.engine.label ?? name,
      language,
      change,
      now: setup === null ? null : this.#setNow(setup),
    };
    const { promise, resolve, reject } = Promise.withResolvers<ProposalOutcome>();
    const open: Open = { errand, settings: setup?.settings ?? null, resolve, reject, ended: new AbortController() };
    this.#open = open;
    const timer = setTimeout(() => this.#end(open)?.resolve('expired'), HOLDS_MS);
    const withdraw = (): void => this.#end(open)?.reject(new CompanionError('ERRAND_GONE'));
    gone.addEventListener('abort', withdraw, { once: true });
    send(errand, open.ended.signal).catch((error: unknown) => this.#end(open)?.reject(error));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', withdraw);
    }
  }

  /** Resolves when the proposal of that id has ended, by an answer or without one. A window that goes away before has refused it. */
  async waitForEnd(answerId: string, gone: AbortSignal): Promise<void> {
    const open = this.#taken(answerId);
    gone.addEventListener('abort', () => this.#end(open)?.resolve('refused'), { once: true });
    await new Promise<void>((resolve) => open.ended.signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  /** The answer of the person, who was shown what `answerId` came with. */
  async answer(answerId: string, isAllowed: boolean): Promise<void> {
    const open = this.#taken(answerId);
    this.#end(open);
    if (!isAllowed) return open.resolve('refused');
    try {
      await this.#make(open);
      open.resolve('done');
    } catch (error) {
      open.reject(error);
      throw error;
    }
  }

  #taken(answerId: string): Open {
    if (this.#open === null || this.#open.errand.answerId !== answerId) throw new CompanionError('ERRAND_GONE');
    return this.#open;
  }

  /** The proposal when it has not ended before: it ends once. */
  #end(open: Open): Open | null {
    if (this.#open !== open) return null;
    this.#open = null;
    open.ended.abort();
    return open;
  }

  async #make({ errand: { name, change }, settings }: Open): Promise<void> {
    if (!isDeepStrictEqual(this.#find(name)?.settings ?? null, settings)) throw new CompanionError('PROPOSAL_STALE');
    switch (change.type) {
      case 'add':
        this.#setups.add({ name, command: change.command, args: change.args });
        if (Object.keys(change.env).length > 0) this.#setups.change(name, { env: change.env });
        return;
      case 'change': {
        const { type: _, ...rest } = change;
        this.#setups.change(name, rest);
        return;
      }
      case 'remove':
        return this.#setups.remove(name);
    }
  }

  /** What could not be set is refused before anybody is asked. */
  #check(name: string, change: EngineProposal, setup: EngineSetup | null): void {
    if (change.type === 'add') {
      if (!EngineName.safeParse(name).success) throw new CompanionError('INPUT_INVALID', explain('agent_name'));
      if (setup !== null) throw new CompanionError('INPUT_INVALID', explain('agent_exists', { name }));
      return;
    }
    if (setup === null) throw new CompanionError('ENGINE_UNKNOWN', name);
    if (change.type === 'remove') {
      if (!setup.engine.isCustom) throw new CompanionError('INPUT_INVALID', explain('is_built_in', { name }));
      return;
    }
    this.#setups.checkChange(name, change);
  }

  #find(name: string): EngineSetup | null {
    return this.#setups.list().find(({ engine }) => engine.name === name) ?? null;
  }

  #setNow({ engine, settings }: EngineSetup): SetNow {
    const ownCommand = [...this.#setups.ownCommand(engine.name)];
    const program = settings.path ?? ownCommand[0] ?? engine.path ?? null;
    return { program, ownCommand, args: settings.args, envNames: settings.envNames };
  }
}
