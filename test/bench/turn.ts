/** What a turn costs beyond the agent itself: our overhead, and how soon a warm agent has the next prompt. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { claude } from '#companion/engines/claude.ts';
import { cliBinDir, installClis } from '#test/fixtures/clis.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { startConversation } from '#test/fixtures/conversation.ts';
import { createHome, type Home } from '#test/fixtures/home.ts';
import { startModelServer, type ModelServer } from '#test/fixtures/model-server.ts';
import { launchOptions } from '#test/unit/engines/replay.ts';
import type { Row } from './bench.ts';
import { figures, interleave, type Figures } from './stats.ts';

const ROUNDS = 40;
/** A short answer in pieces, so that there is something to stream. */
const ANSWER = { parts: [{ text: 'One two three four five six seven eight nine ten.', pieceLength: 5 }] };

/** A warm conversation that takes one prompt after the other. */
interface Talk {
  /** Resolves when the turn has ended. */
  turn(): Promise<void>;
  close(): Promise<void>;
}

/** The same prompts to the same program with the same arguments, by hand and through the daemon, turn by turn. */
export const benchTurn = async (report: (line: string) => void): Promise<Row[]> => {
  await installClis(report);
  const home = createHome();
  const model = await startModelServer();
  model.script('bench', ANSWER);
  home.installClaude(model.url);
  try {
    report('turns of a warm agent, by hand and through the daemon');
    const bare = await openBare(home);
    const ours = await openOurs(home);
    const toRequest: number[] = [];
    const results = await interleave(
      {
        bare: () => turnTime(bare),
        ours: async () => {
          const request = nextRequest(model);
          const [startedAt, taken] = [performance.now(), turnTime(ours)];
          toRequest.push((await request) - startedAt);
          return taken;
        },
      },
      ROUNDS,
    );
    await bare.close();
    await ours.close();
    // The first of each is the round that warms up.
    return rows(results, figures(toRequest.slice(1)));
  } finally {
    await model.close();
    await home.remove();
  }
};

const rows = ({ bare, ours }: { bare: Figures; ours: Figures }, request: Figures): Row[] => {
  const overheadMs = ours.p50 - bare.p50;
  return [
    {
      id: 'turn',
      what: 'a turn of a warm agent',
      ours: `${ours.p50.toFixed(1)} ms`,
      reference: `claude by hand: ${bare.p50.toFixed(1)} ms; at most 10 ms more`,
      ratio: overheadMs / 10,
      goal: 1,
    },
    {
      id: 'turn',
      what: 'from the prompt to the agent’s request, warm',
      ours: `${request.p50.toFixed(0)} ms (at worst ${request.p99.toFixed(0)} ms)`,
      reference: 'the limit: 100 ms',
      ratio: request.p50 / 100,
      goal: 1,
    },
  ];
};

const turnTime = async (talk: Talk): Promise<number> => {
  const startedAt = performance.now();
  await talk.turn();
  return performance.now() - startedAt;
};

/** When the next request reaches the model. */
const nextRequest = async (model: ModelServer): Promise<number> => {
  const before = model.requests.length;
  await model.waitForRequest((request) => model.requests.indexOf(request) >= before);
  return performance.now();
};

/** Claude as the daemon starts it, but for our tools. */
const openBare = async (home: Home): Promise<Talk> => {
  const cwd = path.join(home.dir, 'bare');
  mkdirSync(cwd);
  const { args, env } = claude.launch({ ...launchOptions(), cwd, mcp: null });
  const child = spawn(path.join(cliBinDir('claude'), 'claude'), [...args], {
    cwd,
    env: { ...home.env, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = new Promise((resolve) => child.on('exit', resolve));
  let ended: (() => void) | null = null;
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"type":"result"')) ended?.();
  });
  return {
    turn: () =>
      new Promise((resolve) => {
        ended = resolve;
        child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'bench' }] } })}\n`);
      }),
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
};

const openOurs = async (home: Home): Promise<Talk> => {
  const companion = createCompanion(home);
  await companion.startDaemon();
  const conversation = await startConversation(companion);
  let turns = 0;
  return {
    turn: async () => {
      turns += 1;
      await conversation.act('bench');
      await conversation.waitFor((view) => view.turns.length === turns && view.status === 'idle');
    },
    close: async () => {
      conversation.close();
      await companion.stopDaemon();
    },
  };
};
