/**
 * The programs of a desktop that are opened for the person, and exactly what each is started with. No shell is between, the list is
 * fixed, and what varies is one absolute path or a number in an argument of its own. Pure.
 */
import { emulators } from '#companion/lib/emulators.ts';

export interface Program {
  /** Names that are looked for on PATH. */
  readonly commands: readonly string[];
  /** Where it lies otherwise. */
  readonly knownPaths?: readonly string[];
  readonly args: readonly string[];
}

/** A file and the place in it, both counted from 1. */
export interface FilePlace {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Terminals in the order they are tried. All are started in the folder; some of them take it only as an argument. */
export const terminals = (folder: string, platform: NodeJS.Platform): readonly Program[] => {
  if (platform === 'darwin') return [{ commands: [], knownPaths: ['/usr/bin/open'], args: ['-a', 'Terminal', folder] }];
  // Windows Terminal takes a semicolon in an argument for the end of a command, so the folder is not among them.
  if (platform === 'win32') return [{ commands: ['wt'], args: ['-d', '.'] }];
  return [
    { commands: ['xdg-terminal-exec', 'x-terminal-emulator'], args: [] },
    { commands: ['gnome-terminal', 'kgx', 'ptyxis', 'xfce4-terminal'], args: [`--working-directory=${folder}`] },
    { commands: ['konsole'], args: ['--workdir', folder] },
    { commands: ['kitty', 'alacritty', 'foot', 'wezterm', 'xterm'], args: [] },
  ];
};

const RUN_ON_MAC = ['on run argv', 'tell application "Terminal"', 'activate', 'do script (item 1 of argv)', 'end tell', 'end run'];

/**
 * Terminals in which Pilotfish itself runs. Nothing of it may come from a panel, an agent or a page: macOS has no other way than to type it into a
 * shell. Not tested on macOS and Windows.
 */
export const terminalsWith = (command: readonly string[], platform: NodeJS.Platform): readonly Program[] => {
  if (platform === 'darwin') {
    return [
      {
        commands: [],
        knownPaths: ['/usr/bin/osascript'],
        args: [...RUN_ON_MAC.flatMap((line) => ['-e', line]), command.map(quoted).join(' ')],
      },
    ];
  }
  if (platform === 'win32') {
    return [
      // Windows Terminal takes a semicolon for the end of a command, unless a backslash is before it.
      { commands: ['wt'], args: ['-d', '.', ...command.map((word) => word.replaceAll(';', String.raw`\;`))] },
      { commands: ['conhost'], args: command },
    ];
  }
  return emulators.map(({ name, before }) => ({ commands: [name], args: [...before, ...command] }));
};

/** As one word of a shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

const MAC_APPS = ['Visual Studio Code', 'Cursor', 'VSCodium'].map((name) => `/Applications/${name}.app/Contents/Resources/app/bin`);

/** Editors in the order they are tried. */
export const editors = ({ file, line, column }: FilePlace): readonly Program[] => {
  const place = line === undefined ? file : `${file}:${line}${column === undefined ? '' : `:${column}`}`;
  return [
    {
      commands: ['code', 'cursor', 'codium', 'code-insiders', 'windsurf'],
      knownPaths: [
        ...MAC_APPS.flatMap((folder) => ['code', 'cursor', 'codium'].map((name) => `${folder}/${name}`)),
        '~/AppData/Local/Programs/Microsoft VS Code/Code.exe',
        '~/AppData/Local/Programs/cursor/Cursor.exe',
      ],
      args: line === undefined ? [file] : ['--goto', place],
    },
    { commands: ['zed', 'subl'], args: [place] },
  ];
};

const PROMPT = 'Choose a project folder';

const POWERSHELL = [
  'Add-Type -AssemblyName System.Windows.Forms',
  '$d = New-Object System.Windows.Forms.FolderBrowserDialog',
  '[Console]::OutputEncoding = [System.Text.Encoding]::UTF8',
  "if ($d.ShowDialog() -eq 'OK') { [Console]::Out.WriteLine($d.SelectedPath) } else { exit 1 }",
].join('; ');

/** Programs that let the person choose a folder and print it. Each ends with 1 when the person cancels. */
export const folderDialogs = (home: string, platform: NodeJS.Platform): readonly Program[] => {
  if (platform === 'darwin') {
    return [{ commands: [], knownPaths: ['/usr/bin/osascript'], args: ['-e', `POSIX path of (choose folder with prompt "${PROMPT}")`] }];
  }
  if (platform === 'win32') return [{ commands: ['powershell'], args: ['-NoProfile', '-STA', '-Command', POWERSHELL] }];
  return [
    { commands: ['zenity', 'qarma', 'yad'], args: ['--file-selection', '--directory', `--title=${PROMPT}`] },
    { commands: ['kdialog'], args: ['--title', PROMPT, '--getexistingdirectory', home] },
  ];
};

const BALLOON = [
  'Add-Type -AssemblyName System.Windows.Forms',
  '$n = New-Object System.Windows.Forms.NotifyIcon',
  '$n.Icon = [System.Drawing.SystemIcons]::Information',
  '$n.Visible = $true',
  "$n.ShowBalloonTip(10000, $env:PILOTFISH_TITLE, $env:PILOTFISH_TEXT, 'Info')",
  'Start-Sleep -Seconds 10',
  '$n.Dispose()',
].join('; ');

const SHOW_ON_MAC = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];

/** Programs that show a notification of the system. What an agent wrote is never a part of a script, and no markup. */
export const notifiers = ({ title, text }: DesktopNotice, platform: NodeJS.Platform): readonly Program[] => {
  if (platform === 'darwin')
    return [{ commands: [], knownPaths: ['/usr/bin/osascript'], args: [...SHOW_ON_MAC.flatMap((line) => ['-e', line]), title, text] }];
  if (platform === 'win32') return [{ commands: ['powershell'], args: ['-NoProfile', '-Command', BALLOON] }];
  // Its text may have markup: https://specifications.freedesktop.org/notification-spec/latest/markup.html
  const plain = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [{ commands: ['notify-send'], args: ['--app-name=Pilotfish', '--', title, plain] }];
};

export interface DesktopNotice {
  readonly title: string;
  readonly text: string;
}
