/** What makes the system's keychain usable again, from the words with which it failed. */

import type { Said } from '#protocol/said.ts';
import { warn } from '#protocol/warnings.ts';

/** The words of libsecret, GLib and the systems' own libraries; the first that fits counts. */
const remedies = [
  [/libsecret|cannot open shared object/iu, 'install_libsecret'],
  [/org\.freedesktop\.secrets|ServiceUnknown|not provided by any/iu, 'install_keyring'],
  [/autolaunch|could not connect|connection refused|D-?Bus/iu, 'start_desktop'],
  [/locked|prompt|dismissed|did not answer|interaction is not allowed|cancell?ed/iu, 'unlock_keychain'],
  [/Object does not exist at path/iu, 'make_keyring'],
] as const;

/** Where nothing has failed since the start, or in words that nobody knows. */
const usual: Readonly<Partial<Record<NodeJS.Platform, 'needs_keyring' | 'unlock_on_macos' | 'start_credentials'>>> = {
  linux: 'needs_keyring',
  darwin: 'unlock_on_macos',
  win32: 'start_credentials',
};

/** `error` is what the keychain failed with last; null where it was not asked since the start. */
export const keychainRemedy = (error: unknown, platform: NodeJS.Platform): Said => {
  const words = error instanceof Error ? error.message : '';
  const [, known] = remedies.find(([pattern]) => pattern.test(words)) ?? [];
  return warn(known ?? usual[platform] ?? 'see_logs');
};
