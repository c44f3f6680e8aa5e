/** The daemon as a service of the login: files and commands. Only systemd's own judgement of its unit is a real part here. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { createInstaller } from '#installer/register/installer.ts';
import { defaultValueIn } from '#installer/register/windows.ts';
import { serviceManager, type ServiceOptions } from '#installer/register/service.ts';
import { test, type Stage } from './stage.ts';

const unit = '.config/systemd/user/pilotfish.service';

const options = (stage: Stage, more: Partial<ServiceOptions> = {}): ServiceOptions => ({
  env: stage.context.env,
  platform: 'linux',
  executable: '/opt/my $HOME 100%/pilot"fish',
  root: stage.context.paths.root,
  portableHome: '/srv/pilot fish',
  ...more,
});

/** Programs in the place of the system's, which write down how they are called. */
const installManagers = (stage: Stage, exitCode = 0): (() => string[]) => {
  const record = stage.at('record');
  for (const name of ['systemctl', 'loginctl']) {
    stage.write(
      stage.at('path', name),
      `#!/bin/sh\necho "${name} $*" >> ${record}\n[ ${exitCode} = 0 ] || echo 'Failed to connect to bus: No medium found' >&2\nexit ${exitCode}\n`,
      0o755,
    );
  }
  return () => (existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []);
};

const hasVerify = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('a systemd user unit', () => {
  test('starts the daemon that never idles out, and again only after a fault', ({ stage }) => {
    const { content } = serviceManager(options(stage));

    expect(content).toContain('ExecStart="/opt/my $$HOME 100%%/pilot\\"fish" daemon --keep-alive\n');
    expect(content).toContain('Environment="PILOTFISH_HOME=/srv/pilot fish"\n');
    expect(content).toContain('Restart=on-failure\n');
    expect(content).toContain('WantedBy=default.target\n');
  });

  test('is understood by systemd without a word against it', ({ stage, skip }) => {
    skip(!hasVerify, 'systemd is not here');
    const file = stage.at('pilotfish.service');
    stage.write(file, String(serviceManager(options(stage, { executable: stage.context.executable })).content));

    const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', file], {
      encoding: 'utf8',
      env: { ...stage.context.env, PATH: process.env['PATH'], XDG_RUNTIME_DIR: stage.home },
    });

    expect(stderr.split('\n').filter((line) => line.includes('pilotfish'))).toEqual([]);
    expect(status).toBe(0);
  });

  test('is enabled and started, and stays after a logout only when that is wished', ({ stage }) => {
    const calls = installManagers(stage);
    const { service } = createInstaller(stage.context);

    expect(service.install({ lingers: false })).toEqual({ file: stage.at(unit), state: 'written', notes: [] });
    expect(service.start()).toEqual([]);
    expect(calls()).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable pilotfish.service',
      'systemctl --user restart pilotfish.service',
    ]);
    expect(service.install({ lingers: true })).toMatchObject({ state: 'unchanged', notes: [] });
    expect(calls().at(-1)).toMatch(/^loginctl enable-linger \S+$/u);
    expect(service.status()).toEqual({ file: stage.at(unit), isInstalled: true, isRunning: true });
  });

  test('is stopped for an update, and starts again however often its daemon failed', ({ stage }) => {
    const calls = installManagers(stage);
    const { service } = createInstaller(stage.context);

    service.stop();
    expect(calls()).toEqual([]);
    service.install({ lingers: false });
    service.stop();

    expect(calls().slice(-2)).toEqual(['systemctl --user stop pilotfish.service', 'systemctl --user reset-failed pilotfish.service']);
    expect(existsSync(stage.at(unit))).toBe(true);
  });

  test('is stopped and gone after remove, and after uninstall', ({ stage }) => {
    const calls = installManagers(stage);
    const installer = createInstaller(stage.context);
    installer.service.install({ lingers: false });

    expect(installer.service.remove()).toEqual([stage.at(unit)]);
    expect(calls()).toContain('systemctl --user disable pilotfish.service');
    expect(installer.service.status()).toMatchObject({ isInstalled: false, isRunning: false });

    installer.service.install({ lingers: false });
    expect(installer.uninstall({ purge: false }).removed).toContain(stage.at(unit));
  });

  test('touches no service where none of ours is', ({ stage }) => {
    const calls = installManagers(stage);

    expect(createInstaller(stage.context).service.remove()).toEqual([]);
    createInstaller(stage.context).uninstall({ purge: true });

    expect(calls()).toEqual([]);
  });

  test('says what the system said when it refuses, and that there is no systemd', ({ stage }) => {
    expect(createInstaller(stage.context).service.install({ lingers: false }).notes[0]).toBe(
      'systemctl --user daemon-reload failed: it is not there',
    );

    installManagers(stage, 1);
    expect(createInstaller(stage.context).service.start()).toEqual([
      'systemctl --user restart pilotfish.service failed: Failed to connect to bus: No medium found',
    ]);
  });
});

