/** What makes the system's keychain usable again, from the words with which it failed. */

/** The words of libsecret, GLib and the systems' own libraries; the first that fits counts. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/libsecret|cannot open shared object/iu, 'Install libsecret (libsecret-1-0 on Debian and Ubuntu, libsecret on Fedora and Arch).'],
  [
    /org\.freedesktop\.secrets|ServiceUnknown|not provided by any/iu,
    'No program keeps secrets here: install gnome-keyring, or KWallet on KDE, and log in again.',
  ],
  [
    /autolaunch|could not connect|connection refused|D-?Bus/iu,
    'There is no desktop session (a server, a container, SSH). Where that is meant to be, nothing is to be done; else start the session with `dbus-run-session` and a gnome-keyring-daemon that is unlocked, and run `pilotfish stop` in it.',
  ],
  [
    /locked|prompt|dismissed|did not answer|interaction is not allowed|cancell?ed/iu,
    'It is locked: unlock it (on Linux in "Passwords and Keys" or KWallet, on macOS with `security unlock-keychain`).',
  ],
  [
    /Object does not exist at path/iu,
    'It has no collection yet: make the one named "Login" in "Passwords and Keys", or log in to the desktop with a password.',
  ],
];

/** Where nothing has failed since the start, or in words that nobody knows. */
const usual: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'It needs libsecret and a running gnome-keyring or KWallet that is unlocked.',
  darwin: 'Unlock it with `security unlock-keychain`.',
  win32: 'Start the service "Credential Manager".',
};

/** `error` is what the keychain failed with last; null where it was not asked since the start. */
export const keychainRemedy = (error: unknown, platform: NodeJS.Platform): string => {
  const words = error instanceof Error ? error.message : '';
  const [, known] = remedies.find(([pattern]) => pattern.test(words)) ?? [];
  return known ?? usual[platform] ?? 'See `pilotfish logs`.';
};
