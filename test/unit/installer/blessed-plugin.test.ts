import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { blessedPlugin } from '#installer/blessed-plugin.ts';

const PROGRAM = `
import blessed from 'blessed';
Object.assign(process.stdout, { columns: 80, rows: 24 });
const screen = blessed.screen({ smartCSR: true, fullUnicode: true, forceUnicode: true });
blessed.box({ parent: screen, content: '你好', border: 'line', width: 20, height: 5 });
screen.render();
screen.destroy();
// It would go on reading the keyboard.
process.stdout.write('', () => process.exit());
`;

describe('the blessed plugin', () => {
  test('a bundle draws with no package, no terminfo and no warning', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-blessed-'));
    const outfile = path.join(folder, 'screen.cjs');
    await build({
      stdin: { contents: PROGRAM, resolveDir: import.meta.dirname },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile,
      logLevel: 'silent',
      plugins: [blessedPlugin()],
    });

    const { stdout, stderr } = await promisify(execFile)(process.execPath, [outfile], { cwd: folder, env: { TERM: 'no-such-terminal' } });

    expect(stdout).toContain('你好');
    expect(stderr).toBe('');
    rmSync(folder, { recursive: true });
  });
});
