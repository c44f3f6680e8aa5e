/**
 * The daemon as a service of the person's login: a systemd user unit, a launchd agent, a scheduled task. Those of macOS and
 * Windows are written from documentation and were not run there.
 */
import { execFileSync } from 'node:child_process';
import { userInfo } from 'node:os';
import path from 'node:path';
import type { ServiceReport, ServiceStatus } from '#protocol/setup.ts';
import { homeOf } from './browsers.ts';
import { lookAt, removeFile, writeWhole } from './files.ts';
import type { Steps } from './steps.ts';

export interface ServiceOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly executable: string;
  /** Our own data folder; the file for Windows' scheduler is kept there. */
  readonly root: string;
  /** PILOTFISH_HOME, when everything lies under one folder. */
  readonly portableHome: string | null;
}

const UNIT = 'pilotfish.service';
const LABEL = 'com.pilotfish.daemon';
const TASK = 'Pilotfish';

/** A program and its arguments; nothing of the person's is ever in a line for a shell. */
type Command = readonly [string, ...string[]];

/** How one system keeps a service. */
interface Manager {
  readonly file: string;
  readonly content: string | Buffer;
  /** From the next login on. */
  readonly enable: readonly Command[];
  /** The first that succeeds has started it. */
  readonly start: readonly Command[];
  /** Stops it until it is started again; what its daemon failed at until then counts no more. */
  readonly stop: readonly Command[];
  /** Succeeds while it runs. */
  readonly isRunning: Command;
  /** No more from the next login on; it is stopped before. */
  readonly remove: readonly Command[];
  /** Lets it run without a login; null where the system cannot. */
  readonly linger: Command | null;
}

/** What makes the daemon start with the login. */
export const serviceManager = (options: ServiceOptions): Manager => {
  if (options.platform === 'win32') return taskScheduler(options);
  return options.platform === 'darwin' ? launchd(options) : systemd(options);
};

/** Writes the file of the service and has it start with the next login. A command that fails is told, and the file stays. */
export function* installService(options: ServiceOptions, lingers: boolean): Steps<ServiceReport> {
  const { file, content, enable, linger } = serviceManager(options);
  const state = yield* writeWhole(file, content, 0o644);
  const notes = enable.flatMap((command) => attempt(command, options.env));
  if (lingers) {
    notes.push(...(linger === null ? ['This system ends what a person started when they log out.'] : attempt(linger, options.env)));
  }
  return { file, state, notes };
}

/** Starts it now; what went wrong, or nothing. */
export const startService = (options: ServiceOptions): string[] => {
  let notes: string[] = [];
  for (const command of serviceManager(options).start) {
    notes = attempt(command, options.env);
    if (notes.length === 0) break;
  }
  return notes;
};

/** Stops it; whether it was there. */
export const stopService = (options: ServiceOptions): boolean => {
  const { file, stop } = serviceManager(options);
  // Without the file nothing was registered, and a service of the same name is somebody else's.
  if (lookAt(file) === undefined) return false;
  for (const command of stop) attempt(command, options.env);
  return true;
};

/** Stops it and takes it out again; returns what was there. */
export const removeService = (options: ServiceOptions): string[] => {
  const { file, remove } = serviceManager(options);
  if (!stopService(options)) return [];
  for (const command of remove) attempt(command, options.env);
  return removeFile(file) ? [file] : [];
};

export const serviceStatus = (options: ServiceOptions): ServiceStatus => {
  const { file, isRunning } = serviceManager(options);
  const isInstalled = lookAt(file) !== undefined;
  return { file, isInstalled, isRunning: isInstalled && attempt(isRunning, options.env).length === 0 };
};

/** https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html */
const systemd = ({ env, executable, portableHome }: ServiceOptions): Manager => {
  const configured = env['XDG_CONFIG_HOME'];
  const config = configured !== undefined && path.isAbsolute(configured) ? configured : path.join(homeOf(env), '.config');
  return {
    file: path.join(config, 'systemd', 'user', UNIT),
    content: [
      '[Unit]',
      'Description=Pilotfish, coding agents that see and drive your browser',
      '',
      '[Service]',
      `ExecStart=${unitWord(executable)} daemon --keep-alive`,
      ...(portableHome === null ? [] : [`Environment=${unitWord(`PILOTFISH_HOME=${portableHome}`)}`]),
      '# It ends with 0 where another daemon has the place, and when it is told to stop.',
      'Restart=on-failure',
      'RestartSec=2',
      '# The daemon ends its agents itself.',
      'KillMode=mixed',
      'TimeoutStopSec=20',
      '',
      '[Install]',
      'WantedBy=default.target',
      '',
    ].join('\n'),
    enable: [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', UNIT],
    ],
    start: [['systemctl', '--user', 'restart', UNIT]],
    // A unit that has failed several times within moments is not started any more, by nobody.
    stop: [
      ['systemctl', '--user', 'stop', UNIT],
      ['systemctl', '--user', 'reset-failed', UNIT],
    ],
    isRunning: ['systemctl', '--user', 'is-active', '--quiet', UNIT],
    remove: [
      ['systemctl', '--user', 'disable', UNIT],
      ['systemctl', '--user', 'daemon-reload'],
    ],
    linger: ['loginctl', 'enable-linger', userInfo().username],
  };
};

