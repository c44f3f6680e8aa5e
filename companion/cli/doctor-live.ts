/**
 * The doctor's drive along the whole chain: a browser without a window loads the extension, which starts the host, which starts a
 * daemon, and a tool is called through all of them. Profile and data are in a folder of their own, and are gone afterwards.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CallId } from '#protocol/ids.ts';
import { EXTENSION_ID, VERSION } from '#protocol/version.ts';
import type { Check } from '#protocol/setup.ts';
import { createClient, type Client } from '#companion/client/client.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Io } from './io.ts';
import { stopDaemon } from './stop.ts';

const WHOLE_WITHIN_MS = 180_000;
const END_WITHIN_MS = 15_000;
const PAUSE_MS = 50;

type Hop = Pick<Check, 'id' | 'title' | 'remedy'>;

/** The first hop that fails ends the drive; each of the others says how long it took. */
export const driveChain = async (io: Io): Promise<Check[]> => {
  const found = io.installer.live.find();
  if (found === null) {
    return [
      {
        id: 'live.browser',
        title: 'Live: browser',
        status: 'skipped',
        detail: 'No browser is found that could be started without a window.',
        remedy: 'Install Chromium or Chrome, then run `pilotfish doctor --live` again.',
      },
    ];
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'pf-doctor-'));
  const browser = io.installer.live.open(folder);
  const client = createClient({ paths: createPaths({ ...io.env, PILOTFISH_HOME: folder }) });
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(WHOLE_WITHIN_MS)]);
  const checks: Check[] = [];
  /** Whether the hop was made; what it took is noted. */
  const hop = async (what: Hop, work: () => Promise<string>): Promise<boolean> => {
    const startedAt = performance.now();
    const { remedy, ...base } = what;
    try {
      const detail = await work();
      checks.push({ ...base, status: 'ok', detail, ms: Math.round(performance.now() - startedAt) });
      return true;
    } catch (error) {
      io.signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      checks.push({ ...base, status: 'failed', detail: `${reason.replace(/\.$/u, '')}.`, ...(remedy === undefined ? {} : { remedy }) });
      return false;
    }
  };
  try {
    // Each hop needs the one before.
    void (
      (await hop(hops.browser, async () => `${found.name}: ${await browser.start(found.program, signal)}`)) &&
      (await hop(hops.extension, async () => nameExtension(await browser.loadExtension(signal)))) &&
      (await hop(hops.link, () => waitForBrowser(client, signal))) &&
      (await hop(hops.tool, () => callTool(client, signal)))
    );
    return checks;
  } finally {
    await browser.close();
    await endDaemon(client);
    await client.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

const hops = {
  browser: {
    id: 'live.browser',
    title: 'Live: browser',
    remedy: 'Start the browser by hand; when it does not start either, reinstall it.',
  },
  extension: {
    id: 'live.extension',
    title: 'Live: extension',
    remedy: 'Update the browser: the extension needs a current Chromium. A policy of your organisation may forbid extensions.',
  },
  link: {
    id: 'live.link',
    title: 'Live: native messaging and daemon',
    remedy: 'Run `pilotfish install`, and look at the line "Native messaging" above: it says how far the host comes.',
  },
  tool: { id: 'live.tool', title: 'Live: tool call', remedy: 'Run `pilotfish doctor --report FILE` and report it with that file.' },
} as const satisfies Record<string, Hop>;

const nameExtension = (id: string): string => {
  if (id !== EXTENSION_ID) throw new Error(`It has the id ${id} instead of ${EXTENSION_ID}`);
  return `Version ${VERSION} is loaded.`;
};

/** The host that the browser starts has brought up a daemon, and the extension has said hello to it. */
const waitForBrowser = async (client: Client, signal: AbortSignal): Promise<string> => {
  for (;;) {
    const isThere = await client.connect({ start: false, signal }).then(
      () => true,
      () => false,
    );
    if (isThere) {
      await letIn(client);
      const { browsers, pid } = await client.status(signal);
      if (browsers.length > 0) return `The extension has reached a daemon of its own, process ${pid}.`;
    }
    await delay(PAUSE_MS, undefined, { signal }).catch(() => {
      throw new Error('The extension has not reached a daemon in time');
    });
  }
};

/** Every browser that comes to this daemon was started here. */
const letIn = async ({ admissions }: Client): Promise<void> => {
  for (const { id, state } of await admissions.list()) if (state === 'waiting') await admissions.decide(id, true);
};

const callTool = async (client: Client, signal: AbortSignal): Promise<string> => {
  const sessionId = await client.openMcpSession({ clientName: 'pilotfish doctor', clientVersion: VERSION });
  const done = new AbortController();
  const letting = (async () => {
    while (!done.signal.aborted) {
      await letIn(client);
      await delay(PAUSE_MS);
    }
  })();
  try {
    const call = { callId: CallId.parse(randomId('call')), name: 'browser_tabs', arguments: { action: 'list' } };
    const { isError, content } = await client.callTool(sessionId, call, { signal });
    const [text = ''] = content.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
    if (isError === true) throw new Error(text);
    return `browser_tabs answers: ${text.split('\n').find((line) => line.trim() !== '') ?? 'nothing'}`;
  } finally {
    done.abort();
    await letting;
    await client.closeMcpSession(sessionId);
  }
};

/** A browser that ended may take its host a moment, which could start another daemon. */
const endDaemon = async (client: Client): Promise<void> => {
  const signal = AbortSignal.timeout(END_WITHIN_MS);
  const pid = await client.status(signal).then(
    (status) => status.pid,
    () => null,
  );
  await stopDaemon({ client, signal }).catch(() => {
    if (pid !== null) process.kill(pid, 'SIGKILL');
  });
};
