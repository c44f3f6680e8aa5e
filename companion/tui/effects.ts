/** What the terminal UI does outside itself: through the daemon's client, the installer and the terminal. */
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { ProjectId, TurnId, type SessionId } from '#protocol/ids.ts';
import type { Client } from '#companion/client/client.ts';
import type { Installer } from '#companion/client/installer.ts';
import { randomId } from '#companion/lib/random-id.ts';
import path from 'node:path';
import type { Screen } from './screen.ts';
import type { Effect } from './state.ts';
import type { Happening } from './update.ts';

export interface EffectsOptions {
  readonly client: Client;
  readonly installer: Installer;
  readonly screen: Pick<Screen, 'setMouse' | 'suspend'>;
  readonly happen: (happening: Happening) => void;
  readonly quit: () => void;
  /** Ends everything that is under way when the terminal UI is left. */
  readonly signal: AbortSignal;
}

/** A runner of effects. What fails is told to the user, with what to do about it. */
export const createEffects = (options: EffectsOptions): ((effect: Effect) => void) => {
  const { client, installer, screen, happen, quit, signal } = options;
  let watch: AbortController | null = null;

  const fail = (error: unknown): void => {
    if (signal.aborted) return;
    const { message, remedy } = toErrorBody(error);
    happen({ type: 'notice', notice: { level: 'error', text: message, remedy } });
  };

  const openSession = (sessionId: SessionId | null): void => {
    watch?.abort();
    watch = null;
    if (sessionId === null) return;
    const own = new AbortController();
    watch = own;
    const until = AbortSignal.any([signal, own.signal]);
    client
      .streamSession(
        sessionId,
        null,
        (event) => {
          // An event that was under way when another session was opened is of no use any more.
          if (until.aborted) return;
          happen(event.type === 'resync' ? { type: 'resync', sessionId } : { type: 'event', event });
        },
        until,
      )
      .catch((error: unknown) => {
        if (!until.aborted) fail(error);
      });
  };

  const run = async (effect: Effect): Promise<void> => {
    switch (effect.type) {
      case 'session.open':
        return openSession(effect.sessionId);
      case 'session.create': {
        await client.connect({ start: true, signal });
        const projectId = effect.projectId === null ? await defaultProject(client) : ProjectId.parse(effect.projectId);
        const session = await client.sessions.create(projectId, { engineName: effect.engine });
        return happen({ type: 'created', sessionId: session.id });
      }
      case 'session.delete':
        await client.sessions.remove(effect.sessionId);
        return happen({ type: 'deleted', sessionId: effect.sessionId });
      case 'session.update': {
        const { mode, ...change } = effect.change;
        await client.sessions.update(effect.sessionId, {
          ...change,
          ...(mode === undefined ? {} : { permissionMode: mode }),
        });
        return;
      }
      case 'turn.start':
        try {
          await client.connect({ start: true, signal });
          await client.act(effect.sessionId, { instruction: effect.text, requestId: randomId(), delivery: effect.delivery });
        } catch (error) {
          happen({ type: 'unsent', sessionId: effect.sessionId, text: effect.text });
          throw error;
        }
        return;
      case 'turn.cancel':
        return client.cancel(effect.sessionId, effect.turnId === null ? undefined : TurnId.parse(effect.turnId));
      case 'task.stop':
        return client.stopTask(effect.sessionId, effect.itemId);
      case 'task.read': {
        // One that has just ended: its end brings what it wrote.
        const output = await client.readTask(effect.sessionId, effect.itemId).catch(() => null);
        return output === null ? undefined : happen({ type: 'output', itemId: effect.itemId, text: output.text });
      }
      case 'request.answer':
        return client.answer(effect.sessionId, effect.requestId, effect.answer);
      case 'project.add': {
        await client.connect({ start: true, signal });
        const rootPath = expandHome(effect.rootPath);
        const { name } = await client.projects.save({ name: path.basename(rootPath), rootPath });
        return happen({ type: 'notice', notice: { level: 'info', text: `${name} was added.`, remedy: null } });
      }
      case 'project.remove':
        return client.projects.remove(ProjectId.parse(effect.projectId));
      case 'engines.refresh': {
        await client.connect({ start: true, signal });
        const engines = await client.engines.refresh(effect.name ?? undefined, signal);
        return happen({ type: 'state', event: { type: 'engines', engines } });
      }
      case 'setup.install': {
        const report = installer.install({});
        happen({ type: 'setup', browserSetups: installer.browsers(), extension: installer.extension() });
        const failed = report.browsers.find(({ state }) => state === 'failed');
        const text = failed?.error?.message ?? report.extension.error?.message;
        if (text !== undefined) throw new CompanionError('INSTALL_FAILED', text);
        const warning = report.warnings[0];
        return happen({
          type: 'notice',
          notice: {
            level: warning === undefined ? 'info' : 'warning',
            text: warning ?? 'Every browser found is registered.',
            remedy: null,
          },
        });
      }
      case 'setup.check':
        return happen({ type: 'checks', checks: await installer.doctor(signal) });
      case 'mouse':
        screen.setMouse(effect.isOn);
        return happen({
          type: 'notice',
          notice: { level: 'info', text: effect.isOn ? 'The mouse works here.' : 'The mouse selects text; t gives it back.', remedy: null },
        });
      case 'suspend':
        return screen.suspend();
      case 'quit':
        return quit();
    }
  };

  return (effect) => {
    run(effect).catch(fail);
  };
};

/** The project that exists before the user made one. */
const defaultProject = async (client: Client): Promise<ProjectId> => {
  const rootPath = await client.projects.defaultWorkspace();
  const known = (await client.projects.list()).find((project) => project.rootPath === rootPath);
  return (known ?? (await client.projects.save({ name: path.basename(rootPath), rootPath, allowCreate: true }))).id;
};

/** People type ~ as in a shell. */
const expandHome = (folder: string): string => {
  const home = process.env['HOME'] ?? process.env['USERPROFILE'];
  return home !== undefined && /^~(?=$|[/\\])/u.test(folder) ? path.join(home, folder.slice(1)) : path.resolve(folder);
};
