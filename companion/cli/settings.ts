import { CompanionError } from '#protocol/errors.ts';
import { Preferences, PreferencesChange } from '#protocol/preferences.ts';
import { didYouMean, readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish settings` */
export const settings: Subcommand = {
  name: 'settings',
  summary: 'what you choose for all sessions',
  usage: [
    'list | set NAME VALUE [--json]',
    'VALUE   true or false, for a limit a number or none, for a browser its id or none, for an order names with commas between them or none',
    '--json  print the settings as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { most: 3 });
    const change = toChange(positionals);
    await io.client.connect({ start: true, signal: io.signal });
    const { preferences } = io.client;
    const found = change === null ? await preferences.read() : await preferences.change(change);
    if (values.json === true) io.json({ settings: found });
    else for (const name of Preferences.keyof().options) io.print(`${name} ${toText(found[name])}: ${Preferences.shape[name].description}`);
    return 0;
  },
};

/** Null when nothing is to be changed. */
const toChange = ([action = 'list', name, value, ...rest]: readonly string[]): PreferencesChange | null => {
  if (action === 'list' && name === undefined) return null;
  if (action !== 'set') throw unknownAction('settings', action, ['list', 'set']);
  const known = Preferences.keyof().safeParse(name).data;
  if (known === undefined) {
    const names = Preferences.keyof().options;
    throw new CompanionError('CLI_USAGE', `"${name ?? ''}" is no setting; there are ${names.join(', ')}.${didYouMean(name ?? '', names)}`);
  }
  if (value === undefined || rest.length > 0) throw new CompanionError('CLI_USAGE', `"settings set ${known}" needs one value.`);
  const change = PreferencesChange.safeParse({ [known]: known === 'engineOrder' ? toNames(value) : toValue(value) });
  if (!change.success)
    throw new CompanionError('CLI_USAGE', `"${value}" is no value of ${known}: ${change.error.issues[0]?.message ?? ''}.`);
  return change.data;
};

const toText = (value: Preferences[keyof Preferences]): string => {
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
  return text === '' ? 'none' : text;
};

const toNames = (text: string): string[] => (text === 'none' ? [] : text.split(',').map((name) => name.trim()));

const toValue = (text: string): unknown => {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'none') return null;
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
};
