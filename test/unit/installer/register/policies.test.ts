import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { policyFolderOf, policyProblem } from '#installer/register/policies.ts';
import { EXTENSION_ID, HOST_NAME } from '#protocol/version.ts';

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  folder: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
    await use(folder);
    rmSync(folder, { recursive: true });
  },
});

const write = (folder: string, policies: unknown, name = 'company.json'): void =>
  writeFileSync(path.join(folder, name), typeof policies === 'string' ? policies : JSON.stringify(policies));

describe("an administrator's policies", () => {
  test('lie beside the manifests for all users', () => {
    expect(policyFolderOf('/etc/opt/chrome/native-messaging-hosts/com.pilotfish.host.json')).toBe('/etc/opt/chrome/policies/managed');
  });

  test.for([
    [{ NativeMessagingBlocklist: ['*'] }, 'forbids the browser to start Pilotfish'],
    [{ NativeMessagingBlocklist: [HOST_NAME] }, 'forbids the browser to start Pilotfish'],
    [{ NativeMessagingUserLevelHosts: false }, 'forbids programs that only you have registered'],
    [{ ExtensionInstallBlocklist: ['*'] }, 'forbids the extension'],
    [{ ExtensionInstallBlocklist: [EXTENSION_ID] }, 'forbids the extension'],
    [{ ExtensionDeveloperModeSettings: 1 }, 'forbids extensions that are loaded from a folder'],
  ] as const)('are told of where they keep Pilotfish out: %j', ([policies, says], { folder }) => {
    write(folder, policies);

    const problem = policyProblem(folder, false);

    expect(problem?.detail.text).toBe(`A policy of your administrator, ${path.join(folder, 'company.json')}, ${says}.`);
  });

  test.for([
    { NativeMessagingBlocklist: ['*'], NativeMessagingAllowlist: [HOST_NAME] },
    { NativeMessagingBlocklist: ['com.other'] },
    { ExtensionInstallBlocklist: ['*'], ExtensionInstallAllowlist: [EXTENSION_ID] },
    { NativeMessagingBlocklist: '*', ExtensionDeveloperModeSettings: '1' },
    '{"NativeMessagingBlocklist": ["*"]',
    'null',
  ])('are nothing to tell of where they let it be, or have no effect: %j', (policies, { folder }) => {
    write(folder, policies);

    expect(policyProblem(folder, false)).toBeNull();
  });

  test('may stand in any of several files; what is registered for all users is no longer only of the user', ({ folder }) => {
    write(folder, {}, 'a.json');
    write(folder, { NativeMessagingUserLevelHosts: false }, 'b.json');
    write(folder, { NativeMessagingBlocklist: ['*'] }, 'c.json.off');

    expect(policyProblem(folder, false)?.detail.values['file']).toBe(path.join(folder, 'b.json'));
    expect(policyProblem(folder, true)).toBeNull();
    expect(policyProblem(path.join(folder, 'nowhere'), false)).toBeNull();
  });

  test('count together, each as the last file states it', ({ folder }) => {
    write(folder, { NativeMessagingBlocklist: ['*'] }, 'a.json');
    expect(policyProblem(folder, false)).not.toBeNull();
    write(folder, { NativeMessagingAllowlist: [HOST_NAME] }, 'b.json');
    expect(policyProblem(folder, false)).toBeNull();
    write(folder, { NativeMessagingAllowlist: [] }, 'c.json');
    expect(policyProblem(folder, false)?.detail.values['file']).toBe(path.join(folder, 'a.json'));
  });
});
