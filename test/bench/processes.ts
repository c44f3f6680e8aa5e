/** Starts programs for a measurement and ends them again. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

const start = ({ file, args, env, cwd }: Command): ChildProcessWithoutNullStreams => {
  const child = spawn(file, [...args], { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stderr.resume();
  child.stdin.on('error', () => {
    // It ended first.
  });
  return child;
};

const end = (child: ChildProcessWithoutNullStreams): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.on('exit', () => resolve());
    child.stdin.end();
  });

/** From the spawn to the exit, ms. */
export const timeToExit = async (command: Command): Promise<number> => {
  const startedAt = performance.now();
  const child = start(command);
  child.stdout.resume();
  await new Promise((resolve) => child.on('exit', resolve));
  return performance.now() - startedAt;
};

/** From the spawn to the first byte on stdout, ms. */
export const timeToFirstByte = async (command: Command): Promise<number> => {
  const startedAt = performance.now();
  const child = start(command);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const elapsed = performance.now() - startedAt;
  child.stdout.resume();
  await end(child);
  return elapsed;
};

/** From the spawn to the answer of `tools/list`, ms. */
export const timeToTools = async (command: Command): Promise<number> => {
  const startedAt = performance.now();
  const child = start(command);
  const client = lineClient(child);
  await client.initialize();
  await client.request('tools/list', {});
  const elapsed = performance.now() - startedAt;
  await end(child);
  return elapsed;
};

/** A stdio server that stays, for a look at its memory. */
export const startServer = async (command: Command): Promise<{ pid: number; close(): Promise<void> }> => {
  const child = start(command);
  const client = lineClient(child);
  await client.initialize();
  await client.request('tools/list', {});
  if (child.pid === undefined) throw new Error(`${command.file} did not start`);
  return { pid: child.pid, close: () => end(child) };
};

/** A stdio server whose tools are called; the answer is its text. */
export const startTools = async (
  command: Command,
): Promise<{ call(name: string, args: object): Promise<string>; close(): Promise<void> }> => {
  const child = start(command);
  // Each call listens for the end of the process.
  child.setMaxListeners(0);
  const client = lineClient(child);
  await client.initialize();
  return {
    call: async (name, args) => {
      const answer = (await client.request('tools/call', { name, arguments: args })) as Answer;
      const text = (answer.result?.content ?? []).map((block) => block.text ?? `(${block.type})`).join('\n');
      if (answer.result === undefined || answer.result.isError === true)
        throw new Error(`${name}: ${JSON.stringify(answer).slice(0, 500)}`);
      return text;
    },
    close: () => end(child),
  };
};

interface Answer {
  readonly result?: { readonly content: readonly { readonly type: string; readonly text?: string }[]; readonly isError?: boolean };
}

const lineClient = (child: ChildProcessWithoutNullStreams) => {
  const waiting = new Map<number, (message: unknown) => void>();
  let buffered = '';
  let ids = 0;
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    buffered += chunk;
    const lines = buffered.split('\n');
    buffered = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() === '') continue;
      const message = JSON.parse(line) as { id?: number };
      if (message.id !== undefined) waiting.get(message.id)?.(message);
    }
  });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = (ids += 1);
      waiting.set(id, resolve);
      child.on('exit', () => reject(new Error(`it ended before it answered ${method}`)));
      send({ id, method, params });
    });
  return {
    request,
    initialize: async (): Promise<void> => {
      await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
      send({ method: 'notifications/initialized' });
    },
  };
};

export interface Footprint {
  readonly pssMb: number;
  readonly anonymousMb: number;
}

/** Proportional set size, so that pages shared with other processes count once. */
export const footprint = (pid: number): Footprint => {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) / 1024;
  return { pssMb: field('Pss'), anonymousMb: field('Anonymous') };
};

/** Processor time and wake-ups while nothing happens. */
export const idleActivity = async (pid: number, seconds: number): Promise<{ cpuPercent: number; wakeupsPerSecond: number }> => {
  const before = activity(pid);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const after = activity(pid);
  return {
    cpuPercent: ((after.cpuMs - before.cpuMs) / (seconds * 1000)) * 100,
    wakeupsPerSecond: (after.switches - before.switches) / seconds,
  };
};

/** All threads of a process: the main one alone says little of a Node process. */
const activity = (pid: number): { cpuMs: number; switches: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // Clock ticks of 10 ms on Linux; user and system time are the 14th and 15th fields.
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
    switches: Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]),
  };
};

/** The processes in which the extension of the browser with this profile runs. */
export const extensionProcesses = (profileDir: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--extension-process') && belongsTo(pid, profileDir);
      } catch {
        // It has ended meanwhile.
        return false;
      }
    })
    .map(Number);

/** Whether one of the processes above it was started with this profile. */
const belongsTo = (pid: string, profileDir: string): boolean => {
  for (let at = pid; Number(at) > 1;) {
    if (readFileSync(`/proc/${at}/cmdline`, 'utf8').includes(profileDir)) return true;
    at = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${at}/status`, 'utf8'))?.[1] ?? '0';
  }
  return false;
};
