/** The open connections of each browser's panel: they end with its admission, streams too that were opened before. */
import type { Socket } from 'node:net';
import type { Principal } from '#companion/mcp/tokens.ts';

export class PanelSockets {
  readonly #open = new Map<string, Set<Socket>>();

  note(socket: Socket, principal: Principal): void {
    if (principal.type !== 'panel') return;
    const { admissionId } = principal;
    const sockets = this.#open.get(admissionId) ?? new Set();
    this.#open.set(admissionId, sockets);
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && this.#open.get(admissionId) === sockets) this.#open.delete(admissionId);
    });
  }

  end(admissionId: string): void {
    for (const socket of this.#open.get(admissionId) ?? []) socket.destroy();
  }
}
