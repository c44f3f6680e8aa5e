/** Projects and the folders they work in. */
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { ProjectInput } from '#protocol/api.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { ProjectId } from '#protocol/ids.ts';
import { checkNewWorkspace, checkWorkspace } from '#companion/projects/workspace.ts';
import type { ServerDeps } from '../deps.ts';
import { parse } from '../http-error.ts';
import { api } from '../scope.ts';

const ById = z.object({ projectId: ProjectId });
const RootPath = z.object({ rootPath: z.string().min(1).max(4096) });
const AbsolutePath = z.object({ absolutePath: z.string().min(1).max(4096) });
const ProjectName = z.object({ projectName: z.string().min(1).max(200) });

export const addProjectRoutes = (app: FastifyInstance, { projects, settings, paths }: ServerDeps): void => {
  const allowedRoots = (): string[] => [...settings.current().allowedRoots, paths.defaultWorkspace];
  const check = (rootPath: string, allowCreate: boolean): Promise<string> =>
    checkWorkspace(rootPath, { allowedRoots: allowedRoots(), allowCreate });
  /** Null when it could be made; otherwise why not. */
  const whyNotMade = (rootPath: string): Promise<ErrorBody | null> =>
    checkNewWorkspace(rootPath, allowedRoots()).then(() => null, toErrorBody);

  app.get('/agent/projects', api, () => ({ projects: projects.list() }));

  app.post('/agent/projects', api, async ({ body }) => ({ project: await projects.save(parse(ProjectInput, body)) }));

  app.delete('/agent/projects/:projectId', api, ({ params }, reply) => {
    projects.remove(parse(ById, params).projectId);
    return reply.code(204).send();
  });

  /** Says why a folder will not do before the user presses "Create". */
  app.post('/agent/projects/validate-path', api, async ({ body }) => {
    const { rootPath } = parse(RootPath, body);
    try {
      return { valid: true, exists: true, needsCreation: false, path: await check(rootPath, false) };
    } catch (thrown) {
      const error = toErrorBody(thrown);
      const isMissing = error.code === 'WORKSPACE_NOT_FOUND';
      const obstacle = isMissing ? await whyNotMade(rootPath) : error;
      const { code, message, remedy } = obstacle ?? error;
      return {
        valid: obstacle === null,
        exists: !isMissing && code !== 'INPUT_INVALID',
        needsCreation: isMissing,
        error: message,
        code,
        remedy,
      };
    }
  });

  app.post('/agent/projects/create-directory', api, async ({ body }) => ({
    success: true,
    path: await check(parse(AbsolutePath, body).absolutePath, true),
  }));

  app.get('/agent/projects/default-workspace', api, async () => ({ success: true, path: await projects.defaultWorkspace() }));

  app.post('/agent/projects/default-root', api, async ({ body }) => {
    const workspace = await projects.defaultWorkspace();
    return { success: true, path: path.join(workspace, toFolderName(parse(ProjectName, body).projectName)) };
  });
};

/** A name that is one plain folder on every system. */
const toFolderName = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80) || 'project';
