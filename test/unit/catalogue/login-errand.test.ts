import { expect } from 'vitest';
import { loginErrand } from '#companion/catalogue/login-errand.ts';
import { engines } from '#companion/engines/index.ts';
import { local } from '#companion/engines/local.ts';
import { selfCommand } from '#companion/lib/self.ts';
import { codeOf, test } from '#test/unit/sessions/stage.ts';

const never = (): never => {
  throw new Error('nothing is looked for');
};

test('a login is the command of the agent, with the program, arguments and environment of its runs', async ({ stage }) => {
  stage.store.settings.change({ engines: { byName: { fake: { args: ['--own'], env: { FAKE_PROXY: 'p' } } }, custom: [] } });
  const resolved = await stage.catalogue.resolve('fake');

  const errand = await stage.catalogue.login('fake');

  const place = resolved.type === 'process' ? resolved.place : never();
  expect(errand).toMatchObject({ type: 'log_in', name: 'fake', shown: 'fake-agent login', command: place.path });
  expect(errand.args).toEqual([...place.leadingArgs, 'login']);
  expect(errand.args).toContain('--own');
  expect(errand.env).toMatchObject({ FAKE_PROXY: 'p', PATH: expect.any(String) });
  expect(Object.keys(errand.env ?? {})).not.toContain('LOGIN_API_KEY');
  expect(await codeOf(stage.catalogue.login('missing'))).toBe('ENGINE_NOT_FOUND');
  expect(await codeOf(stage.catalogue.login('nobody'))).toBe('ENGINE_UNKNOWN');
});

test('an agent whose login is a key is asked for it by Pilotfish; one without any has no login', async () => {
  const glm = engines.find(({ name }) => name === 'glm') ?? never();
  const { command, args } = selfCommand();

  expect(await loginErrand(glm, never)).toMatchObject({ command, args: [...args, 'engine', 'key', 'glm', expect.any(String)], env: null });
  expect(await codeOf(loginErrand(local, never))).toBe('ENGINE_UNSUPPORTED');
});

test('the login of each agent begins with the name of its own program, or of Pilotfish', () => {
  for (const engine of engines) {
    if (engine.type === 'loop') continue;
    const { loginCommand, commands } = engine.finding;
    const [program = ''] = loginCommand.split(' ');
    expect([...commands, 'pilotfish'], engine.name).toContain(program);
    expect(loginCommand, engine.name).toMatch(/^[\w-]+(?: [\w-]+)*$/);
  }
});
