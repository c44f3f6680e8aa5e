/**
 * Records real agents into test/transcripts: `node test/record/record.ts ENGINE BIN_DIR [SCENARIO…]`. The agent is driven
 * by our own codec, against a scripted model and MCP server on loopback, in a home of its own that is thrown away.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Effect, EngineEvent } from '#companion/engines/engine.ts';
import { startChild } from '#companion/process/child.ts';
import { findAgent } from '#test/fixtures/agents.ts';
import { launchOptions } from '#test/unit/engines/replay.ts';
import { LAB_TOKEN, startLabMcp } from './lab-mcp.ts';
import { forScenario } from './launch.ts';
import { scriptScenarios } from './scripts.ts';

const TRANSCRIPTS = path.join(import.meta.dirname, '../transcripts');
/** Some repeat a failed request for more than a minute. */
const LIMIT_MS = 120_000;
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

interface Input {
  readonly prompts: readonly string[];
  /** By kind of option, or the texts a question is answered with. */
  readonly answers?: readonly (string | { readonly texts: readonly string[] })[];
  readonly isInterrupted?: boolean;
  /** Turns that end, when the agent begins some by itself. */
  readonly ends?: number;
  /** Stops each background task when a turn has ended. */
  readonly stopsTasks?: boolean;
  readonly exit?: { readonly signal: string | null };
  readonly settings?: Record<string, unknown>;
}

const [engineName = '', binDir = '', ...only] = process.argv.slice(2);
const agent = findAgent(engineName);
if (agent === undefined || only.length === 0) throw new Error('usage: record.ts ENGINE BIN_DIR SCENARIO…');

const version = /\d+\.\d+\.\d+/.exec(execFileSync(path.join(binDir, engineName), ['--version'], { encoding: 'utf8' }))?.[0];

/** Where the agent's package really lies; `binDir` may only link to it. */
const [installDir = binDir] = realpathSync(path.join(binDir, engineName)).split('/node_modules/');

