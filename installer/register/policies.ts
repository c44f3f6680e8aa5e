/**
 * What an administrator's policies keep a browser from, of that which Pilotfish needs: the browser tells its extensions no more than that
 * the program does not start. https://chromeenterprise.google/policies/ · where they lie on Linux: https://support.google.com/chrome/a/answer/9027408
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { found } from '#protocol/checks.ts';
import type { Said } from '#protocol/said.ts';
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
type Policies = z.infer<typeof Policies>;

interface Problem {
  /** The policy that forbids it. */
  readonly policy: keyof Policies;
  readonly says: 'forbids_program' | 'forbids_own_programs' | 'forbids_extension' | 'forbids_folders';
  readonly remedy: Said;
}

interface PolicyProblem {
  readonly detail: Said;
  readonly remedy: Said;
}

/** The folder of a browser's policies, which lies beside that of its manifests for all users. */
export const policyFolderOf = (systemManifestFile: string): string =>
  path.posix.join(path.posix.dirname(systemManifestFile), '..', 'policies', 'managed');

/** The first of them, or null. `isForAll` says whether Pilotfish is registered for all users. */
export const policyProblem = (folder: string, isForAll: boolean): PolicyProblem | null => {
  const stated = statedIn(folder);
  const problem = problemIn(Policies.parse(Object.fromEntries([...stated].map(([name, { value }]) => [name, value]))), isForAll);
  if (problem === null) return null;
  const { policy, says, remedy } = problem;
  return { detail: found(says, { file: stated.get(policy)?.file ?? folder }), remedy };
};

const problemIn = (policies: Policies, isForAll: boolean): Problem | null => {
  if (isBlocked(HOST_NAME, policies.NativeMessagingBlocklist, policies.NativeMessagingAllowlist))
    return {
      policy: 'NativeMessagingBlocklist',
      says: 'forbids_program',
      remedy: found('ask_for_list', { name: HOST_NAME, list: 'NativeMessagingAllowlist' }),
    };
  if (!policies.NativeMessagingUserLevelHosts && !isForAll)
    return {
      policy: 'NativeMessagingUserLevelHosts',
      says: 'forbids_own_programs',
      remedy: found('register_for_all'),
    };
  if (isBlocked(EXTENSION_ID, policies.ExtensionInstallBlocklist, policies.ExtensionInstallAllowlist))
    return {
      policy: 'ExtensionInstallBlocklist',
      says: 'forbids_extension',
      remedy: found('ask_for_list', { name: EXTENSION_ID, list: 'ExtensionInstallAllowlist' }),
    };
  if (policies.ExtensionDeveloperModeSettings === 1)
    return {
      policy: 'ExtensionDeveloperModeSettings',
      says: 'forbids_folders',
      remedy: found('ask_for_developer_mode'),
    };
  return null;
};

const isBlocked = (name: string, blocked: readonly string[], allowed: readonly string[]): boolean =>
  (blocked.includes('*') || blocked.includes(name)) && !allowed.includes(name);

/** Each policy with the file that states it; the last one counts. */
const statedIn = (folder: string): Map<string, { readonly file: string; readonly value: unknown }> =>
  new Map(filesIn(folder).flatMap((file) => Object.entries(read(file)).map(([name, value]) => [name, { file, value }] as const)));

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

/** A file that cannot be read, or is no JSON, has no effect in the browser either. */
const read = (file: string): Record<string, unknown> => {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
};
