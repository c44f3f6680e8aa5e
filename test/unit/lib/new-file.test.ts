import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

const MODULE = path.join(import.meta.dirname, '..', '..', '..', 'companion', 'lib', 'new-file.ts');

test.skipIf(process.platform === 'win32')('a new file that cannot be written leaves no draft behind', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pf-new-'));
  const script = `import { makeNewFile } from ${JSON.stringify(MODULE)};
    try { makeNewFile(${JSON.stringify(path.join(folder, 'key'))}, 'text'); console.log('written'); } catch ({ code }) { console.log(code); }`;

  // No file may have a byte, as on a disk that is full.
  const said = execFileSync('/bin/sh', ['-c', 'ulimit -f 0; "$0" --input-type=module -e "$1" | cat', process.execPath, script], {
    encoding: 'utf8',
  });

  expect(said).toBe('EFBIG\n');
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