const record = async (scenario: string): Promise<void> => {
  const folder = path.join(TRANSCRIPTS, scenario);
  const input = JSON.parse(readFileSync(path.join(folder, 'input.json'), 'utf8')) as Input;
  const root = mkdtempSync(path.join(tmpdir(), 'record-'));
  const [home, workspace] = [path.join(root, 'home'), path.join(root, 'workspace')];
  for (const dir of [home, workspace]) mkdirSync(dir);
  execFileSync('git', ['init', '-q'], { cwd: workspace });
  const model = await agent.startModel();
  const mcp = await startLabMcp();
  scriptScenarios(model, agent.tools, workspace, scenario);
  const env = {
    PATH: `${binDir}:${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...agent.configure(home, model.url, scenario !== 'not-logged-in'),
  };

  if (scenario === 'provider-down') await model.close();

  /** One process: says the prompts in turn, and resolves when it has ended. */
  const converse = async (prompts: readonly string[], resumed: string | null) => {
    const base = launchOptions(input.settings ?? {});
    const token = scenario === 'mcp-unreachable' ? 'wrong' : LAB_TOKEN;
    const lab = base.mcp === null ? null : { ...base.mcp, url: mcp.url, token };
    const launch = forScenario({ ...base, cwd: workspace, runDir: path.join(root, 'run'), mcp: lab }, engineName, scenario, resumed);
    const codec = agent.engine.codec(launch);
    const { args, env: added, fixedEnv } = agent.engine.launch(launch);
    const own = { ...added, ...fixedEnv };
    for (const { name, content } of agent.engine.launch(launch).files) {
      mkdirSync(path.dirname(path.join(launch.runDir, name)), { recursive: true });
      writeFileSync(path.join(launch.runDir, name), content);
    }
    const lines: string[] = [];
    const events: EngineEvent[] = [];
    const waiting = [...prompts];
    const answers = [...(input.answers ?? [])];
    let mayInterrupt = input.isInterrupted === true;
    let hasKilled = false;
    let ends = 0;
    const background = new Set<string>();
    const next = (): void => {
      const text = waiting.shift();
      if (text !== undefined) {
        apply(codec.prompt({ turnId: `turn-${waiting.length}`, text, attachments: scenario === 'image' ? [attachment(root)] : [] }));
      } else if (ends >= (input.ends ?? prompts.length) && background.size === 0) {
        child.closeStdin();
        void child.stop();
      }
    };
    const apply = (effects: readonly Effect[]): void => {
      for (const effect of effects) {
        if (effect.type === 'write') child.write(effect.line);
        if (effect.type === 'stop') void child.stop();
        if (effect.type !== 'event') continue;
        const { event } = effect;
        events.push(event);
        if (event.type === 'item.updated' && event.patch.isBackground === true) background.add(event.itemId);
        if (event.type === 'turn.completed') ends += 1;
        if (event.type === 'turn.completed' && input.stopsTasks === true) for (const id of background) apply(codec.stopTask(id));
        const isTaskOver = event.type === 'item.completed' && background.delete(event.itemId);
        if (event.type === 'ready' || event.type === 'turn.completed' || isTaskOver) next();
        if (event.type === 'item.delta' && mayInterrupt) {
          mayInterrupt = false;
          apply(codec.interrupt());
        }
        if (event.type === 'item.delta' && input.exit !== undefined && !hasKilled) {
          hasKilled = true;
          if (child.pid !== null) process.kill(-child.pid, 'SIGKILL');
        }
        if (event.type === 'request.opened') {
          const answer = answers.shift();
          const kind = typeof answer === 'object' ? 'choice' : answer;
          const option = event.request.options.find((each) => each.kind === kind);
          if (option === undefined) throw new Error(`${scenario}: asked although it must not: ${JSON.stringify(event.request)}`);
          const texts = typeof answer === 'object' ? answer.texts : [];
          const chosen = (event.request.questions ?? []).map(({ question }, index): [string, string[]] => [question, [texts[index] ?? '']]);
          apply(codec.answer(event.requestId, { optionId: option.optionId, answers: Object.fromEntries(chosen) }));
        }
      }
    };
    const child = startChild({
      command: path.join(binDir, engineName),
      args,
      cwd: workspace,
      env: { ...env, ...own, ...fixedEnv },
      onLine: (line) => {
        lines.push(line);
        apply(codec.line(line));
      },
      onOverflow: (bytes) => console.error(`a line of ${bytes} bytes`),
    });
    apply(codec.start());
    const timer = setTimeout(() => void child.stop({ graceMs: 0 }), LIMIT_MS);
    const exit = await child.exited;
    clearTimeout(timer);
    return { lines, events, exit, stderr: child.stderrTail() };
  };

  const first = scenario === 'resume' ? await converse(['[[hi]] first'], null) : null;
  const bound = first?.events.find((event) => event.type === 'bound');
  const { lines, events, exit, stderr } = await converse(input.prompts, bound?.type === 'bound' ? bound.engineSessionId : null);
  if (scenario !== 'provider-down') await model.close();
  await mcp.close();

  const ends = events.filter((event) => event.type === 'turn.completed' || (event.type as string) === 'STOP');
  const text = lines.map((line) => scrub(line, { root, home, workspace })).join('\n');
  writeFileSync(path.join(folder, `${engineName}.jsonl`), `${text}\n`);
  writeProvenance(folder, scenario, input.settings ?? {}, Object.keys(agent.configure(home, 'x', true)), exit);
  console.log(
    scenario,
    lines.length,
    'lines',
    JSON.stringify(ends.map((event) => event.type === 'turn.completed' && [event.outcome, event.error?.code])),
    stderr.slice(-200),
  );
  rmSync(root, { recursive: true, force: true });
};

const attachment = (root: string) => {
  const file = path.join(root, 'image.png');
  writeFileSync(file, PNG, { mode: 0o600 });
  return {
    attachmentId: 'attachment-1' as never,
    kind: 'image' as const,
    name: 'image.png',
    mimeType: 'image/png',
    sizeBytes: PNG.length,
    dataBase64: PNG.toString('base64'),
    path: file,
  };
};

/** Paths, and what tells one machine from another; texts of skills that are of no use here and of half a megabyte. */
const scrub = (line: string, { root, home, workspace }: { root: string; home: string; workspace: string }): string => {
  const placed = line
    .replaceAll(workspace, '<workspace>')
    .replaceAll(home, '<home>')
    .replaceAll(binDir, '<bin>')
    .replaceAll(installDir, '<bin>')
    .replaceAll(root, '<root>')
    .replaceAll(path.basename(root), '<root>')
    .replaceAll(/\/tmp\/claude-\d+\/[^"\s]*?\/tasks\//g, '<tasks>/')
    .replaceAll(/\/tmp\/cc-socks\/\d+\.sock/g, '<socket>')
    .replaceAll(/"installationId":"[^"]*"/g, '"installationId":"<id>"')
    .replaceAll(/"serverName":"(?!lab)[^"]*"/g, '"serverName":"<host>"');
  if (!placed.includes('"available_commands_update"')) return placed;
  return placed.replaceAll(/"((?:[^"\\]|\\.){1000,})"/g, (_, text: string) => `"<cut: ${text.length} characters>"`);
};

const writeProvenance = (
  folder: string,
  scenario: string,
  settings: Record<string, unknown>,
  variables: readonly string[],
  exit: { code: number | null; signal: string | null },
): void => {
  const file = path.join(folder, 'PROVENANCE.md');
  const heading = `## ${engineName}.jsonl`;
  const others = readFileSync(file, 'utf8')
    .split(/\n(?=## )/)
    .filter((part) => !part.startsWith(heading));
  const date = new Date().toISOString().slice(0, 10);
  const part = [
    heading,
    '',
    `${agent.engine.label} ${version}, Linux x64, recorded ${date} by test/record/record.ts: driven by our own codec, against a scripted model on loopback;`,
    'the prompts name the script, keys are made up. Stdout as written; replaced are paths (`<workspace>`, `<home>`, `<bin>`), host names and ids of',
    'the machine, and texts of more than 1000 characters in the list of commands (`<cut: N characters>`).',
    '',
    `- command: \`<bin>/${engineName} ${agent.engine.launch({ ...launchOptions(settings), isProbe: false }).args.join(' ')}\``,
    `- environment beside the launch's, PATH, HOME and locale: ${variables.join(' ')}`,
    `- exit: ${exit.signal === null ? `code ${exit.code}` : exit.signal}`,
    ...(scenario === 'resume' ? ['- an earlier process had held one turn of the same conversation'] : []),
    '',
  ].join('\n');
  writeFileSync(file, [...others.map((other) => other.trimEnd()), part].join('\n\n'));
};

for (const scenario of only) await record(scenario);
