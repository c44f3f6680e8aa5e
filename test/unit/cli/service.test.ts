import { describe, expect } from 'vitest';
import { test } from './stage.ts';

describe('service', () => {
  test('has the daemon of before make room, and then starts its own', async ({ stage }) => {
    expect(await stage.run('service', 'install', '--linger')).toBe(0);

    const done = stage.calls.map(([name]) => name).filter((name) => name !== 'connect');
    expect(done).toEqual(['service.install', 'shutdown', 'service.start']);
    expect(stage.calls).toContainEqual(['service.install', { lingers: true }]);
    expect(stage.out).toContain('The daemon runs as a service of your login.');
  });

  test('leaves the running daemon alone where the system has no service manager, and says so', async ({ stage }) => {
    stage.serviceNotes = ['systemctl --user daemon-reload failed: it is not there'];

    expect(await stage.run('service', 'install', '--json')).toBe(1);

    expect(stage.calls).not.toContainEqual(['shutdown']);
    expect(JSON.parse(stage.out)).toMatchObject({ isStarted: false, notes: stage.serviceNotes });
  });

  test('tells by its exit code whether it runs', async ({ stage }) => {
    expect(await stage.run('service', 'status')).toBe(1);
    expect(stage.out).toContain('It is installed and does not run: /unit');
    expect(await stage.run('service', 'remove')).toBe(0);
    expect(await stage.run('service', 'nosuch')).toBe(2);
    expect(await stage.run('service', 'status', '--linger')).toBe(2);
  });
});
