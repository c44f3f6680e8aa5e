/** What a turn costs beyond the agent itself: our overhead, and how soon an agent has the next prompt, warm and put to sleep. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { agents } from '#test/fixtures/agents.ts';
import { cliBinDir, installClis, type CliName } from '#test/fixtures/clis.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { startConversation } from '#test/fixtures/conversation.ts';
import { createHome, type Home } from '#test/fixtures/home.ts';
import { installAgent } from '#test/fixtures/installed-agent.ts';
import type { ModelServer } from '#test/fixtures/model-server.ts';
import { createSocketClient } from '#test/fixtures/socket-client.ts';
import { openBare, type Talk } from './bare-agent.ts';
import type { Row } from './bench.ts';
import { figures, interleave, timed, type Figures } from './stats.ts';

const ENGINES = ['claude', 'codex'] as const satisfies CliName[];
/** In its first hundred turns a daemon's code is still being compiled, as in the first minutes of a day. */
const ROUNDS = 200;
/** Each starts a process. */
const RESUME_ROUNDS = 12;
/** A short answer in pieces, so that there is something to stream. */
const ANSWER = { parts: [{ text: 'One two three four five six seven eight nine ten.', pieceLength: 5 }] };

/** Each engine with its own program, home and model provider. */
export const benchTurn = async (report: (line: string) => void): Promise<Row[]> => {
  await installClis(report, ENGINES);
  const rows: Row[] = [];
  for (const name of ENGINES) rows.push(...(await benchEngine(name, report)));
  return rows;
};

/** The same prompts to the same program with the same arguments, by hand and through the daemon, turn by turn. */
const benchEngine = async (name: CliName, report: (line: string) => void): Promise<Row[]> => {
  const { engine, startModel } = agents[name];
  const home = createHome();
  const model = await startModel();
  model.script('bench', ANSWER);
  const place = placeOf(home, name, model.url);
  const ours = await openOurs(home, name, model.url);
  try {
    report(`turns of a warm ${name}, by hand and through the daemon`);
    const [bare, warm] = [openBare(engine, place), await ours.converse()];
    const toRequest: number[] = [];
    const turns = await interleave(
      {
        bare: () => timed(() => bare.turn()),
        ours: async () => {
          const [request, whole] = [untilRequest(model), timed(() => warm.turn())];
          toRequest.push(await request);
          return whole;
        },
      },
      ROUNDS,
    );
    await bare.close();

    report(`turns of a ${name} that was put to sleep`);
    let asleep: readonly [OurTalk, OurTalk] = [warm, await ours.converse()];
    const resumes = await interleave(
      {
        bare: async () => {
          const resumed = openBare(engine, place, bare.conversationId());
          const [request, whole] = [untilRequest(model), resumed.turn()];
          const elapsed = await request;
          await whole;
          await resumed.close();
          return elapsed;
        },
        ours: async () => {
          // There may be one process: a prompt to the one of them puts the other to sleep.
          const [other, next] = asleep;
          asleep = [next, other];
          const before = next.starts();
          const [request, whole] = [untilRequest(model), next.turn()];
          const elapsed = await request;
          await whole;
          if (next.starts() === before) throw new Error(`${name} was not asleep`);
          return elapsed;
        },
      },
      RESUME_ROUNDS,
    );
    // The first of each is the round that warms up.
    return toRows(name, turns, figures(toRequest.slice(1)), resumes);
  } finally {
    await ours.close();
    await model.close();
    await home.remove();
  }
};

type Pair = Readonly<Record<'bare' | 'ours', Figures>>;

const toRows = (name: CliName, turn: Pair, request: Figures, resume: Pair): Row[] => [
  {
    area: 'turn',
    what: `a turn of a warm ${name}`,
    ours: `${turn.ours.p50.toFixed(1)} ms`,
    reference: `${name} by hand: ${turn.bare.p50.toFixed(1)} ms; at most 10 ms more`,
    ratio: (turn.ours.p50 - turn.bare.p50) / 10,
    goal: 1,
  },
  {
    area: 'turn',
    what: `from the prompt to the request of a warm ${name}`,
    ours: `${request.p50.toFixed(0)} ms (at worst ${request.p99.toFixed(0)} ms)`,
    reference: 'the limit: 100 ms',
    ratio: request.p50 / 100,
    goal: 1,
  },
  {
    area: 'turn',
    what: `the same, of a ${name} that was put to sleep`,
    ours: `${resume.ours.p50.toFixed(0)} ms (at worst ${resume.ours.p99.toFixed(0)} ms)`,
    reference: `${name} resumed by hand: ${resume.bare.p50.toFixed(0)} ms`,
    ratio: resume.ours.p50 / resume.bare.p50,
    goal: 1.3,
  },
];

/** How long until the next request reaches the model, ms. */
const untilRequest = (model: ModelServer): Promise<number> => {
  const before = model.requests.length;
  return timed(() => model.waitForRequest((request) => model.requests.indexOf(request) >= before));
};

const placeOf = (home: Home, name: CliName, url: string): Parameters<typeof openBare>[1] => {
  const cwd = path.join(home.dir, 'bare');
  mkdirSync(cwd);
  const dirs = [cliBinDir(name), path.dirname(process.execPath), home.env['PATH']];
  return {
    file: path.join(cliBinDir(name), name),
    cwd,
    env: { ...home.env, ...agents[name].configure(home.dir, url, true), PATH: dirs.join(':') },
  };
};

interface OurTalk extends Pick<Talk, 'turn'> {
  /** How often its process was started so far. */
  starts(): number;
}

/** A daemon that keeps one process of the engine. */
const openOurs = async (home: Home, name: CliName, url: string): Promise<{ converse(): Promise<OurTalk>; close(): Promise<void> }> => {
  const started = createCompanion(home);
  // The panel and the terminal keep their connections.
  const companion = { ...started, api: createSocketClient(started.paths.socket, { keepsConnection: true }) };
  const agent = installAgent(home, name, url);
  companion.writeSettings({ engines: { byName: { [name]: agent.settings }, custom: [] }, warm: { maxProcesses: 1 } });
  await companion.startDaemon();
  const closers: (() => void)[] = [agent.remove];
  return {
    converse: async () => {
      const conversation = await startConversation(companion, { engine: name });
      closers.push(conversation.close);
      let turns = 0;
      return {
        turn: async () => {
          turns += 1;
          await conversation.act('bench');
          await conversation.waitFor((view) => view.turns.length === turns && view.status === 'idle');
        },
        starts: () => conversation.events().filter((event) => event.type === 'run.changed' && event.state === 'starting').length,
      };
    },
    close: async () => {
      for (const close of closers) close();
      await companion.stopDaemon();
    },
  };
};
