/** Logs of what no recording holds: how turns end in trouble, and a command that fails. */
import { CompanionError, type ErrorCode } from '#protocol/errors.ts';
import { defaultSettings, type EventBody, type SessionEvent } from '#protocol/events.ts';
import { AttachmentId, ItemId, ProjectId, SessionId, type TurnId } from '#protocol/ids.ts';
import type { ItemBody, ItemStatus } from '#protocol/items.ts';
import { NOW } from './answers.ts';

const turnId = 't1' as TurnId;

const begun = (prompt: string): readonly EventBody[] => [
  {
    type: 'session.created',
    projectId: ProjectId.parse('p1'),
    engine: 'claude',
    name: '',
    kind: 'agent',
    settings: defaultSettings,
  },
  { type: 'turn.started', turnId, prompt: { text: prompt, attachments: [] } },
  ...shown('t1-prompt', { kind: 'message', role: 'user', text: prompt }),
];

const shown = (id: string, item: ItemBody, status: ItemStatus = 'completed'): readonly EventBody[] => [
  { type: 'item.started', turnId, itemId: ItemId.parse(id), item },
  { type: 'item.completed', turnId, itemId: ItemId.parse(id), status },
];

const numbered = (bodies: readonly EventBody[]): readonly SessionEvent[] =>
  bodies.map((body, index) => ({ ...body, sessionId: SessionId.parse('s1'), seq: index + 1, at: NOW - 20_000 + index * 1000 }));

/** A question that was answered with so much text. */
export const answered = (prompt: string, text: string): readonly SessionEvent[] =>
  numbered([
    ...begun(prompt),
    ...shown('i1', { kind: 'message', role: 'assistant', text }),
    { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 5000 },
  ]);

/** A turn that runs: an answer is being written, and a command has not ended. */
export const running = (): readonly SessionEvent[] =>
  numbered([
    ...begun('When is the high water on Sunday?'),
    ...shown('i1', { kind: 'message', role: 'assistant', text: 'I look at the table.' }),
    {
      type: 'item.started',
      turnId,
      itemId: ItemId.parse('i2'),
      item: {
        kind: 'tool',
        tool: 'Bash',
        toolKind: 'execute',
        title: 'node scripts/fetch-tides.ts',
        input: { command: 'node scripts/fetch-tides.ts', description: 'Fetch the tides of the week' },
        text: 'Fetching Brest…\n',
      },
    },
  ]);

const PICTURE_REF = {
  attachmentId: AttachmentId.parse('a1'),
  kind: 'image',
  name: 'table.png',
  mimeType: 'image/png',
  sizeBytes: 48_200,
} as const;
const FILE_REF = { ...PICTURE_REF, attachmentId: AttachmentId.parse('a2'), kind: 'file', name: 'tides.csv', mimeType: 'text/csv' } as const;

/** A turn that runs while the next prompt waits. */
export const waiting = (): readonly SessionEvent[] =>
  numbered([
    ...begun('When is the high water on Sunday?'),
    { type: 'run.changed', state: 'ready' },
    ...shown('i1', { kind: 'message', role: 'assistant', text: 'I look at the table.' }),
    { type: 'turn.queued', turnId: 't2' as TurnId, prompt: { text: 'And on Monday?', attachments: [FILE_REF] } },
  ]);

/** A long prompt with a picture, and a call that gave one. */
export const pictured = (picture: string): readonly SessionEvent[] =>
  numbered([
    ...begun('When is the high water?'),
    ...shown('i0', {
      kind: 'message',
      role: 'user',
      text: 'The table of last week, again\n'.repeat(40),
      attachments: [PICTURE_REF, FILE_REF],
    }),
    ...shown('i1', {
      kind: 'tool',
      tool: 'browser_take_screenshot',
      toolKind: 'browser',
      title: 'browser_take_screenshot',
      text: '',
      images: [{ mimeType: 'image/png', dataBase64: picture }],
    }),
    { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 9000 },
  ]);

