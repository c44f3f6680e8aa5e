/** Makes blessed fit into one file: its widgets are required by computed names and its terminfo is read from disk; both are fixed here. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'esbuild';

/** The widgets that need neither a disk (fonts) nor another program (pty, w3m, mplayer). */
const WIDGETS = [
  'Node',
  'Screen',
  'Element',
  'Box',
  'Text',
  'Line',
  'ScrollableBox',
  'ScrollableText',
  'List',
  'Form',
  'Input',
  'Textarea',
  'Textbox',
  'Button',
  'ProgressBar',
  'FileManager',
  'Checkbox',
  'RadioSet',
  'RadioButton',
  'Prompt',
  'Question',
  'Message',
  'Loading',
  'Listbar',
  'Log',
  'Table',
  'ListTable',
  'Layout',
];

const TERMINALS = ['xterm', 'xterm-256color', 'linux', 'windows-ansi'];

/** The esbuild plugin for bundles that contain blessed; fails when blessed has changed under it. */
export const blessedPlugin = (): Plugin => ({
  name: 'blessed',
  setup(build) {
    const rewrite = (file: string, change: (source: string, usrDir: string) => Promise<string> | string): void => {
      build.onLoad({ filter: new RegExp(`blessed[\\\\/]lib[\\\\/]${file}\\.js$`) }, async (args) => {
        const source = await readFile(args.path, 'utf8');
        const contents = await change(source, path.join(path.dirname(args.path), '..', 'usr'));
        if (contents === source) throw new Error(`blessed's ${file}.js has changed: look at installer/blessed-plugin.ts`);
        return { loader: 'js', contents };
      });
    };

    rewrite('widget', () =>
      [
        `exports.classes = ${JSON.stringify(WIDGETS)};`,
        ...WIDGETS.map((name) => `exports.${name} = exports.${name.toLowerCase()} = require('./widgets/${name.toLowerCase()}');`),
        `exports.aliases = { ListBar: 'Listbar' };`,
        `exports.ListBar = exports.listbar = exports.Listbar;`,
      ].join('\n'),
    );

    // The embedded terminfo is always used, never the machine's, so that the screen is the same everywhere, also where there is none.
    // It is given as a path from the root: to resolve any other, the folder of the process is asked for, which may have been removed.
    rewrite('tput', async (source, usrDir) => {
      const entries = await Promise.all(
        TERMINALS.map(async (name) => [name, (await readFile(path.join(usrDir, name))).toString('base64')] as const),
      );
      return source.replace(
        /Tput\.prototype\.readTerminfo = function\(term\) \{[\s\S]*?\n\};/,
        () => `
var embeddedTerminfo = ${JSON.stringify(Object.fromEntries(entries))};
Tput.prototype.readTerminfo = function(term) {
  var name = path.basename(term || this.terminal || 'xterm');
  if (!embeddedTerminfo[name]) {
    name = /^linux|^vt/.test(name) ? 'linux'
      : /windows-ansi/.test(name) ? 'windows-ansi'
      : /^(ansi|dumb)$/.test(name) ? 'xterm' : 'xterm-256color';
  }
  return this.parseTerminfo(Buffer.from(embeddedTerminfo[name], 'base64'), path.sep + name);
};`,
      );
    });

    // The old Buffer constructor prints a deprecation warning on stderr.
    rewrite('gpmclient', (source) => source.replaceAll('new Buffer(', 'Buffer.alloc('));
  },
});
