/** A browser without a window and with a profile of its own, which loads the extension: the doctor's proof that the chain works. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { browserPlaces } from '#native-manifests/browsers.ts';
import { manifestText } from '#native-manifests/manifest.ts';
import { homeOf, manifestFileIn, onPath } from './browsers.ts';
import { unpackExtension } from './extension.ts';
import { lookAt, writeWhole } from './files.ts';
import type { InstallContext } from './install.ts';
import { finish } from './steps.ts';

const ANSWER_WITHIN_MS = 60_000;
const CLOSE_WITHIN_MS = 5_000;

type Context = Pick<InstallContext, 'executable' | 'env' | 'platform' | 'extensionFiles'>;

/** Where a browser's program is; null where none is found, or its place is not known on this system. */
export const findBrowserProgram = ({ env, platform }: Pick<Context, 'env' | 'platform'>): { name: string; program: string } | null => {
  for (const { name, linux, darwin } of browserPlaces) {
    if (platform === 'linux' && linux !== null) {
      const program = onPath(env, linux.commands);
      if (program !== null) return { name, program };
    }
    if (platform === 'darwin' && darwin !== null) {
      for (const folder of ['/Applications', path.posix.join(homeOf(env), 'Applications')]) {
        const program = path.posix.join(folder, darwin.application, 'Contents', 'MacOS', path.posix.basename(darwin.application, '.app'));
        if (lookAt(program, 'follow')?.isFile() === true) return { name, program };
      }
    }
  }
  return null;
};

/** It is driven by Chrome's own pipe, which no other process can reach. */
export class LiveBrowser {
  readonly #context: Context;
  readonly #folder: string;
  readonly #waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  #child: ChildProcess | null = null;
  #input: Writable | null = null;
  #lastId = 0;
  #pending = '';

  /** Everything of it is below `folder`, which its native messaging host takes for the home of Pilotfish. */
  constructor(context: Context, folder: string) {
    this.#context = context;
    this.#folder = folder;
  }

  /** Resolves with the browser's version once it answers. */
  async start(program: string, signal: AbortSignal): Promise<string> {
    const profile = path.join(this.#folder, 'profile');
    finish(writeWhole(manifestFileIn(profile), manifestText(this.#context.executable), 0o644));
    const args = [
      '--headless=new',
      '--remote-debugging-pipe',
      '--enable-unsafe-extension-debugging',
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-gpu',
      // The sandbox refuses to work for root, as in a container; nothing is opened but an empty page.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      'about:blank',
    ];
    const child = spawn(program, args, {
      env: { ...this.#context.env, PILOTFISH_HOME: this.#folder },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    // What cannot be started gives no answer, and the call below says so.
    child.on('error', () => undefined);
    const [, , , input, output] = child.stdio;
    if (!(input instanceof Writable) || !(output instanceof Readable)) throw new Error('the browser has no pipe');
    this.#input = input.on('error', () => undefined);
    output.on('error', () => undefined).on('data', (chunk: Buffer) => this.#take(chunk.toString('utf8')));
    const { product } = await this.#call('Browser.getVersion', {}, signal);
    return String(product);
  }

  /** Unpacks the extension of this executable and loads it; resolves with its id. */
  async loadExtension(signal: AbortSignal): Promise<string> {
    const folder = path.join(this.#folder, 'extension');
    finish(unpackExtension(folder, this.#context.extensionFiles));
    const { id } = await this.#call('Extensions.loadUnpacked', { path: folder }, signal);
    return String(id);
  }

  /** Ends the browser and everything that it has started. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const { pid } = child;
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const ended = new Promise<void>((resolve) => (hasEnded() ? resolve() : child.once('exit', () => resolve())));
    await this.#call('Browser.close', {}, AbortSignal.timeout(CLOSE_WITHIN_MS)).catch(() => undefined);
    const timer = setTimeout(() => endGroup(pid), CLOSE_WITHIN_MS);
    await ended;
    clearTimeout(timer);
    endGroup(pid);
  }

  async #call(method: string, params: object, signal: AbortSignal): Promise<Record<string, unknown>> {
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const onLimit = (): void => reject(new Error('the browser does not answer'));
    const onExit = (): void => reject(new Error('the browser ended'));
    limit.addEventListener('abort', onLimit, { once: true });
    this.#child?.once('exit', onExit).once('error', reject);
    this.#waiting.set(id, resolve);
    this.#input?.write(`${JSON.stringify({ id, method, params })}\0`);
    try {
      const { result, error } = await promise;
      if (isRecord(result)) return result;
      throw new Error(isRecord(error) ? `${method}: ${String(error['message'])}` : `${method} was refused`);
    } finally {
      limit.removeEventListener('abort', onLimit);
      this.#child?.off('exit', onExit).off('error', reject);
      this.#waiting.delete(id);
    }
  }

  #take(text: string): void {
    const parts = `${this.#pending}${text}`.split('\0');
    this.#pending = parts.pop() ?? '';
    for (const part of parts) {
      const message: unknown = JSON.parse(part);
      if (isRecord(message) && typeof message['id'] === 'number') this.#waiting.get(message['id'])?.(message);
    }
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const endGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
};
