/** What we are measured against: the smallest programs that do the same, and the best peer, fetched into the cache. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const rootDir = path.join(import.meta.dirname, '..', '..');
const benchDir = path.join(rootDir, '.cache', 'bench');

/** A program of a few lines as an executable of the same Node as Pilotfish. */
export const buildMinimal = (name: string, source: string): string => {
  const folder = path.join(benchDir, name);
  mkdirSync(folder, { recursive: true });
  const output = path.join(folder, name);
  writeFileSync(path.join(folder, 'main.mjs'), source);
  writeFileSync(
    path.join(folder, 'sea.json'),
    JSON.stringify({
      main: path.join(folder, 'main.mjs'),
      mainFormat: 'module',
      output,
      executable: path.join(rootDir, 'build', 'node'),
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      execArgvExtension: 'none',
    }),
  );
  execFileSync(process.execPath, ['--build-sea', path.join(folder, 'sea.json')], { stdio: 'ignore' });
  return output;
};

/** Prints a version. */
export const HELLO = `console.log('0.1.0');`;

/** Sends one frame at once and gives every frame back. */
export const ECHO_HOST = `
const send = (body) => {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(body.length);
  process.stdout.write(Buffer.concat([header, body]));
};
send(Buffer.from('{"type":"host"}'));
let held = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
  while (held.length >= 4 && held.length >= 4 + held.readUInt32LE(0)) {
    const end = 4 + held.readUInt32LE(0);
    send(held.subarray(4, end));
    held = held.subarray(end);
  }
});
process.stdin.on('end', () => process.exit(0));
`;

/** The stdio server with one tool that does nothing, as the SDK's documentation has it. */
export const NOOP_SERVER = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
const server = new McpServer({ name: 'noop', version: '1.0.0' });
server.registerTool('noop', { description: 'Does nothing.' }, () => ({ content: [] }));
await server.connect(new StdioServerTransport());
`;

/** A copy that nobody else runs: pages shared with another process would count for half. */
export const copyProgram = (file: string): string => {
  mkdirSync(benchDir, { recursive: true });
  const copy = path.join(benchDir, path.basename(file));
  rmSync(copy, { force: true });
  copyFileSync(file, copy);
  return copy;
};

/** Path of the no-op server's script; it lies in the repository's tree so that it finds the SDK. */
export const writeNoopServer = (): string => {
  mkdirSync(benchDir, { recursive: true });
  const file = path.join(benchDir, 'noop.mjs');
  writeFileSync(file, NOOP_SERVER);
  return file;
};

/** Path of the peer's command line script. */
export const installPlaywrightMcp = (): string => installPeer('@playwright/mcp', '0.0.83', 'cli.js');

/** Path of the peer's command line script. */
export const installDevtoolsMcp = (): string =>
  installPeer('chrome-devtools-mcp', '1.11.0', path.join('build', 'src', 'bin', 'chrome-devtools-mcp.js'));

/** Folder of a web application's pages as its makers publish them. */
export const installPages = (): string => path.dirname(installPeer('admin-lte', '3.2.0', 'index.html'));

const installPeer = (name: string, version: string, script: string): string => {
  const folder = path.join(benchDir, `${name.replace('@', '').replace('/', '-')}@${version}`);
  const file = path.join(folder, 'node_modules', name, script);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
    execFileSync('npm', ['install', '--no-fund', '--no-audit', '--loglevel=error', `${name}@${version}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return file;
};
