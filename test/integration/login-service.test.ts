/** The login service under a real manager of systemd's, in namespaces of its own: started, brought back, never two, and gone with the login. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { findOnPath } from '#installer/system-packages.ts';
import { test } from '#test/fixtures/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const UNSHARE = '/usr/bin/unshare';

const IN_A_LOGIN = String.raw`
set -e
umount -l /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /run
export XDG_RUNTIME_DIR=/run/user/0
mkdir -p /run/systemd/system $XDG_RUNTIME_DIR
chmod 700 $XDG_RUNTIME_DIR
unset DBUS_SESSION_BUS_ADDRESS
systemd --user > "$HOME/manager" 2>&1 &
manager=$!
until systemctl --user is-system-running > "$HOME/state" 2>&1 || grep -qx degraded "$HOME/state"; do
  kill -0 $manager
done
pid() { systemctl --user show pilotfish.service --property MainPID --value; }
answers() { until "$1" status --json | grep -q "\"pid\": $(pid),"; do kill -0 $manager; done; }
"$1" service install > "$HOME/installed"
answers "$1"
first=$(pid)
kill -KILL $first
until [ "$(pid)" != 0 ] && [ "$(pid)" != $first ]; do kill -0 $manager; done
answers "$1"
second=$(pid)
"$1" daemon
[ "$(pid)" = $second ]
"$1" service status --json > "$HOME/status"
kill -TERM $manager
wait $manager || true
! kill -0 $second 2> /dev/null
`;

/** Only root may have a tree of groups of its own. */
const canRun = ((): boolean => {
  if (process.getuid?.() !== 0 || findOnPath('systemd') === undefined) return false;
  const tree = 'umount -l /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup';
  return spawnSync(UNSHARE, ['--mount', 'sh', '-c', tree]).status === 0;
})();

describe('the login service', () => {
  test('is started by systemd, brought back when it is killed, never runs twice, and ends with the login', async ({
    skip,
    home,
    companion,
  }) => {
    skip(!isWhole, 'belongs to the whole form: npm run test:whole');
    skip(!canRun, 'this needs root, systemd and a tree of control groups of its own');
    const script = path.join(home.dir, 'login.sh');
    writeFileSync(script, IN_A_LOGIN);
    const own = path.join(home.dir, 'login');
    mkdirSync(own);
    // As a person has it, not under one folder: the unit starts the daemon of the account.
    const { PILOTFISH_HOME: _, XDG_DATA_HOME: __, ...env } = companion.env;

    const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
    await promisify(execFile)(UNSHARE, [...namespaces, 'sh', script, companion.executable], { env: { ...env, HOME: own } });

    expect(readFileSync(path.join(own, 'installed'), 'utf8')).toContain('The daemon runs as a service of your login.');
    expect(JSON.parse(readFileSync(path.join(own, 'status'), 'utf8'))).toMatchObject({ isInstalled: true, isRunning: true });
  });
});
