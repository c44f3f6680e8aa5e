/** The files inside the executable. When it is run from source, the files of the last build take their place. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { brotliDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { ToolInfo } from '#protocol/browser.ts';

type AssetName = 'tools.json' | 'extension.json' | 'icon.png' | 'release-key.pem';

/** The tools of the extension that this executable was built with. */
export const readTools = (): ToolInfo[] => z.array(ToolInfo).parse(JSON.parse(readText('tools.json')));

/** The extension's files, path → content. */
export const readExtensionFiles = (): Record<string, Buffer> => {
  const packed = z.record(z.string(), z.string()).parse(JSON.parse(readText('extension.json')));
  return Object.fromEntries(Object.entries(packed).map(([file, content]) => [file, brotliDecompressSync(Buffer.from(content, 'base64'))]));
};

/** The icon of the menu entry. */
export const readIcon = (): Buffer => (isSea() ? Buffer.from(getRawAsset('icon.png')) : readFileSync(builtFile('icon.png')));

/** The public key with which packages of this program are signed. */
export const readReleaseKey = (): string => readText('release-key.pem');

const readText = (name: AssetName): string => (isSea() ? getAsset(name, 'utf8') : readFileSync(builtFile(name), 'utf8'));

const builtFile = (name: AssetName): string => path.join(import.meta.dirname, '..', '..', 'build', name);
