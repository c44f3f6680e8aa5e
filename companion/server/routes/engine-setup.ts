/**
 * What the user sets for agents. Whatever makes a program start (its path, arguments, variables, an agent of the user's own) is
 * set by the private socket only; the panel may store keys, name the address of a model server, and switch agents off (S10).
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { CustomEngineInput, EngineSettingsInput, SecretInput } from '#protocol/engine-setup.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { ServerDeps } from '../deps.ts';
import { entryOf } from '../doors.ts';
import { parse } from '../http-error.ts';
import { api, privateOnly } from '../scope.ts';

const ByName = z.object({ name: z.string().max(200) });
const BySecret = z.object({ name: z.string().max(200), secretName: z.string().max(200) });
const TERMINAL_ONLY = ['path', 'args', 'env'] as const satisfies readonly (keyof EngineSettingsInput)[];

export const addEngineSetupRoutes = (app: FastifyInstance, { engineSetups }: ServerDeps): void => {
  /** All agents, those that are switched off too, with what is set for them. */
  app.get('/api/engines', api, () => ({ engines: engineSetups.list(), warning: engineSetups.warning }));

  app.post('/api/engines', privateOnly, ({ body }, reply) => reply.code(201).send(engineSetups.add(parse(CustomEngineInput, body))));

  app.delete('/api/engines/:name', privateOnly, async ({ params }, reply) => {
    await engineSetups.remove(parse(ByName, params).name);
    return reply.code(204).send();
  });

  app.get('/api/engines/:name/settings', api, ({ params }) => engineSetups.read(parse(ByName, params).name));

  /** What is absent stays, null goes. From the panel: `isDisabled` and `endpoint` only. */
  app.put('/api/engines/:name/settings', api, (request) => {
    const { name } = parse(ByName, request.params);
    const change = parse(EngineSettingsInput, request.body);
    const refused = TERMINAL_ONLY.filter((key) => change[key] !== undefined);
    if (refused.length > 0 && !isTerminal(request)) {
      throw new CompanionError('FORBIDDEN', `What starts a program is set in a terminal: ${refused.join(', ')}.`, {
        remedy: `Run \`pilotfish engine set ${name}\` in a terminal.`,
      });
    }
    return engineSetups.change(name, change);
  });

  /** Stores a key, or with null removes it. It is never told again. */
  app.put('/api/engines/:name/secrets/:secretName', api, (request) => {
    const { name, secretName } = parse(BySecret, request.params);
    const { value } = parse(SecretInput, request.body);
    const isKnown = engineSetups.read(name).secrets.some((secret) => secret.name === secretName);
    // Each becomes a variable of a process, and some variables load programs.
    if (!isKnown && !isTerminal(request)) {
      throw new CompanionError('FORBIDDEN', 'A secret of a new name is added in a terminal.', {
        remedy: `Run \`pilotfish engine key ${name} ${secretName}\` in a terminal.`,
      });
    }
    return engineSetups.setSecret(name, secretName, value);
  });
};

const isTerminal = ({ raw }: FastifyRequest): boolean => entryOf(raw).principal.type === 'local';