/** A turn with a plan that has thought and read, and whose provider is tried again. */
export const planned = (): readonly SessionEvent[] =>
  numbered([
    ...begun('Bring the tables up to date'),
    { type: 'run.changed', state: 'ready' },
    ...shown('i1', { kind: 'thought', text: 'The tables lie in src. I read them first.' }),
    ...['src/tides.ts', 'src/water/high-water.ts', 'README.md'].flatMap((path, index) =>
      shown(`r${index}`, { kind: 'tool', tool: 'Read', toolKind: 'read', title: `Read ${path}`, input: { file_path: path }, text: '…' }),
    ),
    {
      type: 'item.started',
      turnId,
      itemId: ItemId.parse('p1'),
      item: {
        kind: 'plan',
        entries: [
          { content: 'Read the tables', status: 'completed' },
          { content: 'Write the hours of the next week into the table of the western coast and its islands', status: 'in_progress' },
          { content: 'Run the tests', status: 'pending' },
        ],
      },
    },
    { type: 'usage.updated', turnId, usage: { contextUsed: 124_000, contextWindow: 200_000, costUsd: 1.2 } },
    { type: 'run.changed', state: 'retrying', text: 'Overloaded', retryAt: NOW + 12_000 },
  ]);

/** A command that goes on in the background after its turn. */
export const inBackground = (): readonly SessionEvent[] =>
  numbered([
    ...begun('Start the server'),
    { type: 'run.changed', state: 'ready' },
    {
      type: 'item.started',
      turnId,
      itemId: ItemId.parse('b1'),
      item: {
        kind: 'tool',
        tool: 'Bash',
        toolKind: 'execute',
        title: 'npm run dev -- --host localhost --port 5173 --strictPort',
        input: { command: 'npm run dev -- --host localhost --port 5173 --strictPort', description: 'Start the development server' },
        text: '',
        isBackground: true,
      },
    },
    ...shown('i1', { kind: 'message', role: 'assistant', text: 'It runs.' }),
    { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 5000 },
  ]);

/** A turn that failed after a few words; `detail` is what came beside the words of the code. */
export const failedBy = (code: ErrorCode, detail = ''): readonly SessionEvent[] =>
  numbered([
    ...begun('When is the high water on Sunday?'),
    ...shown('i1', { kind: 'message', role: 'assistant', text: 'I look at the table.' }),
    { type: 'turn.completed', turnId, outcome: 'failed', error: new CompanionError(code, detail).toBody(), durationMs: 12_000 },
  ]);

/** A turn that a restart cut off. */
export const interrupted = (): readonly SessionEvent[] =>
  numbered([
    ...begun('When is the high water on Sunday?'),
    ...shown('i1', { kind: 'message', role: 'assistant', text: 'I look at the' }, 'cancelled'),
    { type: 'turn.completed', turnId, outcome: 'interrupted', durationMs: 12_000 },
  ]);

const RED = '\u001b[31m';
const PLAIN = '\u001b[0m';

/** Commands that fail: one with many coloured lines, one that says nothing, and one that was not found. */
export const failedCommands = (): readonly SessionEvent[] => {
  const command = (title: string, text: string, exitCode: number, description = ''): ItemBody => ({
    kind: 'tool',
    tool: 'Bash',
    toolKind: 'execute',
    title,
    input: { command: title, ...(description === '' ? {} : { description }) },
    text,
    exitCode,
  });
  const lines = ['> tides@1.0.0 test', '> vitest run', '', ' RUN  v5.1.1', '', `${RED} FAIL${PLAIN}  test/tides.test.ts > high water`];
  const long = [...lines, `${RED}AssertionError: expected '05:12' to be '05:21'${PLAIN}`, ' Test Files  1 failed (1)'].join('\n');
  return numbered([
    ...begun('Run the tests'),
    ...shown(
      'i1',
      command('npm test && node scripts/publish.ts --dry-run --registry https://registry.tides.example/npm/', long, 1, 'Run the tests'),
      'failed',
    ),
    ...shown('i2', command('false', '', 1), 'failed'),
    ...shown('i3', command('tides --week', '/bin/sh: 1: tides: not found\n', 127), 'failed'),
    ...shown('i4', { kind: 'message', role: 'assistant', text: 'The tests fail: the table has another hour.' }),
    { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 9000 },
  ]);
};
