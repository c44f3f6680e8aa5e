/** From a line that an agent writes to the client that follows its session, at the built executable. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { SessionEvent } from '#protocol/events.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { createHome } from '#test/fixtures/home.ts';
import type { Row } from './bench.ts';
import { figures } from './stats.ts';

/** It notes the time at which it writes its line, in microseconds. */
const AGENT = path.join(import.meta.dirname, '..', 'fixtures', 'echo-agent-double.sh');
const ROUNDS = 200;
const LIMIT_MS = 3;

export const benchStream = async (report: (line: string) => void): Promise<Row[]> => {
  report(`${ROUNDS} lines of an agent to a client`);
  const home = createHome();
  const companion = createCompanion(home);
  const custom = [{ name: 'echo', command: '/bin/bash', args: [AGENT, path.join(home.dir, 'notes')], dialect: 'acp' }];
  companion.writeSettings({ engines: { byName: {}, custom } });
  const rootPath = path.join(home.dir, 'project');
  mkdirSync(rootPath);
  const ending = new AbortController();
  try {
    await companion.startDaemon();
    const post = async <T>(address: string, body: unknown): Promise<T> => (await companion.api.send('POST', address, body)).json as T;
    const { project } = await post<{ project: { id: string } }>('/api/projects', { name: 'Bench', rootPath });
    const made = await post<{ session: { id: string } }>(`/api/projects/${project.id}/agent-sessions`, { engineName: 'echo' });
    const address = `/api/agent-sessions/${made.session.id}`;
    const delays: number[] = [];
    const prompt = (): Promise<unknown> => post(`${address}/turns`, { text: `say ${delays.length}` });
    await prompt();
    for await (const { data } of companion.api.events(`${address}/events`, ending.signal)) {
      const writtenAt = timeIn(data as SessionEvent);
      if (writtenAt !== null) delays.push(performance.timeOrigin + performance.now() - writtenAt);
      if ((data as SessionEvent).type !== 'turn.completed') continue;
      if (delays.length > ROUNDS) break;
      await prompt();
    }
    // The first one waits for the agent's start.
    const { p50 } = figures(delays.slice(1));
    const what = 'from a line of the agent to the client, p50';
    return [{ area: 'stream', what, ours: `${p50.toFixed(2)} ms`, reference: `the limit: ${LIMIT_MS} ms`, ratio: p50 / LIMIT_MS, goal: 1 }];
  } finally {
    ending.abort();
    await companion.stopDaemon();
    await home.remove();
  }
};

/** When the agent wrote what the event brings, as Unix milliseconds; null for an event that brings nothing of it. */
const timeIn = (event: SessionEvent): number | null => {
  const text =
    event.type === 'item.delta' ? event.text : event.type === 'item.started' && event.item.kind === 'message' ? event.item.text : '';
  const seconds = / at (\d+\.\d+)/.exec(text ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
};
