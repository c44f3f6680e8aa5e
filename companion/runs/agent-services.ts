/** Files and terminals that an agent asks of us instead of using its own: inside the project's folder only. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { ReadFile, readText, WriteFile, writeText } from './service-files.ts';
import { CreateTerminal, createServiceTerminals, TerminalId } from './service-terminals.ts';
import type { AgentServices } from './process-run.ts';

/** Services for one run whose project lies in `root`, a real path. Terminals get `env`. */
export const createAgentServices = (root: string, env: Readonly<Record<string, string>>): AgentServices => {
  const terminals = createServiceTerminals(root, env);
  const methods: Readonly<Record<string, (params: unknown) => unknown>> = {
    'fs/read_text_file': async (params) => ({ content: await readText(root, parse(ReadFile, params)) }),
    'fs/write_text_file': async (params) => writeText(root, parse(WriteFile, params)),
    'terminal/create': async (params) => terminals.create(parse(CreateTerminal, params)),
    'terminal/output': (params) => terminals.output(parse(TerminalId, params)),
    'terminal/wait_for_exit': async (params) => terminals.waitForExit(parse(TerminalId, params)),
    'terminal/kill': async (params) => terminals.kill(parse(TerminalId, params)),
    'terminal/release': async (params) => terminals.release(parse(TerminalId, params)),
  };
  return {
    call: async (method, params) => {
      const serve = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (serve === undefined) throw new CompanionError('ENGINE_UNSUPPORTED', method);
      return serve(params);
    },
    close: terminals.close,
  };
};

const parse = <T>(schema: z.ZodType<T>, params: unknown): T => {
  const found = schema.safeParse(params);
  if (!found.success) throw new CompanionError('INPUT_INVALID', z.prettifyError(found.error));
  return found.data;
};
