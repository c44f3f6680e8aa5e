/**
 * What an administrator's policies keep a browser from, of that which Pilotfish needs. Chrome then says the same as when nothing was
 * registered. https://chromeenterprise.google/policies/ · where they lie on Linux: https://support.google.com/chrome/a/answer/9027408
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { EXTENSION_ID, HOST_NAME } from '#protocol/version.ts';

const Names = z.array(z.string()).catch([]);

/** What is not of the form that Chrome expects has no effect. */
const Policies = z.object({
  NativeMessagingBlocklist: Names,
  NativeMessagingAllowlist: Names,
  NativeMessagingUserLevelHosts: z.boolean().catch(true),
  ExtensionInstallBlocklist: Names,
  ExtensionInstallAllowlist: Names,
  /** 1: nobody may switch developer mode on, which unpacked extensions need. */
  ExtensionDeveloperModeSettings: z.number().catch(0),
});

export interface PolicyProblem {
  readonly file: string;
  readonly says: string;
  readonly remedy: string;
}

/** The folder of a browser's policies, which lies beside that of its manifests for all users. */
export const policyFolderOf = (systemManifestFile: string): string =>
  path.posix.join(path.posix.dirname(systemManifestFile), '..', 'policies', 'managed');

/** The first of them, or null. `isForAll` says whether Pilotfish is registered for all users. */
export const policyProblem = (folder: string, isForAll: boolean): PolicyProblem | null => {
  for (const file of filesIn(folder)) {
    const found = problemIn(read(file), isForAll);
    if (found !== null) return { file, ...found };
  }
  return null;
};

const problemIn = (policies: z.infer<typeof Policies>, isForAll: boolean): Omit<PolicyProblem, 'file'> | null => {
  if (isBlocked(HOST_NAME, policies.NativeMessagingBlocklist, policies.NativeMessagingAllowlist))
    return {
      says: 'forbids the browser to start Pilotfish',
      remedy: `Ask your administrator to put ${HOST_NAME} on NativeMessagingAllowlist.`,
    };
  if (!policies.NativeMessagingUserLevelHosts && !isForAll)
    return {
      says: 'forbids programs that only you have registered',
      remedy: 'Register it for all users: `sudo pilotfish install --system`.',
    };
  if (isBlocked(EXTENSION_ID, policies.ExtensionInstallBlocklist, policies.ExtensionInstallAllowlist))
    return { says: 'forbids the extension', remedy: `Ask your administrator to put ${EXTENSION_ID} on ExtensionInstallAllowlist.` };
  if (policies.ExtensionDeveloperModeSettings === 1)
    return {
      says: 'forbids extensions that are loaded from a folder',
      remedy: 'Ask your administrator to allow the developer mode of extensions.',
    };
  return null;
};

const isBlocked = (name: string, blocked: readonly string[], allowed: readonly string[]): boolean =>
  (blocked.includes('*') || blocked.includes(name)) && !allowed.includes(name);

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map((name) => path.join(folder, name));
  } catch {
    return [];
  }
};

const read = (file: string): z.infer<typeof Policies> => {
  try {
    return Policies.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // A file that cannot be read, or is no JSON, has no effect in the browser either.
    return Policies.parse({});
  }
};
