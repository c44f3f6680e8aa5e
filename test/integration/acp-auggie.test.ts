/** Auggie, the real program, as far as it goes without an account: it works with its maker's service only. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { cliVersion } from '#test/fixtures/clis.ts';
import { isDaemon } from '#test/fixtures/companion.ts';
import { answerNext, isDone, lastTurn, startConversation } from '#test/fixtures/conversation.ts';
import type { Home } from '#test/fixtures/home.ts';
import { filesUnder } from '#test/fixtures/installed-agent.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { checkEngine, putOnPath, test as base } from './acp-stage.ts';

/** `refusing` is a service that knows no session of anybody's. */
const test = base.extend<{ refusing: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  refusing: async ({}, use) => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(401, { 'content-type': 'application/json' }).end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
});

const install = (home: Home, variables: Record<string, string> = {}): void => {
  const tmp = path.join(home.dir, 'tmp');
  mkdirSync(tmp);
  putOnPath(home, ['auggie'], { TMPDIR: tmp, ...variables });
};

describe('auggie without a login', () => {
  test('is found, with its version, and says which command logs it in; nothing of it is left', async ({ companion, home, skip }) => {
    skip(!isWhole, 'it is started four times, and takes long for it: npm run test:whole');
    install(home);
    await companion.startDaemon();

    const info = await checkEngine(companion, 'auggie');
    const { stdout: doctor } = await companion.run(['doctor']);

    expect(info).toMatchObject({
      status: 'not_logged_in',
      version: cliVersion('auggie'),
      fix: 'auggie login',
      error: { code: 'ENGINE_NOT_LOGGED_IN', remedy: 'Run `auggie login` in a terminal, then send again.' },
    });
    expect(doctor).toMatch(/\[warn\] +Agent: Auggie 0\.36\.0 is not logged in\.\n +Run: auggie login\n/);
    await home.waitForProcesses((list) => list.every(isDaemon));
  });

  test('a prompt fails at once, with the command', async ({ companion, home, skip }) => {
    skip(!isWhole, 'as the one that its service refuses does: npm run test:whole');
    install(home);
    await companion.startDaemon();
    const conversation = await startConversation(companion, { engine: 'auggie' });

    await conversation.act('hello');
    const view = await conversation.waitFor(isDone);
    conversation.close();

    expect(lastTurn(view)).toMatchObject({
      status: 'failed',
      error: {
        code: 'ENGINE_NOT_LOGGED_IN',
        message: expect.stringContaining('Authentication required'),
        remedy: expect.stringContaining('auggie login'),
      },
    });
    await home.waitForProcesses((list) => list.every(isDaemon));
  });
});

describe('auggie with a session its service refuses', () => {
  test(
    'asks whether it may index the project, says what is wrong, and keeps our token out of its log',
    { tags: 'whole' },
    async ({ companion, home, refusing }) => {
      const session = { accessToken: 'made-up', tenantURL: refusing, scopes: ['read', 'write'] };
      install(home, { AUGMENT_SESSION_AUTH: JSON.stringify(session) });
      await companion.startDaemon();
      const conversation = await startConversation(companion, { engine: 'auggie' });

      await conversation.act('hello');
      const asked = await conversation.waitFor((view) => view.requests.length > 0);
      expect(asked.requests[0]?.request).toMatchObject({ title: 'Workspace Indexing Permission', where: conversation.rootPath });
      const logs = [...filesUnder(companion.paths.runsDir).keys()].map((file) => path.basename(file));
      await answerNext(companion, conversation, 'reject');
      const view = await conversation.waitFor(isDone);
      conversation.close();

      expect(lastTurn(view)).toMatchObject({
        status: 'failed',
        error: { code: 'ENGINE_NOT_LOGGED_IN', remedy: expect.stringContaining('auggie login') },
      });
      expect(logs).toContain('auggie.log');
      await companion.stopDaemon();
      await home.waitForProcesses((list) => list.length === 0);
      // Left to itself it writes the servers of a session, with their variables, into a file of the system's temporary folder.
      const told = [...filesUnder(home.dir)].filter(([, content]) => content.includes('PILOTFISH_MCP_TOKEN'));
      expect(told.map(([file]) => file)).toEqual([]);
    },
  );
});
