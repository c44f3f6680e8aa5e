/** Pairing with a browser that is elsewhere. */
import { CompanionError } from '#protocol/errors.ts';
import { readRemoteAddress } from '#protocol/remote.ts';
import type { routes } from '#protocol/routes.ts';
import { explain } from '#protocol/faults.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';

type Names = 'openPairing' | 'readPairing' | 'answerPairing';

export const pairingHandlers = ({ pairing }: Pick<ServerDeps, 'pairing'>): Pick<Handlers<typeof routes>, Names> => ({
  openPairing: ({ body: { address } }) => pairing.open(address === undefined ? null : toHost(address)),
  readPairing: () => pairing.state(),
  answerPairing: ({ body: { code, isSame } }) => pairing.answer(code, isSame),
});

/** The `Host` of requests to an address. */
const toHost = (address: string): string => {
  const read = readRemoteAddress(address);
  if (read === null)
    throw new CompanionError('INPUT_INVALID', explain('no_browser_address', { address: address.slice(0, 100) }), {
      remedy: explain('give_address'),
    });
  return new URL(read.base).host;
};
