/** Settings of an agent as `pilotfish engine set` takes and shows them. */
import type { EngineSettingsInput, EngineSetup } from '#protocol/engine-setup.ts';
import { CompanionError } from '#protocol/errors.ts';

const KEYS = 'path=PROGRAM, endpoint=URL, env.NAME=VALUE, disabled=yes or disabled=no';

/** `key=value …` as a change; an empty value takes the setting away. `args` is what followed `--`, null when there was none. */
export const readSettings = (assignments: readonly string[], args: readonly string[] | null): EngineSettingsInput => {
  const env: Record<string, string | null> = {};
  let change: EngineSettingsInput = args === null ? {} : { args: args.length === 0 ? null : [...args] };
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    const key = assignment.slice(0, at);
    const value = assignment.slice(at + 1) === '' ? null : assignment.slice(at + 1);
    if (at > 0 && key === 'path') change = { ...change, path: value };
    else if (at > 0 && key === 'endpoint') change = { ...change, endpoint: value };
    else if (at > 0 && key === 'disabled' && (value === 'yes' || value === 'no')) change = { ...change, isDisabled: value === 'yes' };
    else if (at > 0 && key.startsWith('env.')) env[key.slice('env.'.length)] = value;
    else throw new CompanionError('CLI_USAGE', `"${assignment}" is not understood; there are ${KEYS}, and the arguments after --.`);
  }
  return Object.keys(env).length === 0 ? change : { ...change, env };
};

/** The settings, one line each. Values of variables and keys are not shown. */
export const describeSetup = ({ engine, isDisabled, settings, secrets, hasEndpoint }: EngineSetup): string[] => [
  `${engine.name}: ${engine.label}${isDisabled ? ', switched off' : ''}`,
  ...(hasEndpoint
    ? [`  endpoint  ${settings.endpoint ?? 'the usual ports of this machine'}`]
    : [`  path      ${settings.path ?? 'found by itself'}`]),
  ...(settings.args.length === 0 ? [] : [`  args      ${settings.args.join(' ')}`]),
  ...settings.envNames.map((name) => `  env       ${name}, set`),
  ...secrets.map(({ name, isSet, place }) => `  key       ${name}, ${isSet ? places[place ?? 'file'] : 'not set'}`),
];

const places = { keychain: 'in the keychain', file: 'in a file that is not encrypted' } as const;
