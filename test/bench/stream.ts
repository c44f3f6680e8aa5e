/** From a line that an agent writes, through the log, to the client that follows its session, at the built executable: one line at a time, and many. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { SessionEvent } from '#protocol/events.ts';
import { createCompanion, type Companion } from '#test/fixtures/companion.ts';
import { createHome } from '#test/fixtures/home.ts';
import type { Row } from './bench.ts';
import { figures } from './stats.ts';

/** It notes the time at which it writes its line, in microseconds. */
const AGENT = path.join(import.meta.dirname, '..', 'fixtures', 'echo-agent-double.sh');
const ROUNDS = 200;
const LIMIT_MS = 3;

/** It says as many pieces as it is told, as fast as they are taken. */
const POURING = path.join(import.meta.dirname, 'pouring-agent.ts');
const PIECES = 300_000;
const POURINGS = 3;
const LIMIT_PER_SECOND = 50_000;

export const benchStream = async (report: (line: string) => void): Promise<Row[]> => {
  report(`${ROUNDS} lines of an agent to a client`);
  const home = createHome();
  const companion = createCompanion(home);
  const custom = [
    { name: 'echo', command: '/bin/bash', args: [AGENT, path.join(home.dir, 'notes')], dialect: 'acp' },
    { name: 'pour', command: process.execPath, args: [POURING], dialect: 'acp' },
  ];
  companion.writeSettings({ engines: { byName: {}, custom } });
  const rootPath = path.join(home.dir, 'project');
  mkdirSync(rootPath);
  const ending = new AbortController();
  const post = async <T>(address: string, body: unknown): Promise<T> => (await companion.api.send('POST', address, body)).json as T;
  try {
    await companion.startDaemon();
    const { project } = await post<{ project: { id: string } }>('/api/projects', { name: 'Bench', rootPath });
    const open = async (engineName: string): Promise<string> => {
      const made = await post<{ session: { id: string } }>(`/api/projects/${project.id}/agent-sessions`, { engineName });
      return `/api/agent-sessions/${made.session.id}`;
    };
    const delayMs = await oneByOne(companion, await open('echo'), ending.signal);
    report(`${PIECES.toLocaleString('en')} lines of an agent at once, ${POURINGS} times`);
    const address = await open('pour');
    const rates: number[] = [];
    for (let round = 0; round < POURINGS; round += 1) rates.push(await pour(companion, address, ending.signal));
    const perSecond = figures(rates).p50;
    return [
      {
        area: 'stream',
        what: 'from a line of the agent to the client, p50',
        ours: `${delayMs.toFixed(2)} ms`,
        reference: `the limit: ${LIMIT_MS} ms`,
        ratio: delayMs / LIMIT_MS,
        goal: 1,
      },
      {
        area: 'stream',
        what: 'text of an agent that pours it out, through the log to the client',
        ours: `${(Math.round(perSecond / 1000) * 1000).toLocaleString('en')} pieces/s`,
        reference: `the limit: ${LIMIT_PER_SECOND.toLocaleString('en')} pieces/s`,
        ratio: LIMIT_PER_SECOND / perSecond,
        goal: 1,
      },
    ];
  } finally {
    ending.abort();
    await companion.stopDaemon();
    await home.remove();
  }
};

/** The middle of the times that a line took. */
const oneByOne = async (companion: Companion, address: string, signal: AbortSignal): Promise<number> => {
  const delays: number[] = [];
  const prompt = (): Promise<unknown> => companion.api.send('POST', `${address}/turns`, { text: `say ${delays.length}` });
  await prompt();
  for await (const { data } of companion.api.events(`${address}/events`, signal)) {
    const writtenAt = timeIn(data as SessionEvent);
    if (writtenAt !== null) delays.push(performance.timeOrigin + performance.now() - writtenAt);
    if ((data as SessionEvent).type !== 'turn.completed') continue;
    if (delays.length > ROUNDS) break;
    await prompt();
  }
  // The first one waits for the agent's start.
  return figures(delays.slice(1)).p50;
};

/** How many pieces a second reach the client, from the first one on; none of them may be missing. */
const pour = async ({ api }: Companion, address: string, signal: AbortSignal): Promise<number> => {
  const { epoch, seq } = (await api.send('GET', `${address}/page?limit=1`)).json as { epoch: string; seq: number };
  await api.send('POST', `${address}/turns`, { text: String(PIECES) });
  let text = '';
  let firstAt: number | null = null;
  for await (const { data } of api.events(`${address}/events`, signal, { 'last-event-id': `${epoch}-${seq}` })) {
    const event = data as SessionEvent;
    if (event.type === 'item.started' && event.item.kind === 'message' && event.item.role === 'assistant') text = event.item.text;
    if (event.type === 'item.delta') {
      firstAt ??= performance.now();
      text += event.text;
    }
    if (event.type === 'turn.completed') break;
  }
  const tookMs = performance.now() - (firstAt ?? Number.NaN);
  const received = text.split(' word ').length;
  if (received !== PIECES) throw new Error(`${received} of ${PIECES} pieces came`);
  return (PIECES * 1000) / tookMs;
};

/** When the agent wrote what the event brings, as Unix milliseconds; null for an event that brings nothing of it. */
const timeIn = (event: SessionEvent): number | null => {
  const text =
    event.type === 'item.delta' ? event.text : event.type === 'item.started' && event.item.kind === 'message' ? event.item.text : '';
  const seconds = / at (\d+\.\d+)/.exec(text ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
};
