/** Where an upgrade request goes after it has passed the gate. */
import type { Socket } from 'node:net';
import { compatRoutes } from '#companion/compat/routes.ts';
import { matchPath } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import type { CallLines } from './call-lines.ts';
import { processOf } from './client-sessions.ts';
import type { ServerDeps } from './deps.ts';
import { callerOf, isAgent, isNewcomer } from './callers.ts';
import { entryOf, pathOf, type UpgradeListener } from './doors.ts';
import { refuseUpgrade, toHttpError } from './http-error.ts';
import type { PatchStream } from './patch-stream.ts';
import { CALL_LINE_PROTOCOL, LINK_PATH, LINK_PROTOCOL } from '#protocol/version.ts';

export const createUpgrades =
  ({
    patches,
    callLines,
    linkDoor,
    remoteDoor,
    admissions,
    onProven,
  }: { readonly patches: PatchStream; readonly callLines: CallLines; readonly onProven: (socket: Socket) => void } & Pick<
    ServerDeps,
    'linkDoor' | 'remoteDoor' | 'admissions'
  >): UpgradeListener =>
  (request, socket, head) => {
    const { door, principal } = entryOf(request);
    const path = pathOf(request);
    const upgrade = request.headers.upgrade?.toLowerCase();
    // A browser that an agent has started, or what passes for one, would bring a panel of its own.
    if (upgrade === LINK_PROTOCOL && isAgent(principal)) return refuseUpgrade(socket, toHttpError(new CompanionError('PERSON_ONLY')));
    if (upgrade === LINK_PROTOCOL && door === 'private' && path === LINK_PATH)
      return linkDoor.handleUpgrade(request, socket, head, callerOf(request.socket) ?? null);
    if (upgrade === CALL_LINE_PROTOCOL && principal.type === 'local') {
      const sessionId = SessionId.safeParse(matchPath(routes.callTool, path)?.['sessionId']).data;
      try {
        if (sessionId === undefined) throw new CompanionError('ROUTE_NOT_FOUND');
        return callLines.accept(socket, head, { sessionId, pid: processOf(principal) });
      } catch (error) {
        return refuseUpgrade(socket, toHttpError(error));
      }
    }
    if (upgrade === 'websocket' && principal.type === 'nobody' && path === LINK_PATH) {
      try {
        return remoteDoor.accept(request, socket, head, onProven);
      } catch (error) {
        return refuseUpgrade(socket, toHttpError(error));
      }
    }
    const params = upgrade === 'websocket' ? matchPath(compatRoutes.patchStream, path) : null;
    if (params === null) return refuseUpgrade(socket, toHttpError(new CompanionError('ROUTE_NOT_FOUND')));
    if (isNewcomer(principal, admissions)) return refuseUpgrade(socket, toHttpError(new CompanionError('BROWSER_NOT_ALLOWED')));
    if (principal.type === 'session') return refuseUpgrade(socket, toHttpError(new CompanionError('FORBIDDEN')));
    return patches.accept(request, socket, head, params['sessionId']);
  };
