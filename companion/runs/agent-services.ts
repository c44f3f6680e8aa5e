/** Files and terminals for agents that ask Pilotfish for them instead of using their own. They work inside the project's folder only. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { ReadFile, readText, WriteFile, writeText } from './service-files.ts';
import { CreateTerminal, ServiceTerminals, TerminalId } from './service-terminals.ts';

type Service = (params: unknown) => unknown;

export class AgentServices {
  readonly #terminals: ServiceTerminals;
  /** The services, by the method that the agent calls. */
  readonly #services: ReadonlyMap<string, Service>;

  /** Services for one run whose project is in `root`, a real path. Terminals get the environment `env`. */
  constructor(root: string, env: Readonly<Record<string, string>>) {
    const terminals = new ServiceTerminals(root, env);
    this.#terminals = terminals;
    this.#services = new Map<string, Service>([
      ['fs/read_text_file', async (params) => ({ content: await readText(root, parse(ReadFile, params)) })],
      ['fs/write_text_file', async (params) => writeText(root, parse(WriteFile, params))],
      ['terminal/create', async (params) => terminals.create(parse(CreateTerminal, params))],
      ['terminal/output', (params) => terminals.output(parse(TerminalId, params))],
      ['terminal/wait_for_exit', async (params) => terminals.waitForExit(parse(TerminalId, params))],
      ['terminal/kill', async (params) => terminals.kill(parse(TerminalId, params))],
      ['terminal/release', async (params) => terminals.release(parse(TerminalId, params))],
    ]);
  }

  async call(method: string, params: unknown): Promise<unknown> {
    const service = this.#services.get(method);
    if (service === undefined) throw new CompanionError('ENGINE_UNSUPPORTED', method);
    return service(params);
  }

  close(): void {
    this.#terminals.close();
  }
}

const parse = <T>(schema: z.ZodType<T>, params: unknown): T => {
  const found = schema.safeParse(params);
  if (!found.success) throw new CompanionError('INPUT_INVALID', z.prettifyError(found.error));
  return found.data;
};
