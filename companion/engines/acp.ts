/** Agents that speak the Agent Client Protocol: one engine, a few facts per agent. */
import type { Capabilities } from '#protocol/engines.ts';
import { AcpCodec } from './acp/codec.ts';
import type { AcpSpec } from './acp/spec.ts';
import { defineEngine, type ProcessEngine } from './engine.ts';

/** What an agent can do when its file says nothing else. */
const usual: Capabilities = {
  canResume: true,
  canInterrupt: true,
  canSteer: false,
  hasPermissions: true,
  hasQuestions: false,
  hasPlan: true,
  hasThoughts: true,
  hasUsage: true,
  hasImages: true,
  hasShell: true,
  hasModels: true,
  mcp: ['http', 'stdio'],
};

/** An engine from what its agent needs beyond the protocol. */
export const acpEngine = (spec: AcpSpec): ProcessEngine =>
  defineEngine({
    type: 'process',
    name: spec.name,
    label: spec.label,
    capabilities: { ...usual, ...spec.capabilities },
    modes: spec.modes ?? [],
    ...(spec.defaultMode === undefined ? {} : { defaultMode: spec.defaultMode }),
    finding: spec.finding,
    envAllow: spec.envAllow,
    ...(spec.project === undefined ? {} : { project: spec.project }),
    secretNames: spec.secretNames,
    tellsCommandsLater: true,
    startTimeoutMs: spec.startTimeoutMs ?? 60_000,
    ...(spec.stopTimeoutMs === undefined ? {} : { stopTimeoutMs: spec.stopTimeoutMs }),
    launch: (options) => ({ args: spec.args, env: { ...options.secrets }, files: [], ...spec.launch?.(options) }),
    codec: (options) => new AcpCodec(spec, options),
    ...(spec.command === undefined ? {} : { command: spec.command }),
  });

/** An agent the user named: `pilotfish engine add NAME -- COMMAND ARGS`. */
export const customEngine = (name: string, [program = '', ...args]: readonly string[], label: string = name): ProcessEngine =>
  acpEngine({
    name,
    label,
    args: [],
    command: [program, ...args],
    finding: { commands: [program], knownPaths: [], versionArgs: ['--version'], minVersion: null, installCommand: '', loginCommand: '' },
    envAllow: [],
    // Only the user knows which variables it reads.
    secretNames: null,
  });
