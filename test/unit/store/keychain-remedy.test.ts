import { describe, expect, test } from 'vitest';
import { keychainRemedy } from '#companion/store/keychain-remedy.ts';

describe('what makes a keychain usable', () => {
  // The messages of Linux are those of keytar on a real D-Bus and gnome-keyring.
  test.for([
    ['libsecret-1.so.0: cannot open shared object file: No such file or directory', 'libsecret-1-0 on Debian'],
    ['The name org.freedesktop.secrets was not provided by any .service files', 'install gnome-keyring, or KWallet'],
    ['Cannot autolaunch D-Bus without X11 $DISPLAY', 'There is no desktop session'],
    ['Could not connect: No such file or directory', 'There is no desktop session'],
    ['Cannot create an item in a locked collection', 'It is locked'],
    ['The keychain did not answer.', 'It is locked'],
    ['User interaction is not allowed.', 'security unlock-keychain'],
    ['Object does not exist at path “/org/freedesktop/secrets/collection/login”', 'It has no collection yet'],
  ] as const)('after "%s"', ([message, remedy]) => {
    expect(keychainRemedy(new Error(message), 'linux').text).toContain(remedy);
  });

  test.for([
    ['linux', 'gnome-keyring or KWallet'],
    ['darwin', 'security unlock-keychain'],
    ['win32', 'Credential Manager'],
    ['freebsd', 'pilotfish logs'],
  ] as const)('on %s, when it was not asked or its words are not known', ([platform, remedy]) => {
    expect(keychainRemedy(null, platform).text).toContain(remedy);
    expect(keychainRemedy(new Error('Quux.'), platform).text).toContain(remedy);
  });
});
