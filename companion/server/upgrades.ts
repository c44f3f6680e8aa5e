/** Where an upgrade goes that has passed the gate. */
import { compatRoutes } from '#companion/compat/routes.ts';
import { matchPath } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { ServerDeps } from './deps.ts';
import { isAgent } from './callers.ts';
import { entryOf, pathOf, type UpgradeListener } from './doors.ts';
import { refuseUpgrade, toHttpError } from './http-error.ts';
import type { PatchStream } from './patch-stream.ts';

export const createUpgrades =
  ({ patches, linkDoor }: { patches: PatchStream; linkDoor: ServerDeps['linkDoor'] }): UpgradeListener =>
  (request, socket, head) => {
    const { door, principal } = entryOf(request);
    const path = pathOf(request);
    const upgrade = request.headers.upgrade?.toLowerCase();
    // A browser that an agent has started, or what passes for one, would bring a panel of its own.
    if (upgrade === 'pilotfish-link' && isAgent(principal)) return refuseUpgrade(socket, toHttpError(new CompanionError('PERSON_ONLY')));
    if (upgrade === 'pilotfish-link' && door === 'private' && path === '/link') return linkDoor.handleUpgrade(request, socket, head);
    const params = upgrade === 'websocket' ? matchPath(compatRoutes.patchStream, path) : null;
    if (params === null) return refuseUpgrade(socket, toHttpError(new CompanionError('ROUTE_NOT_FOUND')));
    if (principal.type === 'session') return refuseUpgrade(socket, toHttpError(new CompanionError('FORBIDDEN')));
    return patches.accept(request, socket, head, params['sessionId']);
  };
