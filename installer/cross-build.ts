/** The program for another system, from what the build for this one has bundled; see installer/build.ts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { VERSION } from '#protocol/version.ts';
import { fetchNode, findNode } from './node-binary.ts';
import { readPictures, windowsIcon } from './package/icons.ts';
import { adHocSigned } from './package/macos-signature.ts';
import { dressed } from './package/windows.ts';

const SeaConfig = z.looseObject({ main: z.string(), assets: z.record(z.string(), z.string()) });

/** Node's name of a system and of a processor. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

/** The program's bytes. It has no code cache of V8's, which holds on the system that made it only. */
export const crossBuild = ({ platform, arch }: System, rootDir: string): Buffer => {
  const system = `${platform}-${arch}`;
  const folder = path.join(rootDir, 'build', system);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const node = readFileSync(fetchNode(system, rootDir, path.join(rootDir, '.cache/node')));
  writeFileSync(path.join(folder, 'node'), platform === 'win32' ? dressed(node, VERSION, windowsIcon(readPictures(rootDir))) : node);

  const config = SeaConfig.parse(JSON.parse(readFileSync(path.join(rootDir, 'sea-config.json'), 'utf8')));
  const assets = Object.fromEntries(Object.entries(config.assets).filter(([name]) => name !== 'caches.pack'));
  const own = {
    ...config,
    executable: path.join(folder, 'node'),
    output: path.join(folder, 'pilotfish'),
    assets: { ...assets, 'keytar.node': `node_modules/keytar/prebuilds/${system}/keytar.node` },
  };
  writeFileSync(path.join(folder, 'sea-config.json'), JSON.stringify(own));
  execFileSync(findNode(rootDir), ['--build-sea', path.join(folder, 'sea-config.json')], {
    cwd: rootDir,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const made = readFileSync(own.output);
  rmSync(folder, { recursive: true });
  return platform === 'darwin' ? adHocSigned(made, 'com.pilotfish.terminal') : made;
};
