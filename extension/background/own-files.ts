/**
 * Names of files that the extension itself puts among the downloads, by their address: Chrome forgets the name that it was given where anybody
 * listens for names.
 */
export const ownFiles = new Map<string, string>();