describe('a launchd agent', () => {
  test('starts the daemon at login and after a fault', ({ stage }) => {
    const { file, content, start, stop, isRunning, remove, linger } = serviceManager(
      options(stage, { platform: 'darwin', executable: '/Applications/A & B/pilotfish' }),
    );

    expect(file).toBe(stage.at('Library/LaunchAgents/com.pilotfish.daemon.plist'));
    expect(content).toContain(
      '<array><string>/Applications/A &amp; B/pilotfish</string><string>daemon</string><string>--keep-alive</string></array>',
    );
    expect(content).toContain('<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>');
    expect(content).toContain('<key>PILOTFISH_HOME</key><string>/srv/pilot fish</string>');
    expect(start).toEqual([
      ['/bin/launchctl', 'bootstrap', expect.stringMatching(/^gui\/\d+$/u), file],
      ['/bin/launchctl', 'kickstart', '-k', expect.stringMatching(/^gui\/\d+\/com\.pilotfish\.daemon$/u)],
    ]);
    // It is loaded also when it has ended.
    expect(isRunning.at(-1)).toContain('state = running');
    expect(stop).toEqual([['/bin/launchctl', 'bootout', expect.stringMatching(/^gui\/\d+\/com\.pilotfish\.daemon$/u)]]);
    expect(remove).toEqual([]);
    expect(linger).toBeNull();
  });
});

describe('a scheduled task', () => {
  test('starts the daemon at login, once and without a window', ({ stage }) => {
    const { file, content, enable, stop, isRunning, remove } = serviceManager(
      options(stage, {
        platform: 'win32',
        root: 'C:\\Users\\me\\AppData\\Local\\Pilotfish',
        executable: 'C:\\Program Files\\R&D\\pilotfish.exe',
        portableHome: null,
        env: { SystemRoot: 'C:\\Windows', USERDOMAIN: 'R&D', USERNAME: '王 me' },
      }),
    );
    const text = Buffer.from(content).toString('utf16le');

    expect(file).toBe('C:\\Users\\me\\AppData\\Local\\Pilotfish\\service.xml');
    expect(text.startsWith('\ufeff<?xml version="1.0" encoding="UTF-16"?>')).toBe(true);
    expect(text).toContain('<Command>C:\\Windows\\System32\\conhost.exe</Command>');
    expect(text).toContain('<Arguments>--headless &quot;C:\\Program Files\\R&amp;D\\pilotfish.exe&quot; daemon --keep-alive</Arguments>');
    expect(text).toContain('<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>');
    // A login of any user would need an administrator.
    expect(text).toContain('<LogonTrigger><Enabled>true</Enabled><UserId>R&amp;D\\王 me</UserId></LogonTrigger>');
    // A task that is there but has ended does not run.
    expect(isRunning.join(' ')).toContain('(Get-ScheduledTask -TaskName Pilotfish -ErrorAction Stop).State -ne 4');
    expect(text).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>');
    expect(enable).toEqual([['C:\\Windows\\System32\\schtasks.exe', '/Create', '/TN', 'Pilotfish', '/XML', file, '/F']]);
    expect(stop).toEqual([['C:\\Windows\\System32\\schtasks.exe', '/End', '/TN', 'Pilotfish']]);
    expect(remove.at(-1)).toEqual(['C:\\Windows\\System32\\schtasks.exe', '/Delete', '/TN', 'Pilotfish', '/F']);
  });
});

describe('the registry of Windows', () => {
  test.for([
    ['C:\\\\Users\\\\王 é\\\\com.pilotfish.host.json', 'C:\\Users\\王 é\\com.pilotfish.host.json'],
    ['a \\"quoted\\" name', 'a "quoted" name'],
  ] as const)('gives the path of the manifest as it was written: %s', ([written, path]) => {
    const exported = `\ufeffWindows Registry Editor Version 5.00\r\n\r\n[HKEY_CURRENT_USER\\Software\\X]\r\n@="${written}"\r\n"other"="y"\r\n\r\n`;

    expect(defaultValueIn(exported)).toBe(path);
    expect(defaultValueIn(exported.replace(/@=.*/u, ''))).toBeNull();
  });
});
