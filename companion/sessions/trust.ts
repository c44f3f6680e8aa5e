/** Asks once before a project's own files may act (S26). The answer holds for exactly these files with exactly this content. */
import { describeFindings } from '#companion/policy/project-scan.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Store } from '#companion/store/store.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { type ActiveFiles, findActiveFiles } from './trust-files.ts';

const TRUST = 'trust';

/** Whoever is about to start an agent. */
export interface TrustAsker {
  /** The folder as it is now, checked: a real path. */
  readonly workspace: () => Promise<string>;
  /** Null when the question was withdrawn. */
  readonly ask: (request: RequestBody, signal: AbortSignal) => Promise<RequestAnswer | null>;
  /** Somebody still wants the agent. */
  readonly isWanted: () => boolean;
}

export interface Trust {
  /** Resolves with the folder when what it would start is nothing, or is trusted; rejects with WORKSPACE_NOT_TRUSTED. */
  check(asker: TrustAsker): Promise<string>;
}

/** Answers are kept in the settings, by real path. */
export const createTrust = ({ settings }: Pick<Store, 'settings'>, log: Log): Trust => {
  /** Open questions by folder: one answer settles them all. */
  const open = new Map<string, Set<AbortController>>();

  const remember = (root: string, sha256: string): void => {
    settings.change({ trustedProjects: { ...settings.current().trustedProjects, [root]: sha256 } });
    log.warn('trust.given', { root, sha256 });
    for (const other of open.get(root) ?? []) other.abort();
  };

  const ask = async (asker: TrustAsker, root: string, active: ActiveFiles): Promise<void> => {
    const question = new AbortController();
    const questions = open.get(root) ?? new Set();
    open.set(root, questions.add(question));
    try {
      const isChanged = settings.current().trustedProjects[root] !== undefined;
      const answer = await asker.ask(toRequest(root, active, isChanged), question.signal);
      questions.delete(question);
      if (answer?.optionId === TRUST) remember(root, active.sha256);
      else if (answer !== null) throw denied(active);
    } finally {
      questions.delete(question);
      if (questions.size === 0) open.delete(root);
    }
  };

  return {
    check: async (asker) => {
      for (;;) {
        const root = await asker.workspace();
        const active = await findActiveFiles(root);
        if (active.files.length === 0 || settings.current().trustedProjects[root] === active.sha256) return root;
        if (!asker.isWanted()) throw new CompanionError('CALL_CANCELLED', 'Nobody waits for the agent any more.');
        // Then looked at again, since a person takes time and files do not wait. Between this look and the agent's own nothing
        // can be held still; who can write into the folder at that moment already acts as the user.
        await ask(asker, root, active);
      }
    },
  };
};

const toRequest = (root: string, { files }: ActiveFiles, isChanged: boolean): RequestBody => ({
  kind: 'trust',
  title: isChanged ? 'This project changed what it starts. Trust it again?' : 'Trust this project?',
  detail: `An agent that works here reads these files. They can start programs, change where it sends data, or allow things without asking:\n\n${describeFindings(files)}`,
  where: root,
  options: [
    { optionId: TRUST, label: 'Trust these files', kind: 'allow_always' },
    { optionId: 'deny', label: 'Do not start', kind: 'reject' },
  ],
});

const denied = ({ files }: ActiveFiles): CompanionError =>
  new CompanionError('WORKSPACE_NOT_TRUSTED', files.map(({ path }) => path).join(', '), {
    remedy: 'Look through the files named above, remove what you do not want, then send again and answer the card.',
  });
