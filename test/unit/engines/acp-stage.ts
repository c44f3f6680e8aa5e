/** ACP sessions for tests: one that is ready, one in the midst of a turn. */
import { acpEngine } from '#companion/engines/acp.ts';
import type { AcpSpec } from '#companion/engines/acp/spec.ts';
import type { LaunchOptions } from '#companion/engines/engine.ts';
import { promptOf, startSession, type CodecSession } from './codec-stage.ts';

export const SESSION = 'session-1';

export const spec: AcpSpec = {
  name: 'tester',
  label: 'Tester',
  args: ['--acp'],
  envAllow: [],
  secretNames: [],
  finding: {
    commands: ['tester'],
    knownPaths: [],
    versionArgs: ['--version'],
    minVersion: null,
    installCommand: '',
    loginCommand: 'tester login',
  },
};

export const CAPABILITIES = {
  loadSession: true,
  promptCapabilities: { image: true },
  mcpCapabilities: { http: true },
};

export const MODES = {
  currentModeId: 'default',
  availableModes: [
    { id: 'default', name: 'Default', description: 'Asks' },
    { id: 'yolo', name: 'YOLO' },
  ],
};

export const greet = (session: CodecSession, agentCapabilities: object = CAPABILITIES): void => {
  session.answers('initialize', { result: { protocolVersion: 1, agentInfo: { version: '1.2.3' }, agentCapabilities } });
};

export const ready = (more: Partial<AcpSpec> = {}, options: Partial<LaunchOptions> = {}): CodecSession => {
  const session = startSession(acpEngine({ ...spec, ...more }), { cwd: '/project', ...options });
  greet(session);
  session.answers('session/new', { result: { sessionId: SESSION, modes: MODES } });
  return session;
};

/** With a prompt that the agent works on. */
export const running = (more: Partial<AcpSpec> = {}, options: Partial<LaunchOptions> = {}): CodecSession => {
  const session = ready(more, options);
  session.take(session.codec.prompt(promptOf('hello')));
  return session;
};

export const update = (sessionUpdate: string, fields: object): object => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: SESSION, update: { sessionUpdate, ...fields } },
});

export const said = (text: string, more: object = {}): object =>
  update('agent_message_chunk', { content: { type: 'text', text }, ...more });

const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Yes', kind: 'allow_once' },
  { optionId: 'once-more', name: 'Yes, and switch', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

export const permission = (toolCall: object, id = 0, options: readonly object[] = OPTIONS): object => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: {
    sessionId: SESSION,
    toolCall: {
      toolCallId: 'call-1',
      status: 'pending',
      title: 'npm test',
      kind: 'execute',
      rawInput: { command: 'npm test' },
      ...toolCall,
    },
    options,
  },
});
