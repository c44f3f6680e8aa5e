/** Asks once before a project's own files may act. The answer holds for exactly these files with exactly this content. */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { toOption } from '#protocol/answers.ts';
import { engines } from '#companion/engines/index.ts';
import { traitsOfOthers } from '#companion/engines/other-agents.ts';
import { ProjectRules } from './project-rules.ts';
import { describeFindings } from './project-scan.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Store } from '#companion/store/store.ts';
import type { TrustedProject } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { finding, type Pieces } from '#protocol/findings.ts';
import { asItCame, asLines } from '#protocol/said.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { explain } from '#protocol/faults.ts';
import { isInside } from '#companion/lib/inside.ts';
import { printable } from './settings-lines.ts';
import { type ActiveFile, findActiveFiles, hashesOf } from './trust-files.ts';

const TRUST = 'trust';

/** A session that is about to start an agent. */
export interface TrustAsker {
  /** The real path of the folder, checked just now. */
  readonly workspace: () => Promise<string>;
  /** Where a worktree was made from: the project's folder, and the tops of the repository and of the worktree; all real paths. */
  readonly madeFrom?: () => Promise<{ readonly folder: string; readonly repository: string; readonly worktree: string } | null>;
  /** Puts the question to the user; resolves with null when it was withdrawn. */
  readonly ask: (request: RequestBody, signal: AbortSignal) => Promise<RequestAnswer | null>;
  /** Whether somebody still waits for the agent. */
  readonly isWanted: () => boolean;
}

/** Answers are kept in the settings, by real path. */
export class Trust {
  readonly #settings: Store['settings'];
  readonly #log: Log;
  #known: { readonly custom: string; readonly rules: ProjectRules } | null = null;
  /** Open questions by folder: one answer is the answer to all of them. */
  readonly #open = new Map<string, Set<AbortController>>();