/** https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html#Quoting; % and $ stand for something else there. */
const unitWord = (word: string): string =>
  `"${word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$')}"`;

/** launchd.plist(5) */
const launchd = ({ env, executable, portableHome }: ServiceOptions): Manager => {
  const file = path.posix.join(homeOf(env), 'Library', 'LaunchAgents', `${LABEL}.plist`);
  const domain = `gui/${process.getuid?.() ?? ''}`;
  return {
    file,
    content: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      '<plist version="1.0">',
      '<dict>',
      `  <key>Label</key><string>${LABEL}</string>`,
      '  <key>ProgramArguments</key>',
      `  <array><string>${xml(executable)}</string><string>daemon</string><string>--keep-alive</string></array>`,
      ...(portableHome === null
        ? []
        : ['  <key>EnvironmentVariables</key>', `  <dict><key>PILOTFISH_HOME</key><string>${xml(portableHome)}</string></dict>`]),
      '  <key>RunAtLoad</key><true/>',
      '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
      '  <key>ExitTimeOut</key><integer>20</integer>',
      '</dict>',
      '</plist>',
      '',
    ].join('\n'),
    // The file alone is enough for the next login.
    enable: [],
    start: [
      ['/bin/launchctl', 'bootstrap', domain, file],
      // One that is loaded already is not loaded again.
      ['/bin/launchctl', 'kickstart', '-k', `${domain}/${LABEL}`],
    ],
    // It knows a service that has ended, too.
    isRunning: ['/bin/sh', '-c', `/bin/launchctl print ${domain}/${LABEL} | /usr/bin/grep -q 'state = running'`],
    stop: [['/bin/launchctl', 'bootout', `${domain}/${LABEL}`]],
    remove: [],
    linger: null,
  };
};

/** https://learn.microsoft.com/windows/win32/taskschd/task-scheduler-schema */
const taskScheduler = ({ env, executable, root, portableHome }: ServiceOptions): Manager => {
  const file = path.win32.join(root, 'service.xml');
  const system = path.win32.join(env['SystemRoot'] ?? 'C:\\Windows', 'System32');
  const schtasks = path.win32.join(system, 'schtasks.exe');
  const home = portableHome === null ? '' : `set "PILOTFISH_HOME=${portableHome}" && `;
  const text = [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    // Only an administrator may have a task start with the login of any user.
    `  <Triggers><LogonTrigger><Enabled>true</Enabled><UserId>${xml(userId(env))}</UserId></LogonTrigger></Triggers>`,
    '  <Principals><Principal id="Author"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <Hidden>true</Hidden>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Author"><Exec>',
    // A console program of a task would show an empty console for as long as it runs.
    `    <Command>${xml(path.win32.join(system, 'conhost.exe'))}</Command>`,
    home === ''
      ? `    <Arguments>${xml(`--headless "${executable}" daemon --keep-alive`)}</Arguments>`
      : `    <Arguments>${xml(`--headless cmd.exe /d /s /c "${home}"${executable}" daemon --keep-alive"`)}</Arguments>`,
    '  </Exec></Actions>',
    '</Task>',
    '',
  ].join('\r\n');
  return {
    file,
    content: Buffer.from(`\ufeff${text}`, 'utf16le'),
    enable: [[schtasks, '/Create', '/TN', TASK, '/XML', file, '/F']],
    start: [[schtasks, '/Run', '/TN', TASK]],
    stop: [[schtasks, '/End', '/TN', TASK]],
    // schtasks tells the state in the language of the system; 4 is "running" in each.
    isRunning: [
      path.win32.join(system, 'WindowsPowerShell', 'v1.0', 'powershell.exe'),
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      `if ([int](Get-ScheduledTask -TaskName ${TASK} -ErrorAction Stop).State -ne 4) { exit 1 }`,
    ],
    remove: [[schtasks, '/Delete', '/TN', TASK, '/F']],
    linger: null,
  };
};

const userId = (env: NodeJS.ProcessEnv): string =>
  [env['USERDOMAIN'], env['USERNAME'] ?? userInfo().username].filter((part) => part !== undefined && part !== '').join('\\');

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Runs a command of the system; what went wrong as a sentence, or nothing. */
const attempt = ([file, ...args]: Command, env: NodeJS.ProcessEnv): string[] => {
  try {
    execFileSync(file, args, { env, encoding: 'utf8', windowsHide: true, timeout: LIMIT_MS, stdio: ['ignore', 'ignore', 'pipe'] });
    return [];
  } catch (error) {
    const said = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr).trim() : '';
    const reason = error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'it is not there' : said.split('\n', 1)[0];
    return [`${[path.basename(file), ...args].join(' ')} failed: ${reason === '' ? 'it gave no reason' : reason}`];
  }
};

/** A service manager that hangs is as good as none. */
const LIMIT_MS = 30_000;
