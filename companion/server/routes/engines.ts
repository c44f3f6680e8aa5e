/**
 * The agents of this machine and what the user sets for them. Whatever makes a program start (its path, arguments, variables, an
 * agent of the user's own) is set by the private socket only, by a command or by the answer in a window; the panel may propose it, store
 * keys, name the address of a model server, and switch agents off.
 */
import type { EngineSettingsInput } from '#protocol/engine-setup.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { routes } from '#protocol/routes.ts';
import { toldAs } from '#protocol/warnings.ts';
import { explain } from '#protocol/faults.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';

type Names =
  | 'listEngines'
  | 'refreshEngines'
  | 'listEngineSetups'
  | 'addEngine'
  | 'removeEngine'
  | 'readEngineSetup'
  | 'changeEngineSetup'
  | 'storeSecret'
  | 'logInEngine'
  | 'proposeEngine'
  | 'awaitProposal'
  | 'answerProposal'
  | 'takeErrand';

const TERMINAL_ONLY = ['path', 'args', 'env'] as const satisfies readonly (keyof EngineSettingsInput)[];

export const engineHandlers = ({
  engines,
  engineSetups,
  proposals,
  desktop,
  errands,
}: ServerDeps): Pick<Handlers<typeof routes>, Names> => ({
  listEngines: () => {
    void engines.look();
    return { engines: engines.list() };
  },
  refreshEngines: async ({ body }, { gone }) => ({ engines: await engines.refresh(body.name, gone()) }),
  listEngineSetups: () => {
    const { warnings, told } = toldAs(engineSetups.warnings);
    return { engines: engineSetups.list(), warning: warnings.join('\n') || null, told };
  },
  addEngine: ({ body }) => engineSetups.add(body),
  removeEngine: ({ params }) => engineSetups.remove(params.name),
  readEngineSetup: ({ params }) => engineSetups.read(params.name),
  changeEngineSetup: ({ params: { name }, body }, { principal }) => {
    const refused = TERMINAL_ONLY.filter((key) => body[key] !== undefined);
    if (refused.length > 0 && principal.type !== 'local') {
      throw new CompanionError('FORBIDDEN', explain('set_in_terminal', { names: refused.join(', ') }), {
        remedy: explain('run_in_terminal', { command: `pilotfish engine set ${name}` }),
      });
    }
    return engineSetups.change(name, body);
  },
  storeSecret: ({ params: { name, secretName }, body }, { principal }) => {
    const isKnown = engineSetups.read(name).secrets.some((secret) => secret.name === secretName);
    // Each secret becomes a variable of a process, and some variables load programs.
    if (!isKnown && principal.type !== 'local') {
      throw new CompanionError('FORBIDDEN', explain('secret_in_terminal'), {
        remedy: explain('run_in_terminal', { command: `pilotfish engine key ${name} ${secretName}` }),
      });
    }
    return engineSetups.setSecret(name, secretName, body.value);
  },
  logInEngine: async ({ params }) => {
    await errands.send(await engines.login(params.name), (args) => desktop.openTerminalWith(args));
    return { success: true };
  },
  proposeEngine: async ({ params: { name }, body }, { gone }) => ({
    outcome: await proposals.propose({ name, ...body }, gone(), (errand, signal) =>
      errands.send(errand, (args) => desktop.openTerminalWith(args), signal),
    ),
  }),
  awaitProposal: ({ params }, { gone }) => proposals.waitForEnd(params.id, gone()),
  answerProposal: ({ params, body }) => proposals.answer(params.id, body.isAllowed),
  takeErrand: ({ params }) => errands.take(params.id),
});