  constructor({ settings }: Pick<Store, 'settings'>, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /** Resolves with the folder when it would start nothing, or is trusted; rejects with WORKSPACE_NOT_TRUSTED. */
  async check(asker: TrustAsker): Promise<string> {
    for (;;) {
      const root = await asker.workspace();
      const active = await findActiveFiles(root, this.#rules);
      if (this.#isTrusted(root, active) || (await this.#isCarriedOver(asker, root))) return root;
      if (!asker.isWanted()) throw new CompanionError('CALL_CANCELLED', explain('nobody_waits'));
      // Then looked at again, since a person takes time and files do not wait. Between this look and the agent's own nothing
      // can be held still; a program that can write into the folder at that moment already has the rights of the user.
      await this.#ask(asker, root, active);
    }
  }

  /** Whether the folder would start nothing now, or is trusted. A folder that cannot be looked at is not trusted. */
  async isHeld(asker: Pick<TrustAsker, 'workspace' | 'madeFrom'>): Promise<boolean> {
    try {
      const root = await asker.workspace();
      return this.#isTrusted(root, await findActiveFiles(root, this.#rules)) || (await this.#isCarriedOver(asker, root));
    } catch {
      return false;
    }
  }

  /** The trusted projects, the newest first. */
  list(): TrustedProject[] {
    return Object.entries(this.#trusted())
      .map(([path, { trustedAt, files }]) => ({ path, trustedAt, files: Object.keys(files) }))
      .toSorted((a, b) => b.trustedAt.localeCompare(a.trustedAt));
  }

  /** Takes the answer back; returns false when there was none. The next turn in the folder asks again. */
  revoke(root: string): boolean {
    const { [root]: revoked, ...others } = this.#trusted();
    if (revoked === undefined) return false;
    this.#settings.change({ trustedProjects: others });
    this.#log.warn('trust.revoked', { root });
    return true;
  }

  /** The folder is no more: nothing in it is trusted any longer. */
  forget(folder: string): void {
    const trusted = Object.entries(this.#trusted());
    const left = trusted.filter(([root]) => !isInside(folder, root));
    if (left.length < trusted.length) this.#settings.change({ trustedProjects: Object.fromEntries(left) });
  }

  async #ask(asker: TrustAsker, root: string, active: readonly ActiveFile[]): Promise<void> {
    const question = new AbortController();
    const questions = this.#open.get(root) ?? new Set();
    this.#open.set(root, questions.add(question));
    try {
      const answer = await asker.ask(toRequest(root, active, this.#trusted()[root]?.files ?? null), question.signal);
      questions.delete(question);
      if (answer?.optionId === TRUST) this.#remember(root, hashesOf(active));
      else if (answer !== null) throw denied(active);
    } finally {
      questions.delete(question);
      if (questions.size === 0) this.#open.delete(root);
    }
  }

  #remember(root: string, files: Record<string, string>): void {
    const trusted = { trustedAt: new Date().toISOString(), files };
    this.#settings.change({ trustedProjects: { ...this.#trusted(), [root]: trusted } });
    this.#log.warn('trust.given', { root, files: Object.keys(files) });
    for (const other of this.#open.get(root) ?? []) other.abort();
  }

  /**
   * Whether a worktree holds nothing that acts but what the person trusts, as it is now, in the folder that it was made from: the same
   * files with the same content. A file that the agent has changed or added there is asked about.
   */
  async #isCarriedOver({ madeFrom }: Pick<TrustAsker, 'madeFrom'>, root: string): Promise<boolean> {
    const from = (await madeFrom?.()) ?? null;
    const trusted = from === null ? undefined : this.#trusted()[from.folder]?.files;
    if (from === null || trusted === undefined) return false;
    if (!isDeepStrictEqual(trusted, hashesOf(await findActiveFiles(from.folder, this.#rules)))) return false;
    const { repository, worktree } = from;
    const moved = (file: string): string => (isInside(worktree, file) ? repository + file.slice(worktree.length) : file);
    const found = hashesOf(await findActiveFiles(root, this.#rules, moved));
    return Object.entries(found).every(([name, sha256]) => {
      const there = moved(path.resolve(root, name));
      return trusted[isInside(from.folder, there) ? path.relative(from.folder, there) : there] === sha256;
    });
  }

  #isTrusted(root: string, active: readonly ActiveFile[]): boolean {
    return active.length === 0 || isDeepStrictEqual(this.#trusted()[root]?.files, hashesOf(active));
  }

  /** Files of agents that the person has added count once they have added any: in other hands they start nothing. */
  get #rules(): ProjectRules {
    const { custom } = this.#settings.current().engines;
    const key = JSON.stringify(custom.map(({ name, command }) => [name, command]));
    if (this.#known?.custom !== key) {
      const others = custom.length === 0 ? [] : [{ project: traitsOfOthers(custom) }];
      this.#known = { custom: key, rules: new ProjectRules([...engines, ...others]) };
    }
    return this.#known.rules;
  }

  #trusted() {
    return this.#settings.current().trustedProjects;
  }
}

/** `before` is what was trusted, when this is not the first question about the folder. */
const toRequest = (root: string, active: readonly ActiveFile[], before: Readonly<Record<string, string>> | null): RequestBody => {
  const known = before === null ? null : new Map(Object.entries(before));
  const named = ({ path, sha256 }: { path: string; sha256: string }): Pieces => {
    const name = printable(path);
    return known === null || known.get(path) === sha256 ? [name] : [name, finding(known.has(path) ? 'changed' : 'is_new')];
  };
  const findings = active.map((file) => {
    const scripts = file.scripts.flatMap((script, index) => [index === 0 ? finding('scripts') : ', ', ...named(script)]);
    return { path: named(file), lines: [...file.lines, ...(scripts.length === 0 ? [] : [scripts])] };
  });
  const gap = asItCame('');
  return {
    kind: 'trust',
    title: before === null ? 'Trust this project?' : 'This project changed what it starts. Trust it again?',
    saying: { code: before === null ? 'trust' : 'trust_again', values: {} },
    ...asLines([finding('trust_reads'), gap, ...describeFindings(findings), gap, finding('trust_end')]),
    where: root,
    options: [toOption(TRUST, 'allow_always', 'answer_trust'), toOption('deny', 'reject', 'answer_start_not')],
  };
};

const denied = (active: readonly ActiveFile[]): CompanionError =>
  new CompanionError('WORKSPACE_NOT_TRUSTED', active.map(({ path }) => path).join(', '), {
    remedy: explain('look_through_files'),
  });
